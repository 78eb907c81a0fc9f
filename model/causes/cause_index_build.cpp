// The pass over all slices that fills a CauseIndex.

#include <algorithm>
#include <string>

#include "model/causes/cause_index.h"
#include "model/causes/known_names.h"
#include "model/causes/launch_delay.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {

class CauseIndex::Builder {
 public:
  Builder(const Trace& trace, CauseIndex& index)
      : trace_(trace),
        index_(index),
        synchronising_(trace.strings(), is_synchronising_call),
        copying_(trace.strings(), is_copy_call),
        communication_(trace.strings(), is_communication_kernel),
        host_communication_(trace.strings(), is_host_communication),
        data_loading_(trace.strings(), is_data_loading),
        allocating_(trace.strings(), is_allocating_call),
        first_use_(trace.strings(), is_first_use),
        host_callback_(trace.strings(), is_host_callback),
        launching_call_(trace.strings(), is_launching_call),
        profiler_frame_(trace.strings(), is_profiler_frame),
        profiler_overhead_(trace.strings(), is_profiler_overhead),
        code_loading_(trace.strings(), is_code_loading_overhead),
        step_(trace.strings(), is_profiler_step),
        annotation_(trace.strings(), is_annotation_name),
        sources_(trace.sources().size()) {}

  void run() {
    index_.threads_.resize(trace_.tracks().size());
    for (const Track& track : trace_.tracks()) {
      if (track.kind == TrackKind::kGpuStream) {
        add_stream(track);
      } else if (track.kind == TrackKind::kThread) {
        add_thread(track);
      }
    }
    look_at_launches();
    find_loading_operators();
    find_long_first_launches();
    for (SourceSpans& spans : sources_) {
      SourceFacts facts;
      finish_record(spans, facts);
      facts.has_steps = !spans.steps.empty();
      facts.steps = IntervalSet(std::move(spans.steps));
      facts.profiler = IntervalSet(std::move(spans.profiler));
      facts.code_loading = IntervalSet(std::move(spans.code_loading));
      facts.full_buffer = IntervalSet(std::move(spans.full_buffer));
      index_.sources_.push_back(std::move(facts));
    }
    for (std::size_t d = 0; d < index_.devices_.size(); ++d) {
      DeviceFacts& device = index_.devices_[d];
      merge_runs(device.endings, [](const Ending& a, const Ending& b) { return a.end < b.end; });
      device.busy = IntervalSet(std::move(busy_spans_[d]));
      device.communication = IntervalSet(std::move(communication_spans_[d]));
    }
    find_late_ranks_of_devices();
    find_full_queues();
    find_off_cpu();
    index_.waits_ = StreamWaits(trace_);
  }

 private:
  struct SourceSpans {
    std::vector<TimeSpan> steps;
    std::vector<TimeSpan> profiler;
    std::vector<TimeSpan> code_loading;
    std::vector<TimeSpan> full_buffer;
    std::vector<std::uint64_t> correlations;  // of runtime calls
    std::vector<Nanos> without_activity;
    std::vector<Nanos> host_callbacks;
    bool has_launches = false;
  };
  struct ThreadSpans {
    std::vector<TimeSpan> data_loading;
    std::vector<TimeSpan> host_communication;
    std::vector<TimeSpan> copying;
    std::vector<TimeSpan> allocating;
    std::vector<TimeSpan> first_use;
    std::vector<TimeSpan> busy;
  };

  bool keeps_busy(const Lane& lane, std::uint32_t i) {
    const CategoryClass c = trace_.category_class(lane.category(i));
    return (c == CategoryClass::kCpuOperator && !annotation_(lane.name(i))) || c == CategoryClass::kRuntime ||
           c == CategoryClass::kPythonFunction;
  }

  void add_stream(const Track& track) {
    const SourceId source = trace_.process(track.process).source;
    auto found = std::ranges::find_if(
        index_.devices_, [&](const DeviceFacts& d) { return d.source == source && d.device == track.device; });
    if (found == index_.devices_.end()) {
      found = index_.devices_.insert(found, {source, track.device, {}, {}, {}, {}, {}, {}, {}, 0, {}});
      communication_spans_.emplace_back();
      beside_spans_.emplace_back();
      busy_spans_.emplace_back();
    }
    found->streams.push_back(track.id);
    const auto d = static_cast<std::size_t>(found - index_.devices_.begin());
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const CategoryClass category = trace_.category_class(lane.category(i));
        if (!is_gpu_activity(category)) continue;
        found->endings.push_back({lane.end(i), {id, i}});
        busy_spans_[d].push_back(lane.span(i));
        if (category == CategoryClass::kKernel && communication_(lane.name(i)))
          communication_spans_[d].push_back(lane.span(i));
        else if (index_.late_)
          beside_spans_[d].push_back(lane.span(i));
      }
    }
  }

  void add_thread(const Track& track) {
    ThreadFacts& facts = index_.threads_[track.id.value];
    ThreadSpans spans;
    SourceSpans& source = sources_[trace_.process(track.process).source.value];
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      const Lane* above = k > 0 && lane.depth > 0 ? &trace_.lane(LaneId{id.value - 1}) : nullptr;
      for (std::uint32_t i = 0; i < lane.size(); ++i) add_slice({id, i}, lane, i, above, facts, spans, source);
    }
    merge_runs(facts.sync_calls, [](const Call& a, const Call& b) { return a.span.begin < b.span.begin; });
    std::vector<TimeSpan> calls;
    for (const Call& call : facts.sync_calls) calls.push_back(call.span);
    facts.synchronising = IntervalSet(std::move(calls));
    facts.data_loading = IntervalSet(std::move(spans.data_loading));
    facts.host_communication = IntervalSet(std::move(spans.host_communication));
    facts.copying = IntervalSet(std::move(spans.copying));
    facts.allocating = IntervalSet(std::move(spans.allocating));
    first_use_spans_.resize(trace_.tracks().size());
    first_use_spans_[track.id.value] = std::move(spans.first_use);
    facts.busy = IntervalSet(std::move(spans.busy));
  }

  void add_slice(SliceId slice, const Lane& lane, std::uint32_t i, const Lane* above, ThreadFacts& facts,
                 ThreadSpans& spans, SourceSpans& source) {
    const StringId name = lane.name(i);
    const CategoryClass category = trace_.category_class(lane.category(i));
    switch (category) {
      case CategoryClass::kRuntime:
        if (const bool copies = copying_(name) && outlasts_its_copy(slice); copies || synchronising_(name)) {
          facts.sync_calls.push_back({lane.span(i), slice});
          if (copies) spans.copying.push_back(lane.span(i));
        }
        if (allocating_(name)) spans.allocating.push_back(lane.span(i));
        if (first_use_(name)) {
          spans.first_use.push_back(lane.span(i));
          add_first_use_around(slice, spans.first_use);
        }
        look_at_call(slice, lane, i, source);
        break;
      case CategoryClass::kOverhead:
        (profiler_overhead_(name) ? source.profiler
         : code_loading_(name)    ? source.code_loading
                                  : source.full_buffer)
            .push_back(lane.span(i));
        return;
      case CategoryClass::kPythonFunction:
        if (profiler_frame_(name)) source.profiler.push_back(lane.span(i));
        [[fallthrough]];
      case CategoryClass::kCpuOperator:
      case CategoryClass::kCpuAnnotation:
        if (data_loading_(name)) spans.data_loading.push_back(lane.span(i));
        if (host_communication_(name)) spans.host_communication.push_back(lane.span(i));
        if (first_use_(name)) spans.first_use.push_back(lane.span(i));
        if (category != CategoryClass::kPythonFunction && step_(name)) source.steps.push_back(lane.span(i));
        break;
      default:
        return;
    }
    // A slice inside a busy one adds nothing.
    if (!keeps_busy(lane, i)) return;
    const bool inside = above != nullptr && lane.parent(i) != Lane::kNoParent && keeps_busy(*above, lane.parent(i));
    if (!inside) spans.busy.push_back(lane.span(i));
  }

  /// What the record of the GPU should have of a call.
  void look_at_call(SliceId slice, const Lane& lane, std::uint32_t i, SourceSpans& source) {
    if (host_callback_(lane.name(i))) source.host_callbacks.push_back(lane.start(i));
    if (lane.correlation(i) == 0) return;
    source.correlations.push_back(lane.correlation(i));
    if (!launching_call_(lane.name(i))) return;
    if (trace_.links().activities_of(slice).empty())
      source.without_activity.push_back(lane.start(i));
    else
      source.has_launches = true;
  }

  static void finish_record(SourceSpans& spans, SourceFacts& facts) {
    facts.has_launches = spans.has_launches;
    std::ranges::sort(spans.without_activity);
    std::ranges::sort(spans.host_callbacks);
    facts.without_activity = std::move(spans.without_activity);
    facts.host_callbacks = std::move(spans.host_callbacks);
    if (spans.correlations.empty()) return;
    const auto [least, most] = std::ranges::minmax(spans.correlations);
    facts.is_thinned = (most - least) / kThinnedShare >= spans.correlations.size();
    if (!facts.is_thinned) return;
    std::ranges::sort(spans.correlations);
    facts.correlations = std::move(spans.correlations);
  }

  /// An operator that loads code does most of what it does for the first time: it looks for a kernel, tunes, compiles.
  void add_first_use_around(SliceId slice, std::vector<TimeSpan>& spans) {
    for (slice = trace_.parent(slice); slice.valid(); slice = trace_.parent(slice)) {
      const Lane& lane = trace_.lane(slice);
      if (trace_.category_class(lane.category(slice.index)) != CategoryClass::kCpuOperator ||
          annotation_(lane.name(slice.index)))
        continue;
      spans.push_back(lane.span(slice.index));
      return;
    }
  }

  /// CUDA does not say in which thread it loaded code: in the one that launches work and is in an operator all the
  /// while, where there is one alone.
  void find_loading_operators() {
    first_use_spans_.resize(trace_.tracks().size());
    for (const TrackId id : index_.launching_) {
      const Track& track = trace_.track(id);
      const SourceId source = trace_.process(track.process).source;
      for (const TimeSpan& loading : sources_[source.value].code_loading) {
        const SliceId inside = operator_around(track, loading);
        const bool is_alone = inside.valid() && std::ranges::none_of(index_.launching_, [&](TrackId other) {
                                return other != id && trace_.process(trace_.track(other).process).source == source &&
                                       operator_around(trace_.track(other), loading).valid();
                              });
        if (is_alone) first_use_spans_[id.value].push_back(trace_.span(inside));
      }
    }
  }

  /// The innermost operator of the thread that covers `span`, or an invalid id.
  SliceId operator_around(const Track& track, TimeSpan span) {
    for (SliceId slice = trace_.innermost_at(track, span.begin); slice.valid(); slice = trace_.parent(slice)) {
      const Lane& lane = trace_.lane(slice);
      if (trace_.category_class(lane.category(slice.index)) == CategoryClass::kCpuOperator &&
          !annotation_(lane.name(slice.index)))
        return lane.end(slice.index) >= span.end ? slice : SliceId{};
    }
    return {};
  }

  /// The first launch of a kernel that takes long loads its code.
  void find_long_first_launches() {
    struct First {
      Nanos start = kMaxNanos;
      SliceId launch;
    };
    std::vector<std::vector<First>> firsts(trace_.sources().size());
    for (const LaunchLink& link : trace_.links().launches()) {
      const Lane& lane = trace_.lane(link.activity);
      if (trace_.category_class(lane.category(link.activity.index)) != CategoryClass::kKernel) continue;
      std::vector<First>& names = firsts[trace_.process(trace_.track_of(link.launch).process).source.value];
      const std::uint32_t name = lane.name(link.activity.index).value;
      if (names.size() <= name) names.resize(trace_.strings().size());
      if (const Nanos start = trace_.span(link.launch).begin; start < names[name].start)
        names[name] = {start, link.launch};
    }
    first_use_spans_.resize(trace_.tracks().size());
    for (const std::vector<First>& names : firsts)
      for (const First& first : names)
        if (first.launch.valid() && trace_.span(first.launch).duration() >= kLongFirstLaunchNs)
          first_use_spans_[trace_.lane(first.launch).track.value].push_back(trace_.span(first.launch));
    for (std::size_t t = 0; t < first_use_spans_.size(); ++t)
      index_.threads_[t].first_use = IntervalSet(std::move(first_use_spans_[t]));
  }

  void find_late_ranks_of_devices() {
    if (!index_.late_) return;
    std::vector<std::vector<TimeSpan>> spans(index_.devices_.size());
    for (const LateWait& wait : index_.late_->waits) {
      const Track& track = trace_.track_of(wait.collective);
      if (track.kind != TrackKind::kGpuStream) continue;
      const DeviceFacts* device = index_.device_of(track);
      if (device == nullptr) continue;
      const auto d = static_cast<std::size_t>(device - index_.devices_.data());
      index_.devices_[d].late_waits.push_back(wait);
      spans[d].push_back(wait.span);
    }
    for (std::size_t d = 0; d < spans.size(); ++d) {
      DeviceFacts& device = index_.devices_[d];
      std::ranges::sort(device.late_waits, {}, [](const LateWait& wait) { return wait.span.begin; });
      for (const LateWait& wait : device.late_waits)
        device.longest_late = std::max(device.longest_late, wait.span.duration());
      device.late = IntervalSet(std::move(spans[d]));
      device.beside = IntervalSet(std::move(beside_spans_[d]));
    }
  }

  void find_full_queues() {
    if (trace_.links().launches().size() < static_cast<std::size_t>(kFullQueue)) return;
    std::vector<std::vector<TimeSpan>> spans(index_.devices_.size());
    for (const QueueDepth& queue : queue_depths(trace_)) {
      if (queue.depth.max < kFullQueue) continue;
      const Track& track = trace_.track(queue.track);
      for (std::size_t d = 0; d < index_.devices_.size(); ++d) {
        const DeviceFacts& device = index_.devices_[d];
        if (device.source != trace_.process(track.process).source || device.device != track.device) continue;
        for (std::size_t i = 0; i + 1 < queue.depth.times.size(); ++i)
          if (queue.depth.values[i] >= kFullQueue) spans[d].push_back({queue.depth.times[i], queue.depth.times[i + 1]});
      }
    }
    for (std::size_t d = 0; d < spans.size(); ++d) index_.devices_[d].full_queue = IntervalSet(std::move(spans[d]));
  }

  /// What threads' states say, where they were recorded.
  void find_off_cpu() {
    for (const Track& states : trace_.tracks()) {
      if (states.kind != TrackKind::kThreadStates) continue;
      std::vector<TimeSpan> off;
      for (const Lane& lane : trace_.lanes_of(states))
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          if (trace_.text(lane.name(i)) != kRunningState) off.push_back(lane.span(i));
      const std::string thread = std::to_string(thread_of_sampled(trace_.text(states.tid)));
      for (const Track& track : trace_.tracks())
        if (track.kind == TrackKind::kThread && track.process == states.process && trace_.text(track.tid) == thread) {
          index_.threads_[track.id.value].not_scheduled = IntervalSet(std::move(off));
          break;
        }
    }
  }

  /// A copy to or from pageable memory: the call returns only after the copy has ended.
  bool outlasts_its_copy(SliceId call) const {
    for (const LaunchLink& link : trace_.links().activities_of(call))
      if (trace_.category_class(link.activity) == CategoryClass::kMemcpy &&
          trace_.span(call).end >= trace_.span(link.activity).end)
        return true;
    return false;
  }

  void look_at_launches() {
    const auto links = trace_.links().launches();
    std::vector<bool> launching(trace_.tracks().size(), false);
    for (std::size_t begin = 0; begin < links.size();) {
      std::size_t end = begin;
      Nanos first_start = kMaxNanos;
      for (; end < links.size() && links[end].launch == links[begin].launch; ++end)
        first_start = std::min(first_start, trace_.span(links[end].activity).begin);
      launching[trace_.lane(links[begin].launch).track.value] = true;
      // A call of Ascend's hands its tasks over one by one, and no graph.
      if (end - begin > 1 && !trace_.name(links[begin].launch).starts_with("AscendCL@"))
        index_.graphs_.push_back({links[begin].launch, first_start});
      begin = end;
    }
    for (const Track& track : trace_.tracks())
      if (launching[track.id.value]) index_.launching_.push_back(track.id);
  }

  const Trace& trace_;
  CauseIndex& index_;
  NameMemo synchronising_, copying_, communication_, host_communication_, data_loading_, allocating_, first_use_,
      host_callback_, launching_call_, profiler_frame_, profiler_overhead_, code_loading_, step_, annotation_;
  std::vector<SourceSpans> sources_;
  std::vector<std::vector<TimeSpan>> communication_spans_;  // by device
  std::vector<std::vector<TimeSpan>> busy_spans_;           // by device
  std::vector<std::vector<TimeSpan>> beside_spans_;         // by device
  std::vector<std::vector<TimeSpan>> first_use_spans_;      // by track
};

CauseIndex::CauseIndex(const Trace& trace, LateRanksPtr late) : trace_(trace), late_(std::move(late)) {
  Builder(trace, *this).run();
}

}  // namespace lacuna
