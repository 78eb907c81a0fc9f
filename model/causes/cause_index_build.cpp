// The pass over all slices that fills a CauseIndex.

#include <algorithm>

#include "model/causes/cause_index.h"
#include "model/causes/known_names.h"

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
        profiler_frame_(trace.strings(), is_profiler_frame),
        profiler_overhead_(trace.strings(), is_profiler_overhead),
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
    for (SourceSpans& spans : sources_) {
      SourceFacts facts;
      facts.has_steps = !spans.steps.empty();
      facts.steps = IntervalSet(std::move(spans.steps));
      facts.profiler = IntervalSet(std::move(spans.profiler));
      facts.code_loading = IntervalSet(std::move(spans.code_loading));
      index_.sources_.push_back(std::move(facts));
    }
    for (std::size_t d = 0; d < index_.devices_.size(); ++d) {
      DeviceFacts& device = index_.devices_[d];
      merge_runs(device.endings, [](const Ending& a, const Ending& b) { return a.end < b.end; });
      device.busy = IntervalSet(std::move(busy_spans_[d]));
      device.communication = IntervalSet(std::move(communication_spans_[d]));
    }
    look_at_launches();
    index_.waits_ = StreamWaits(trace_);
  }

 private:
  struct SourceSpans {
    std::vector<TimeSpan> steps;
    std::vector<TimeSpan> profiler;
    std::vector<TimeSpan> code_loading;
  };
  struct ThreadSpans {
    std::vector<TimeSpan> data_loading;
    std::vector<TimeSpan> host_communication;
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
      found = index_.devices_.insert(found, {source, track.device, {}, {}, {}, {}});
      communication_spans_.emplace_back();
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
    facts.busy = IntervalSet(std::move(spans.busy));
  }

  void add_slice(SliceId slice, const Lane& lane, std::uint32_t i, const Lane* above, ThreadFacts& facts,
                 ThreadSpans& spans, SourceSpans& source) {
    const StringId name = lane.name(i);
    const CategoryClass category = trace_.category_class(lane.category(i));
    switch (category) {
      case CategoryClass::kRuntime:
        if (synchronising_(name) || (copying_(name) && outlasts_its_copy(slice)))
          facts.sync_calls.push_back({lane.span(i), slice});
        break;
      case CategoryClass::kOverhead:
        (profiler_overhead_(name) ? source.profiler : source.code_loading).push_back(lane.span(i));
        return;
      case CategoryClass::kPythonFunction:
        if (profiler_frame_(name)) source.profiler.push_back(lane.span(i));
        [[fallthrough]];
      case CategoryClass::kCpuOperator:
      case CategoryClass::kCpuAnnotation:
        if (data_loading_(name)) spans.data_loading.push_back(lane.span(i));
        if (host_communication_(name)) spans.host_communication.push_back(lane.span(i));
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
      if (end - begin > 1) index_.graphs_.push_back({links[begin].launch, first_start});
      begin = end;
    }
    for (const Track& track : trace_.tracks())
      if (launching[track.id.value]) index_.launching_.push_back(track.id);
  }

  const Trace& trace_;
  CauseIndex& index_;
  NameMemo synchronising_, copying_, communication_, host_communication_, data_loading_, profiler_frame_,
      profiler_overhead_, step_, annotation_;
  std::vector<SourceSpans> sources_;
  std::vector<std::vector<TimeSpan>> communication_spans_;  // by device
  std::vector<std::vector<TimeSpan>> busy_spans_;           // by device
};

CauseIndex::CauseIndex(const Trace& trace) : trace_(trace) {
  Builder(trace, *this).run();
}

}  // namespace lacuna
