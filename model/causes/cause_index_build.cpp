// What fills a CauseIndex: the slices that are new in a trace.

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "model/causes/cause_index.h"
#include "model/causes/known_names.h"
#include "model/causes/launch_delay.h"
#include "model/trace/nearest_above.h"
#include "model/trace/operators_at.h"
#include "model/trace/sampled_tracks.h"
#include "model/trace/step_marks.h"
#include "model/trace/tracks_of.h"

namespace lacuna {

class CauseIndex::Builder {
 public:
  Builder(const Trace& trace, CauseIndex& index) : trace_(&trace), index_(&index) {}
  Builder(const Builder&) = delete;  // its members refer to each other
  Builder& operator=(const Builder&) = delete;

  Nanos run(const Trace& trace, CauseIndex& index, const LaneGrowth& growth, const LaneGrowth::News& news) {
    trace_ = &trace;
    index_ = &index;
    near_launch_ = {};
    growth_ = &growth;
    since_ = std::min(news.since, std::exchange(open_call_since_, kMaxNanos));
    for (NameMemo& memo : memos_) memo.follow(trace.strings());
    if (news.has_moved) move();
    index.threads_.resize(trace.tracks().size());
    index.states_.resize(trace.tracks().size());
    tracks_.resize(trace.tracks().size());
    index.sources_.resize(trace.sources().size());
    sources_.resize(trace.sources().size());
    begin();
    for (const Track& track : trace.tracks()) {
      if (track.kind == TrackKind::kGpuStream) {
        add_stream(track);
      } else if (track.kind == TrackKind::kThread) {
        add_thread(track);
      } else if (track.kind == TrackKind::kThreadStates) {
        add_states(track);
      }
    }
    finish_threads();
    finish_sources();
    finish_devices();
    find_launching_threads();
    find_first_uses();
    find_late_ranks_of_devices();
    find_full_queues();
    index.waits_.update(trace, growth, news);
    return since_;
  }

 private:
  /// Of one source, beside what the index has.
  struct OfSource {
    std::vector<TimedSlice> lacking;      ///< launching calls that ended and have no activity so far, ascending
    std::vector<TimedSlice> new_lacking;  ///< likewise, of this trace
    std::vector<Nanos> open_lacking;      ///< starts of such calls that go on
    std::uint64_t calls = 0;              ///< that have a correlation and ended
    std::uint64_t open_calls = 0;
    std::uint64_t least = kMostCorrelation;
    std::uint64_t most = 0;
    bool has_profiler_steps = false;
    std::vector<std::uint64_t> new_correlations;
    std::vector<SliceId> firsts;  ///< by name of a kernel: its first launch
  };
  /// Of one track.
  struct OfTrack {
    std::vector<TimeSpan> first_use;       ///< that ended
    std::vector<SliceId> first_calls;      ///< that load code, in operators that have not ended
    std::vector<TimeSpan> more_first_use;  ///< what may still be otherwise
    std::vector<TimeSpan> last_first_use;  ///< the same of the trace before
    std::size_t known_first_use = 0;       ///< of first_use, in the trace before
    bool launches = false;
  };
  static constexpr std::uint64_t kMostCorrelation = ~std::uint64_t{0};
  /// Work is taken to come for a call up to this time after it ended. It may wait in its queue for as long.
  static constexpr Nanos kWorkComesNs = 10'000'000'000;

  /// Remembers the answers to a question about names, of all traces.
  NameMemo& memo(NameMemo::Question question) { return memos_.emplace_back(trace_->strings(), question); }

  void move() {
    const auto moved = [this](SliceId slice) { return growth_->moved(slice); };
    for (ThreadFacts& thread : index_->threads_) thread.sync_calls.move(moved);
    for (SourceFacts& source : index_->sources_) source.host_callbacks.move(moved);
    for (DeviceFacts& device : index_->devices_)
      for (std::size_t i = 0; i < device.good_endings; ++i) device.endings[i].slice = moved(device.endings[i].slice);
    for (OfSource& source : sources_) {
      for (TimedSlice& call : source.lacking) call.slice = moved(call.slice);
      for (SliceId& launch : source.firsts) launch = moved(launch);
    }
    for (OfTrack& track : tracks_)
      for (SliceId& call : track.first_calls) call = moved(call);
  }

  /// Forgets what the trace before had open.
  void begin() {
    for (DeviceFacts& device : index_->devices_) {
      device.streams.clear();
      device.endings.resize(device.good_endings);
    }
    for (SourceFacts& source : index_->sources_) source.open_correlations.clear();
    for (OfSource& source : sources_) {
      source.open_calls = 0;
      source.open_lacking.clear();
    }
    for (OfTrack& track : tracks_) {
      track.last_first_use = std::exchange(track.more_first_use, {});
      track.known_first_use = track.first_use.size();
    }
  }

  bool keeps_busy(const Lane& lane, std::uint32_t i) {
    const CategoryClass c = trace_->category_class(lane.category(i));
    return (c == CategoryClass::kCpuOperator && !annotation_(lane.name(i))) || c == CategoryClass::kRuntime ||
           c == CategoryClass::kPythonFunction;
  }

  void add_stream(const Track& track) {
    const SourceId source = trace_->process(track.process).source;
    const auto [number, is_first] =
        index_->device_numbers_.try_emplace({source, track.device}, index_->devices_.size());
    if (is_first) index_->devices_.emplace_back();
    DeviceFacts* const found = &index_->devices_[number->second];
    found->source = source;
    found->device = track.device;
    Nanos longest = 0;
    for (const Lane& lane : trace_->lanes_of(track))
      if (lane.size() > 0) longest = std::max(longest, lane.duration(lane.longest(0, lane.size())));
    found->streams.emplace_back(longest, track.id);
    Links::Hint hint;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_->lane(id);
      const std::uint32_t ended = growth_->ended(id);
      for (std::uint32_t i = growth_->first_new(id); i < lane.size(); ++i) {
        const CategoryClass category = trace_->category_class(lane.category(i));
        if (!is_gpu_activity(category)) continue;
        const bool has_ended = i < ended;
        found->endings.push_back({lane.end(i), {id, i}});
        found->busy.add(lane.span(i), has_ended);
        if (category == CategoryClass::kKernel && communication_(lane.name(i)))
          found->communication.add(lane.span(i), has_ended);
        else if (index_->late_)
          found->beside.add(lane.span(i), has_ended);
        if (const SliceId launch = trace_->links().launch_of({id, i}, hint); launch.valid())
          add_launch(launch, category == CategoryClass::kKernel ? lane.name(i) : StringId{});
      }
    }
  }

  /// `kernel`: its name, if it is one.
  void add_launch(SliceId launch, StringId kernel) {
    const TrackId thread = trace_->lane(launch).track;
    if (!tracks_[thread.value].launches) {
      tracks_[thread.value].launches = true;
      since_ = kMinNanos;  // whoever launches may be the one to blame
    }
    if (!kernel.valid()) return;
    std::vector<SliceId>& firsts = sources_[trace_->process(trace_->track(thread).process).source.value].firsts;
    if (firsts.size() <= kernel.value) firsts.resize(trace_->strings().size());
    SliceId& first = firsts[kernel.value];
    const auto key = [this](SliceId slice) { return std::tuple(trace_->span(slice).begin, slice); };
    if (!first.valid() || key(launch) < key(first)) first = launch;
  }

  void add_thread(const Track& track) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_->lane(id);
      const Lane* above = k > 0 && lane.depth > 0 ? &trace_->lane(LaneId{id.value - 1}) : nullptr;
      const std::uint32_t ended = growth_->ended(id);
      for (std::uint32_t i = growth_->first_new(id); i < lane.size(); ++i)
        add_slice({id, i}, lane, i, above, i < ended);
    }
  }

  void add_slice(SliceId slice, const Lane& lane, std::uint32_t i, const Lane* above, bool has_ended) {
    ThreadFacts& facts = index_->threads_[lane.track.value];
    SourceFacts& source = index_->sources_[trace_->process(trace_->track(lane.track).process).source.value];
    const StringId name = lane.name(i);
    const TimeSpan span = lane.span(i);
    const CategoryClass category = trace_->category_class(lane.category(i));
    switch (category) {
      case CategoryClass::kRuntime: {
        const bool copies = copying_(name);
        const bool waits = synchronising_(name);
        if (!has_ended && (copies || waits)) open_call_since_ = std::min(open_call_since_, span.begin);
        if (const bool outlasts = copies && outlasts_its_copy(slice); outlasts || waits) {
          facts.sync_calls.add({span, slice}, has_ended);
          facts.synchronising.add(span, has_ended);
          if (outlasts) facts.copying.add(span, has_ended);
        }
        if (allocating_(name)) facts.allocating.add(span, has_ended);
        if (first_use_(name)) {
          add_first_use(lane, span, has_ended);
          add_first_use_around(slice, has_ended);
        }
        look_at_call(slice, lane, i, source, has_ended);
        break;
      }
      case CategoryClass::kOverhead:
        (profiler_overhead_(name) ? source.profiler
         : code_loading_(name)    ? source.code_loading
                                  : source.full_buffer)
            .add(span, has_ended);
        return;
      case CategoryClass::kPythonFunction:
        if (profiler_frame_(name)) source.profiler.add(span, has_ended);
        [[fallthrough]];
      case CategoryClass::kCpuOperator:
      case CategoryClass::kCpuAnnotation:
        if (data_loading_(name)) facts.data_loading.add(span, has_ended);
        if (host_communication_(name)) facts.host_communication.add(span, has_ended);
        if (first_use_(name)) add_first_use(lane, span, has_ended);
        if (category != CategoryClass::kPythonFunction && step_(name)) add_step(source, span, has_ended);
        break;
      default:
        return;
    }
    // A slice inside a busy one adds nothing.
    if (!keeps_busy(lane, i)) return;
    const bool inside = above != nullptr && lane.parent(i) != Lane::kNoParent && keeps_busy(*above, lane.parent(i));
    if (!inside) facts.busy.add(span, has_ended);
  }

  /// What the record of the GPU should have of a call.
  void look_at_call(SliceId slice, const Lane& lane, std::uint32_t i, SourceFacts& facts, bool has_ended) {
    OfSource& source = sources_[static_cast<std::size_t>(&facts - index_->sources_.data())];
    if (host_callback_(lane.name(i))) facts.host_callbacks.add({lane.span(i), slice}, has_ended);
    const std::uint64_t correlation = lane.correlation(i);
    if (correlation == 0) return;
    source.least = std::min(source.least, correlation);
    source.most = std::max(source.most, correlation);
    ++(has_ended ? source.calls : source.open_calls);
    if (!has_ended) {
      facts.open_correlations.push_back(correlation);
    } else if (facts.is_thinned) {
      source.new_correlations.push_back(correlation);
    }
    if (!launching_call_(lane.name(i))) return;
    if (!trace_->links().activities_of(slice, near_launch_).empty()) {
      found_launch(facts);
    } else if (has_ended) {
      source.new_lacking.push_back({lane.span(i), slice});
    } else {
      source.open_lacking.push_back(lane.start(i));
    }
  }

  void found_launch(SourceFacts& facts) {
    if (!facts.has_launches) since_ = kMinNanos;
    facts.has_launches = true;
  }

  void add_states(const Track& states) {
    GrowingIntervals& off = index_->states_[states.id.value];
    for (std::uint32_t k = 0; k < states.lane_count; ++k) {
      const LaneId id{states.first_lane.value + k};
      const Lane& lane = trace_->lane(id);
      for (std::uint32_t i = growth_->first_new(id); i < lane.size(); ++i)
        if (trace_->text(lane.name(i)) != kRunningState) off.add(lane.span(i), i < growth_->ended(id));
    }
    off.finish(growth_->horizon());
    const std::string thread = std::to_string(thread_of_sampled(trace_->text(states.tid)));
    for (const Track& track : trace_->tracks())
      if (track.kind == TrackKind::kThread && track.process == states.process && trace_->text(track.tid) == thread) {
        TrackId& known = index_->threads_[track.id.value].states;
        if (known != states.id) since_ = kMinNanos;
        known = states.id;
        break;
      }
  }

  void finish_threads() {
    const Nanos horizon = growth_->horizon();
    for (ThreadFacts& facts : index_->threads_) {
      facts.sync_calls.finish(horizon);
      for (GrowingIntervals* set : {&facts.synchronising, &facts.data_loading, &facts.host_communication,
                                    &facts.copying, &facts.allocating, &facts.busy})
        set->finish(horizon);
    }
  }

  void finish_sources() {
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      SourceFacts& facts = index_->sources_[s];
      const std::optional<std::vector<TimeSpan>> before = add_other_steps(s, facts);
      for (GrowingIntervals* set : {&facts.steps, &facts.profiler, &facts.code_loading, &facts.full_buffer})
        set->finish(growth_->horizon());
      facts.host_callbacks.finish(growth_->horizon());
      if (before) {
        const auto [old, now] = std::ranges::mismatch(*before, facts.steps.intervals());
        if (old != before->end()) since_ = std::min(since_, old->begin);
        if (now != facts.steps.intervals().end()) since_ = std::min(since_, now->begin);
      }
      if (!facts.steps.empty() != facts.has_steps) since_ = kMinNanos;
      facts.has_steps = !facts.steps.empty();
      find_lacking(sources_[s], facts);
      find_thinned(SourceId{static_cast<std::uint32_t>(s)}, sources_[s], facts);
    }
  }

  /// Steps that are no ProfilerSteps are told by all that the file has, not one by one.
  /// They take the place of those known so far, which are given back; nothing of ProfilerSteps.
  std::optional<std::vector<TimeSpan>> add_other_steps(std::size_t number, SourceFacts& facts) {
    const std::optional<StepsFrom> wanted = wanted_steps(*trace_);
    const bool are_other =
        wanted ? *wanted != StepsFrom::kProfiler : !sources_[number].has_profiler_steps && has_other_steps(*trace_);
    if (!are_other) return std::nullopt;
    std::vector<TimeSpan> before(facts.steps.intervals().begin(), facts.steps.intervals().end());
    facts.steps = {};
    for (const StepMark& mark : find_step_marks(*trace_, SourceId{static_cast<std::uint32_t>(number)}))
      facts.steps.add(mark.span, false);
    return before;
  }

  void add_step(SourceFacts& facts, TimeSpan span, bool has_ended) {
    OfSource& source = sources_[static_cast<std::size_t>(&facts - index_->sources_.data())];
    if (!std::exchange(source.has_profiler_steps, true)) facts.steps = {};  // others are none then
    facts.steps.add(span, has_ended);
  }

  void find_lacking(OfSource& source, SourceFacts& facts) {
    const Nanos from = saturating_sub(growth_->horizon(), kWorkComesNs);
    const auto begin_of = [](const TimedSlice& call) { return call.span.begin; };
    const auto young = std::ranges::lower_bound(source.lacking, from, {}, begin_of);
    const auto end = std::remove_if(young, source.lacking.end(), [&](const TimedSlice& call) {
      if (trace_->links().activities_of(call.slice).empty()) return false;
      found_launch(facts);
      since_ = std::min(since_, call.span.begin);
      return true;
    });
    source.lacking.erase(end, source.lacking.end());
    const auto less = [](const TimedSlice& a, const TimedSlice& b) { return starts_before(a, b); };
    merge_runs(source.new_lacking, less);
    const auto middle = static_cast<std::ptrdiff_t>(source.lacking.size());
    source.lacking.insert(source.lacking.end(), source.new_lacking.begin(), source.new_lacking.end());
    if (!source.new_lacking.empty()) {
      const auto first =
          std::upper_bound(source.lacking.begin(), source.lacking.begin() + middle, source.new_lacking.front(), less);
      std::inplace_merge(first, source.lacking.begin() + middle, source.lacking.end(), less);
    }
    source.new_lacking.clear();
    std::ranges::sort(source.open_lacking);
    facts.without_activity.clear();
    for (const TimedSlice& call : source.lacking) facts.without_activity.push_back(call.span.begin);
    const auto ended = static_cast<std::ptrdiff_t>(facts.without_activity.size());
    facts.without_activity.insert(facts.without_activity.end(), source.open_lacking.begin(), source.open_lacking.end());
    std::inplace_merge(facts.without_activity.begin(), facts.without_activity.begin() + ended,
                       facts.without_activity.end());
  }

  void find_thinned(SourceId id, OfSource& source, SourceFacts& facts) {
    const std::uint64_t calls = source.calls + source.open_calls;
    const bool is_thinned = calls > 0 && (source.most - source.least) / kThinnedShare >= calls;
    if (is_thinned != facts.is_thinned) {
      since_ = kMinNanos;
      facts.is_thinned = is_thinned;
      facts.correlations.clear();
      source.new_correlations.clear();
      if (is_thinned) collect_correlations(id, source.new_correlations);
    }
    if (!is_thinned) facts.open_correlations.clear();
    std::ranges::sort(facts.open_correlations);
    std::ranges::sort(source.new_correlations);
    if (source.new_correlations.empty()) return;
    const auto middle = static_cast<std::ptrdiff_t>(facts.correlations.size());
    facts.correlations.insert(facts.correlations.end(), source.new_correlations.begin(), source.new_correlations.end());
    const auto first = std::upper_bound(facts.correlations.begin(), facts.correlations.begin() + middle,
                                        source.new_correlations.front());
    std::inplace_merge(first, facts.correlations.begin() + middle, facts.correlations.end());
    source.new_correlations.clear();
  }

  void collect_correlations(SourceId source, std::vector<std::uint64_t>& correlations) {
    for (const Track& track : tracks_of(*trace_, TrackKind::kThread, source)) {
      for (std::uint32_t k = 0; k < track.lane_count; ++k) {
        const LaneId id{track.first_lane.value + k};
        const Lane& lane = trace_->lane(id);
        for (std::uint32_t i = 0; i < growth_->ended(id) && lane.has_ids(); ++i)
          if (lane.correlation(i) != 0 && trace_->category_class(lane.category(i)) == CategoryClass::kRuntime)
            correlations.push_back(lane.correlation(i));
      }
    }
  }

  void finish_devices() {
    const auto less = [](const Ending& a, const Ending& b) {
      return a.end != b.end ? a.end < b.end : a.slice < b.slice;
    };
    for (DeviceFacts& device : index_->devices_) {
      std::ranges::sort(device.streams, std::greater<>(), &std::pair<Nanos, TrackId>::first);
      // Those that ended before the horizon come before all others.
      std::vector<Ending> fresh(device.endings.begin() + static_cast<std::ptrdiff_t>(device.good_endings),
                                device.endings.end());
      merge_runs(fresh, less);
      std::ranges::copy(fresh, device.endings.begin() + static_cast<std::ptrdiff_t>(device.good_endings));
      const auto open = std::ranges::upper_bound(fresh, growth_->horizon(), {}, &Ending::end);
      device.good_endings += static_cast<std::size_t>(open - fresh.begin());
      for (GrowingIntervals* set : {&device.busy, &device.communication, &device.beside})
        set->finish(growth_->horizon());
    }
  }

  void find_launching_threads() {
    index_->launching_.assign(trace_->processes().size(), {});
    for (const Track& track : trace_->tracks())
      if (tracks_[track.id.value].launches) index_->launching_[track.process.value].push_back(track.id);
  }

  void add_first_use(const Lane& lane, TimeSpan span, bool has_ended) {
    OfTrack& track = tracks_[lane.track.value];
    (has_ended ? track.first_use : track.more_first_use).push_back(span);
  }

  /// An operator that loads code does most of what it does for the first time: it looks for a kernel, tunes, compiles.
  void add_first_use_around(SliceId call, bool has_ended) {
    for (SliceId slice = trace_->parent(call); slice.valid(); slice = trace_->parent(slice)) {
      const Lane& lane = trace_->lane(slice);
      if (trace_->category_class(lane.category(slice.index)) != CategoryClass::kCpuOperator ||
          annotation_(lane.name(slice.index)))
        continue;
      const TimeSpan span = lane.span(slice.index);
      const bool is_final = has_ended && span.end <= growth_->horizon();
      add_first_use(lane, span, is_final);
      if (has_ended && !is_final) tracks_[lane.track.value].first_calls.push_back(call);
      return;
    }
  }

  void find_first_uses() {
    for (OfTrack& track : tracks_)
      for (const SliceId call : std::exchange(track.first_calls, {})) {
        if (is_new(call)) {
          track.first_calls.push_back(call);
        } else {
          add_first_use_around(call, true);
        }
      }
    find_loading_operators();
    find_long_first_launches();
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      OfTrack& track = tracks_[t];
      const auto by_begin = [](const TimeSpan& a, const TimeSpan& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
      };
      std::ranges::sort(track.more_first_use, by_begin);
      std::ranges::sort(track.last_first_use, by_begin);
      Nanos changed = kMaxNanos;
      for (std::size_t i = track.known_first_use; i < track.first_use.size(); ++i)
        changed = std::min(changed, track.first_use[i].begin);
      std::vector<TimeSpan> others;
      std::ranges::set_symmetric_difference(track.more_first_use, track.last_first_use, std::back_inserter(others),
                                            by_begin);
      for (const TimeSpan& span : others) changed = std::min(changed, span.begin);
      if (changed == kMaxNanos) continue;
      since_ = std::min(since_, changed);
      std::vector<TimeSpan> all = track.first_use;
      all.insert(all.end(), track.more_first_use.begin(), track.more_first_use.end());
      index_->threads_[t].first_use = IntervalSet(std::move(all));
    }
  }

  bool is_new(SliceId slice) const { return slice.index >= growth_->first_new(slice.lane); }

  /// CUDA does not say in which thread it loaded code: in the one that launches work and is in an operator all the
  /// while, where there is one alone.
  void find_loading_operators() {
    std::vector<std::vector<TrackId>> threads(index_->sources_.size());  // that launch, by source
    for (const Process& process : trace_->processes())
      for (const TrackId id : index_->launching_[process.id.value]) threads[process.source.value].push_back(id);
    OperatorsAt running(*trace_);
    NearestAbove above(*trace_);
    for (std::size_t s = 0; s < threads.size(); ++s) {
      const auto all_loading = index_->sources_[s].code_loading.intervals();
      for (const TimeSpan& loading : all_loading) {
        SliceId inside;
        std::size_t found = 0;
        for (const TrackId id : threads[s]) {
          const Track& track = trace_->track(id);
          // To know how the rows nest costs a look at each slice: too much for a few questions.
          const bool are_many = all_loading.size() * track.lane_count > track.slice_count;
          const SliceId innermost =
              are_many ? running.innermost(id, loading.begin) : trace_->innermost_at(track, loading.begin);
          const SliceId op = above.of(innermost, [this](SliceId slice) { return is_operator(slice); });
          if (!op.valid() || trace_->span(op).end < loading.end) continue;
          inside = op;
          ++found;
        }
        if (found == 1) tracks_[trace_->lane(inside).track.value].more_first_use.push_back(trace_->span(inside));
      }
    }
  }

  bool is_operator(SliceId slice) {
    return trace_->category_class(slice) == CategoryClass::kCpuOperator &&
           !annotation_(trace_->lane(slice).name(slice.index));
  }

  /// The operator that launches first of all, and long after it began, has the CUDA context made and libraries loaded.
  void find_initialisation(const OfSource& source) {
    SliceId first;
    for (const SliceId launch : source.firsts)
      if (launch.valid() && (!first.valid() || trace_->span(launch).begin < trace_->span(first).begin)) first = launch;
    if (!first.valid()) return;
    const Nanos begin = trace_->span(first).begin;
    SliceId outermost;
    for (SliceId slice = trace_->parent(first); slice.valid(); slice = trace_->parent(slice))
      if (is_operator(slice)) outermost = slice;
    if (outermost.valid() && begin - trace_->span(outermost).begin >= kLongInitialisationNs)
      tracks_[trace_->lane(first).track.value].more_first_use.push_back({trace_->span(outermost).begin, begin});
  }

  /// The first launch of a kernel that takes long loads its code.
  void find_long_first_launches() {
    for (const OfSource& source : sources_) find_initialisation(source);
    for (const OfSource& source : sources_)
      for (const SliceId first : source.firsts)
        if (first.valid() && trace_->span(first).duration() >= kLongFirstLaunchNs)
          tracks_[trace_->lane(first).track.value].more_first_use.push_back(trace_->span(first));
  }

  void find_late_ranks_of_devices() {
    if (!index_->late_) return;
    std::vector<std::vector<TimeSpan>> spans(index_->devices_.size());
    for (const LateWait& wait : index_->late_->waits) {
      const Track& track = trace_->track_of(wait.collective);
      if (track.kind != TrackKind::kGpuStream) continue;
      const DeviceFacts* device = index_->device_of(track);
      if (device == nullptr) continue;
      const auto d = static_cast<std::size_t>(device - index_->devices_.data());
      index_->devices_[d].late_waits.push_back(wait);
      spans[d].push_back(wait.span);
    }
    for (std::size_t d = 0; d < spans.size(); ++d) {
      DeviceFacts& device = index_->devices_[d];
      std::ranges::sort(device.late_waits, {}, [](const LateWait& wait) { return wait.span.begin; });
      for (const LateWait& wait : device.late_waits)
        device.longest_late = std::max(device.longest_late, wait.span.duration());
      device.late = IntervalSet(std::move(spans[d]));
    }
  }

  void find_full_queues() {
    const Nanos changed = index_->queues_.update(*trace_, *growth_);
    since_ = std::min(since_, changed);
    if (changed == kMaxNanos) return;
    for (DeviceFacts& device : index_->devices_)
      device.full_queue = IntervalSet(index_->queues_.of_device(device.source, device.device));
  }

  /// A copy to or from pageable memory: the call returns only after the copy has ended, or after the memory has been
  /// copied to where the GPU can read it.
  bool outlasts_its_copy(SliceId call) const {
    const TimeSpan span = trace_->span(call);
    for (const LaunchLink& link : trace_->links().activities_of(call)) {
      if (trace_->category_class(link.activity) != CategoryClass::kMemcpy) continue;
      if (span.end >= trace_->span(link.activity).end) return true;
      if (span.duration() >= kStagingCallNs && trace_->name(link.activity).find("Pageable") != std::string_view::npos)
        return true;
    }
    return false;
  }

  const Trace* trace_;
  CauseIndex* index_;
  const LaneGrowth* growth_ = nullptr;
  std::deque<NameMemo> memos_;  // their places stay
  NameMemo& synchronising_ = memo(is_synchronising_call);
  NameMemo& copying_ = memo(is_copy_call);
  NameMemo& communication_ = memo(is_communication_kernel);
  NameMemo& host_communication_ = memo(is_host_communication);
  NameMemo& data_loading_ = memo(is_data_loading);
  NameMemo& allocating_ = memo(is_allocating_call);
  NameMemo& first_use_ = memo(is_first_use);
  NameMemo& host_callback_ = memo(is_host_callback);
  NameMemo& launching_call_ = memo(is_launching_call);
  NameMemo& profiler_frame_ = memo(is_profiler_frame);
  NameMemo& profiler_overhead_ = memo(is_profiler_overhead);
  NameMemo& code_loading_ = memo(is_code_loading_overhead);
  NameMemo& step_ = memo(is_profiler_step);
  NameMemo& annotation_ = memo(is_annotation_name);
  std::vector<OfSource> sources_;
  std::vector<OfTrack> tracks_;  // by TrackId
  Links::Hint near_launch_;      // of the trace that run() looks at
  Nanos since_ = kMaxNanos;
  Nanos open_call_since_ = kMaxNanos;  // start of calls that wait or copy and had not ended: their ends matter, too
};

CauseIndex::CauseIndex() = default;
CauseIndex::CauseIndex(CauseIndex&&) noexcept = default;
CauseIndex& CauseIndex::operator=(CauseIndex&&) noexcept = default;
CauseIndex::~CauseIndex() = default;

CauseIndex::CauseIndex(const Trace& trace, LateRanksPtr late) : trace_(&trace), late_(std::move(late)) {
  LaneGrowth growth;
  const LaneGrowth::News news = growth.update(trace, kMaxNanos);
  Builder(trace, *this).run(trace, *this, growth, news);
  // All launches may be asked about.
  const LinkTable<LaunchLink>& links = trace.links().launches();
  for (auto first = links.begin(); first != links.end();) {
    auto last = std::next(first);
    while (last != links.end() && last->launch == first->launch) ++last;
    look_at_graph({first, last});
    first = last;
  }
  partial_replays_ = find_partial_replays(trace);
}

Nanos CauseIndex::update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news) {
  if (news.starts_over) *this = CauseIndex();
  trace_ = &trace;
  graphs_.clear();
  if (!builder_) builder_ = std::make_unique<Builder>(trace, *this);
  const Nanos since = builder_->run(trace, *this, growth, news);
  return news.starts_over ? kMinNanos : since;
}

void CauseIndex::look_at_graph(LinkTable<LaunchLink>::Range activities) {
  if (activities.size() <= 1) return;
  const SliceId launch = activities.front().launch;
  // Others hand their work over one by one: calls of Ascend's, and those of ROCm that share a correlation.
  if (!is_graph_launch(trace_->name(launch))) return;
  Nanos first_start = kMaxNanos;
  for (const LaunchLink& link : activities) first_start = std::min(first_start, trace_->span(link.activity).begin);
  graphs_.push_back({launch, first_start});
}

void CauseIndex::look_at_graphs(const SharedVector<Gap>& gaps, std::size_t from) {
  std::vector<SliceId> launches;
  for (std::size_t g = from; g < gaps.size(); ++g)
    if (gaps[g].launch.valid()) launches.push_back(gaps[g].launch);
  std::ranges::sort(launches);
  launches.erase(std::unique(launches.begin(), launches.end()), launches.end());
  graphs_.clear();
  for (const SliceId launch : launches) look_at_graph(trace_->links().activities_of(launch));
}

}  // namespace lacuna
