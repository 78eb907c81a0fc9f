#include "model/job/rank_extract.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/base/ascii.h"
#include "model/causes/cause_index.h"
#include "model/causes/known_names.h"
#include "model/columns/argument_columns.h"
#include "model/job/collective_arguments.h"
#include "model/job/fact_texts.h"
#include "model/job/idle_uses.h"
#include "model/job/ranks_by_name.h"
#include "model/steps/measured_steps.h"
#include "model/threads/program_threads.h"
#include "model/trace/hardware_tracks.h"
#include "model/trace/import_finding.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

/// Later than 1973: such times count from 1970 already (as in import/alignment.h).
constexpr Nanos kAbsoluteTimesNs = 100'000'000'000'000'000;
/// Clocks of one rank agree to this: the end of one kernel against the start of what waited for it.
constexpr Nanos kSameMomentNs = 2'000;
/// Activities before a collective that are looked at for the one that it waited for.
constexpr std::size_t kLookBack = 64;

/// "4x1x1 256x1x1"; empty where nothing is said.
std::string shape_text(const GpuArguments& said) {
  if (said.grid[0] == 0 && said.block[0] == 0) return {};
  std::string text;
  for (const auto& sizes : {said.grid, said.block}) {
    if (!text.empty()) text += ' ';
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (i != 0) text += 'x';
      text += std::to_string(sizes[i]);
    }
  }
  return text;
}

class RankExtractor {
 public:
  RankExtractor(const Trace& trace, SourceId source)
      : trace_(trace),
        source_(source),
        texts_(facts_.texts),
        is_communication_(trace.strings(), is_communication_kernel) {}

  Result<JobRank> run(std::span<const CausedGaps> devices, unsigned threads) {
    describe();
    walk();
    find_step_times();
    if (auto read = add_collectives(); !read) return tl::make_unexpected(read.error());
    if (auto read = add_kernels(threads); !read) return tl::make_unexpected(read.error());
    add_preemption();
    add_waits();
    add_clock();
    add_idle_uses(
        trace_, source_, devices, begin_, [&](Nanos t) { return step_at(t); }, facts_, texts_);
    shift_to_epoch();
    return std::move(facts_);
  }

  Result<RankCollectives> collectives() {
    describe();
    walk();
    find_step_times();
    if (auto read = add_collectives(); !read) return tl::make_unexpected(read.error());
    shift_to_epoch();
    RankCollectives found{std::move(facts_), {}};
    for (const Activity& activity : communication_) found.slices.push_back(activity.slice);
    return found;
  }

 private:
  struct Activity {
    SliceId slice;
    Nanos start = 0, end = 0;
    Nanos launched = 0;  // its own start where the launch is not in the file
    bool has_launch = false;
  };

  void describe() {
    const TraceSource& source = trace_.sources()[source_.value];
    facts_.file = source.path;
    facts_.source = source_.value;
    facts_.rank = source.rank.value_or(-1);
    facts_.world_size = source.world_size;
    facts_.json_bytes = source.json_bytes;
    for (const auto& [key, value] : source.metadata)
      if (const std::string name = to_lower(key); name == "hostname" || name == "host_name" || name == "host")
        facts_.host = value.size() > 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
    for (const ImportReport::Line& line : source.report.lines()) {
      const FindingInfo& finding = info(line.finding);
      if (finding.severity == Severity::kDataLoss)
        facts_.losses.push_back((finding.has_count() ? std::to_string(line.count) + " " : "") +
                                finding.words_after(line.count));
    }
  }

  const Track* track_of_source(std::size_t i) const {
    const Track& track = trace_.tracks()[i];
    return trace_.process(track.process).source == source_ ? &track : nullptr;
  }

  /// Collects the kernels, told apart by their names.
  void walk() {
    begin_ = kMaxNanos;
    Nanos end = kMinNanos;
    for (std::size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track* track = track_of_source(t);
      if (track == nullptr) continue;
      facts_.slices += track->slice_count;
      if (track->slice_count == 0) continue;
      begin_ = std::min(begin_, track->span.begin);
      end = std::max(end, track->span.end);
      if (track->kind == TrackKind::kGpuStream) walk_stream(*track);
    }
    if (begin_ > end) begin_ = end = 0;
    whole_ = {begin_, end};
    if (!has_gpu_) walk_processors();
  }

  void walk_stream(const Track& track) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const CategoryClass meaning = trace_.category_class(lane.category(i));
        has_gpu_ = has_gpu_ || is_gpu_activity(meaning);
        if (meaning != CategoryClass::kKernel) continue;
        Activity activity{{id, i}, lane.start(i), lane.end(i), lane.start(i)};
        const SliceId launch = trace_.links().launch_of(activity.slice);
        activity.has_launch = launch.valid();
        if (launch.valid()) {
          activity.launched = trace_.lane(launch).start(launch.index);
          issuing_.insert(trace_.lane(launch).track.value);
        }
        (is_communication_(lane.name(i)) ? communication_ : compute_).push_back(activity);
      }
    }
  }

  /// Collectives of processes without a GPU: the outermost slices that describe one.
  void walk_processors() {
    for (const auto& [key, value] : trace_.sources()[source_.value].metadata)
      if (key == "distributedInfo" && value.find("nccl") != std::string::npos) return;  // on GPUs that are not in it
    const StringId record = trace_.strings().find("record_param_comms");
    NameMemo is_host(trace_.strings(), is_host_communication);
    std::vector<Activity> records, others;
    for (std::size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track* track = track_of_source(t);
      if (track == nullptr || (track->kind != TrackKind::kThread && track->kind != TrackKind::kAsync)) continue;
      for (std::uint32_t k = 0; k < track->lane_count; ++k) {
        const LaneId id{track->first_lane.value + k};
        const Lane& lane = trace_.lane(id);
        for (std::uint32_t i = 0; i < lane.size(); ++i) {
          const Activity activity{{id, i}, lane.start(i), lane.end(i), lane.start(i)};
          if (record.valid() && lane.name(i) == record) records.push_back(activity);
          if (is_host(lane.name(i)) && trace_.text(lane.name(i)).find(':') != std::string_view::npos)
            others.push_back(activity);
        }
      }
    }
    communication_ = others.empty() ? std::move(records) : std::move(others);
  }

  void find_step_times() {
    for (const MeasuredStep& measured : find_measured_steps(trace_, source_, false).steps) {
      const std::optional<std::int64_t> number = measured.number;
      if (!facts_.steps.empty() && facts_.steps.back().number == number) continue;
      step_track_ = trace_.lane(measured.annotation).track;
      RankStep step;
      step.number = number;
      // A step whose work ended before that of the one before it has no time of its own on the GPU.
      step.start =
          facts_.steps.empty() ? measured.paced.begin : std::max(measured.paced.begin, facts_.steps.back().start);
      step.end = std::max(measured.paced.end, step.start);
      facts_.steps.push_back(step);
      step_begins_.push_back(measured.span.begin);
    }
    if (facts_.steps.empty()) {
      RankStep whole;
      whole.start = whole_.begin;
      whole.end = whole_.end;
      facts_.steps.push_back(whole);
      step_begins_.push_back(whole.start);
    } else {
      begin_ = std::min(begin_, step_begins_.front());
    }
  }

  /// The step in which something was issued at `t`, by the steps' annotations: between two of them the earlier one.
  std::int32_t step_of_launch(Nanos t) const {
    const auto after = std::ranges::upper_bound(step_begins_, t);
    return static_cast<std::int32_t>(after - step_begins_.begin()) - 1;
  }

  /// The step to which the GPU's time at `t` belongs (MeasuredStep::paced): between two of them the earlier one.
  std::int32_t step_at(Nanos t) const {
    const auto after = std::ranges::upper_bound(facts_.steps, t, {}, [](const RankStep& s) { return s.start; });
    return static_cast<std::int32_t>(after - facts_.steps.begin()) - 1;
  }

  Result<void> add_collectives() {
    std::ranges::stable_sort(communication_, {}, [](const Activity& a) { return a.start; });
    std::vector<SliceId> slices;
    facts_.collectives.resize(communication_.size());
    for (std::size_t i = 0; i < communication_.size(); ++i) {
      const Activity& activity = communication_[i];
      CollectivePart& part = facts_.collectives[i];
      slices.push_back(activity.slice);
      part.start = activity.start;
      part.end = activity.end;
      part.kernel = part.name = texts_.add(trace_.name(activity.slice));
      part.step = step_of_launch(activity.launched);
    }
    if (auto read = read_collective_arguments(trace_, source_, slices, facts_, texts_, facts_.collectives); !read)
      return read;
    find_own_work();
    return {};
  }

  /// What each collective had to wait for on its own rank.
  ///
  ///     compute   ####......######....    a gap of the compute kernels that ends behind a collective was a wait
  ///     comm.         [====]       [===   for it: it "released" the rank
  ///                        |<own ->|
  void find_own_work() {
    std::vector<TimeSpan> spans;
    for (const Activity& a : compute_) spans.push_back({a.start, a.end});
    busy_ = IntervalSet(std::move(spans));
    std::ranges::sort(compute_, {}, [](const Activity& a) { return a.launched; });
    std::vector<Nanos> ends;
    for (const Activity& a : compute_) ends.push_back(a.end);
    std::ranges::sort(ends);

    std::vector<std::pair<Nanos, std::int32_t>> by_end;  // of collectives
    for (std::size_t i = 0; i < communication_.size(); ++i)
      by_end.emplace_back(communication_[i].end, static_cast<std::int32_t>(i));
    std::ranges::sort(by_end);
    const std::vector<std::pair<Nanos, std::int32_t>> releases = releases_of(by_end);

    for (std::size_t i = 0; i < communication_.size(); ++i) {
      const Activity& activity = communication_[i];
      CollectivePart& part = facts_.collectives[i];
      const Nanos ready = ready_time(activity, ends);
      // A collective that ended between readiness and start held it up; else the last one that released the rank.
      std::int32_t from =
          last_before(by_end, saturating_add(activity.start, kSameMomentNs), static_cast<std::int32_t>(i));
      if (from < 0 || communication_[static_cast<std::size_t>(from)].end <= ready)
        from = last_before(releases, ready, static_cast<std::int32_t>(i));
      part.released_by = from;
      const Nanos since = from < 0 ? begin_ : communication_[static_cast<std::size_t>(from)].end;
      part.own_work = std::max<Nanos>(0, saturating_sub(activity.start, since));
    }
  }

  static std::int32_t last_before(const std::vector<std::pair<Nanos, std::int32_t>>& ends, Nanos t, std::int32_t self) {
    auto at = std::ranges::upper_bound(ends, std::pair(t, std::numeric_limits<std::int32_t>::max()));
    while (at != ends.begin()) {
      --at;
      if (at->second != self) return at->second;
    }
    return -1;
  }

  /// The collectives whose end a gap of the compute kernels waited for: the last one that ends in it.
  std::vector<std::pair<Nanos, std::int32_t>> releases_of(
      const std::vector<std::pair<Nanos, std::int32_t>>& by_end) const {
    std::vector<std::pair<Nanos, std::int32_t>> releases;
    const auto busy = busy_.intervals();
    std::size_t next = 0;  // the busy stretch behind the gap
    for (std::size_t i = 0; i < by_end.size(); ++i) {
      const Nanos end = by_end[i].first;
      while (next < busy.size() && busy[next].begin + kSameMomentNs < end) ++next;
      const bool in_gap = next == 0 || busy[next - 1].end <= end;
      const bool is_last =
          i + 1 == by_end.size() || (next < busy.size() && by_end[i + 1].first > busy[next].begin + kSameMomentNs);
      if (in_gap && is_last) releases.push_back(by_end[i]);
    }
    return releases;
  }

  /// When all that was issued before the collective was done, and the collective itself was issued.
  Nanos ready_time(const Activity& activity, const std::vector<Nanos>& ends) const {
    Nanos ready = kMinNanos;
    if (activity.has_launch) {
      ready = std::min(activity.launched, activity.start);
      auto at = std::ranges::lower_bound(compute_, activity.launched, {}, [](const Activity& a) { return a.launched; });
      for (std::size_t looked = 0; looked < kLookBack && at != compute_.begin(); ++looked) {
        --at;
        if (at->end <= saturating_add(activity.start, kSameMomentNs)) ready = std::max(ready, at->end);
      }
    } else {
      const auto at = std::ranges::upper_bound(ends, saturating_add(activity.start, kSameMomentNs));
      if (at != ends.begin()) ready = *(at - 1);
    }
    return std::min(ready, activity.start);
  }

  Result<void> add_kernels(unsigned threads) {
    ArgumentColumns::GpuPtr said;
    if (trace_.sources()[source_.value].bytes && !compute_.empty()) {
      auto column = argument_columns(trace_).gpu(trace_, source_, threads);
      if (!column) return tl::make_unexpected(column.error());
      said = *column;
    }
    std::vector<std::uint32_t> shape_numbers(said ? said->entries.size() : 1, 0);
    for (std::size_t i = 1; i < shape_numbers.size(); ++i) shape_numbers[i] = texts_.add(shape_text(said->entries[i]));
    std::map<std::tuple<std::int32_t, std::uint32_t, std::uint32_t>, KernelUse> uses;  // step, StringId, shape
    for (const Activity& a : compute_) {
      const std::uint32_t shape = said ? shape_numbers[said->id(a.slice)] : 0;
      const std::int32_t step = step_of_launch(a.launched);
      const StringId name = trace_.lane(a.slice).name(a.slice.index);
      KernelUse& use = uses[{step, name.value, shape}];
      ++use.count;
      const Nanos duration = saturating_sub(a.end, a.start);
      use.total = saturating_add(use.total, duration);
      if (duration >= use.longest) std::tie(use.longest, use.longest_start) = std::pair(duration, a.start);
    }
    for (auto& [key, use] : uses) {
      use.step = std::get<0>(key);
      use.name = texts_.add(trace_.text(StringId{std::get<1>(key)}));
      use.shape = std::get<2>(key);
      facts_.kernels.push_back(use);
    }
    for (RankStep& step : facts_.steps) step.compute = busy_.covered({step.start, step.end});
    return {};
  }

  /// Of the threads that issue the rank's work: another that waits for a core holds nobody up.
  void add_preemption() {
    if (step_track_.valid()) issuing_.insert(step_track_.value);
    std::set<std::pair<std::uint32_t, std::string>> threads;  // process, tid
    for (const std::uint32_t t : issuing_) {
      const Track& thread = trace_.track(TrackId{t});
      threads.emplace(thread.process.value, std::string(trace_.text(thread.tid)));
    }
    std::vector<TimeSpan> spans;
    for (std::size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track* track = track_of_source(t);
      if (track == nullptr || track->kind != TrackKind::kThreadStates ||
          !threads.contains({track->process.value, std::to_string(thread_of_sampled(trace_.text(track->tid)))}))
        continue;
      for (std::uint32_t k = 0; k < track->lane_count; ++k) {
        const Lane& lane = trace_.lane(LaneId{track->first_lane.value + k});
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          if (trace_.text(lane.name(i)).starts_with(kPreemptedState)) spans.push_back(lane.span(i));
      }
    }
    const IntervalSet preempted(std::move(spans));
    for (RankStep& step : facts_.steps)
      for (auto span = std::ranges::upper_bound(preempted.intervals(), step.start, {}, &TimeSpan::end);
           span != preempted.intervals().end() && span->begin < step.end; ++span) {
        const TimeSpan inside = span->intersect({step.start, step.end});
        step.preempted = saturating_add(step.preempted, inside.duration());
        if (inside.duration() <= step.longest_preempted) continue;
        step.longest_preempted = inside.duration();
        step.longest_preempted_start = inside.begin;
      }
  }

  /// Of the same threads.
  void add_waits() {
    using enum ProgramKind;
    std::map<std::uint32_t, std::set<std::string>> threads;  // by process, tids
    for (const std::uint32_t t : issuing_) {
      const Track& thread = trace_.track(TrackId{t});
      threads[thread.process.value].emplace(trace_.text(thread.tid));
    }
    TimeSpan all = TimeSpan::nothing();
    for (const RankStep& step : facts_.steps) all = all.unite({step.start, step.end});
    std::vector<ProgramThread> seen;
    for (const auto& [process, tids] : threads)
      for (ProgramThread& thread : threads_from_outside(trace_, ProcessId{process}, all))
        if (tids.contains(std::to_string(thread.tid))) seen.push_back(std::move(thread));
    for (RankStep& step : facts_.steps) {
      const TimeSpan within{step.start, step.end};
      std::vector<TimeSpan> spans;
      PlaceSums places(trace_);
      for (const ProgramThread& thread : seen) {
        const std::vector<TimeSpan> its = thread.when({kFiles, kNetwork, kSleep, kChild, kDevice}, within);
        const auto& parts = thread.seen.parts;
        const auto first =
            std::ranges::upper_bound(parts, within.begin, {}, [](const SampledPart& p) { return p.span.end; });
        const auto last = std::ranges::lower_bound(first, parts.end(), within.end, {},
                                                   [](const SampledPart& p) { return p.span.begin; });
        places.add_own({first, last}, its);
        spans.insert(spans.end(), its.begin(), its.end());
      }
      const IntervalSet waited(std::move(spans));
      for (const TimeSpan& span : waited.intervals()) {
        step.waited = saturating_add(step.waited, span.duration());
        if (span.duration() <= step.longest_waited) continue;
        step.longest_waited = span.duration();
        step.longest_waited_start = span.begin;
      }
      if (const std::vector<SeenPlace> rows = places.rows(); !rows.empty())
        step.waited_in = texts_.add(path_of_place(trace_, rows.front()));
    }
  }

  /// A counter of the SM clock, where a recorder wrote one ("SM clock MHz"). A recording may have those of all GPUs of
  /// a machine: the rank's own is marked with it, else it is that of the device that its kernels ran on.
  void add_clock() {
    std::map<std::uint64_t, const Track*> clocks;  // by the number of their process, which goes by that of the GPU
    for (std::size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track* track = track_of_source(t);
      if (track == nullptr || track->kind != TrackKind::kCounter) continue;
      const std::string name = to_lower(trace_.text(track->name));
      if (name.find("sm clock") == std::string::npos && name.find("sm_clock") == std::string::npos &&
          name.find("clocks.sm") == std::string::npos && name.find("graphics clock") == std::string::npos)
        continue;
      const Process& process = trace_.process(track->process);
      if (process.rank.has_value()) {
        clocks = {{0, track}};
        break;
      }
      clocks.emplace(number_of(trace_.text(process.pid)).value_or(track->id.value), track);
    }
    if (clocks.empty()) return;
    auto own = clocks.begin();
    if (const std::optional<std::uint64_t> device = device_of_kernels(); device && *device < clocks.size())
      std::advance(own, static_cast<std::ptrdiff_t>(*device));
    const ClockTracks tracks = clock_tracks(*own->second);
    for (RankStep& step : facts_.steps) {
      step.clock_mhz = mean_value(own->second->counter, {step.start, step.end});
      find_lowest_clock(tracks, step);
    }
  }

  /// Between the name of a counter and that of one of its series.
  static constexpr std::string_view kSeriesBehind = " \xC2\xB7 ";
  /// What stands beside a clock in its process.
  struct ClockTracks {
    const CounterSeries* clock = nullptr;
    const CounterSeries* busy = nullptr;
    std::vector<std::pair<std::string_view, const CounterSeries*>> reasons;
  };
  ClockTracks clock_tracks(const Track& clock) const {
    ClockTracks found{&clock.counter, nullptr, {}};
    for (const TrackId id : trace_.process(clock.process).tracks) {
      const Track& track = trace_.track(id);
      if (track.kind != TrackKind::kCounter) continue;
      std::string_view title = trace_.text(track.name);
      if (title.starts_with(kGpuBusyCounter)) found.busy = &track.counter;
      if (!title.starts_with(kThrottledCounter)) continue;
      title.remove_prefix(std::string_view(kThrottledCounter).size());
      if (title.starts_with(kSeriesBehind)) title.remove_prefix(kSeriesBehind.size());
      if (!title.empty()) found.reasons.emplace_back(title, &track.counter);
    }
    return found;
  }

  void find_lowest_clock(const ClockTracks& tracks, RankStep& step) {
    constexpr double kAtWorkPercent = 50;
    const CounterSeries& clock = *tracks.clock;
    auto at = static_cast<std::size_t>(std::ranges::upper_bound(clock.times, step.start) - clock.times.begin());
    if (at > 0) --at;
    TimeSpan lowest;
    std::size_t found = 0;
    for (; at < clock.times.size() && clock.times[at] < step.end; ++at) {
      const Nanos until = at + 1 < clock.times.size() ? clock.times[at + 1] : step.end;
      const TimeSpan span = TimeSpan{clock.times[at], until}.intersect({step.start, step.end});
      const bool is_at_work = tracks.busy == nullptr || mean_value(*tracks.busy, span) >= kAtWorkPercent;
      if (span.empty() || !is_at_work || (step.lowest_clock_mhz > 0 && clock.values[at] >= step.lowest_clock_mhz))
        continue;
      step.lowest_clock_mhz = clock.values[at];
      lowest = span;
      found = at;
    }
    if (step.lowest_clock_mhz <= 0) return;
    // It may have fallen before the step, and is told again and again.
    constexpr double kAsLow = 1.02;
    while (found > 0 && clock.values[found - 1] <= step.lowest_clock_mhz * kAsLow) --found;
    step.lowest_clock_start = clock.times[found];
    std::string reasons;
    for (const auto& [name, series] : tracks.reasons)
      if (mean_value(*series, lowest) > 0) reasons += (reasons.empty() ? "" : ", ") + std::string(name);
    step.clock_reason = texts_.add(reasons);
  }

  static std::optional<std::uint64_t> number_of(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
  }

  /// That of the first: a rank has one GPU.
  std::optional<std::uint64_t> device_of_kernels() const {
    for (const auto* activities : {&compute_, &communication_})
      if (!activities->empty()) return number_of(trace_.text(trace_.track_of(activities->front().slice).device));
    return std::nullopt;
  }

  /// Mean over the time, in which a value holds until the next; 0 where there is none.
  static double mean_value(const CounterSeries& counter, TimeSpan span) {
    auto at = static_cast<std::size_t>(std::ranges::upper_bound(counter.times, span.begin) - counter.times.begin());
    if (at > 0) --at;
    double sum = 0;
    Nanos known = 0;
    for (; at < counter.times.size() && counter.times[at] < span.end; ++at) {
      const Nanos until = at + 1 < counter.times.size() ? counter.times[at + 1] : span.end;
      const Nanos time = TimeSpan{counter.times[at], until}.intersect(span).duration();
      sum += counter.values[at] * static_cast<double>(time);
      known += time;
    }
    return known > 0 ? sum / static_cast<double>(known) : 0;
  }

  void shift_to_epoch() {
    const TraceSource& source = trace_.sources()[source_.value];
    Nanos shift = -source.shift_ns;
    if (source.has_base_time && whole_.begin < kAbsoluteTimesNs) shift = saturating_add(shift, source.base_time_ns);
    facts_.epoch = shift;
    const auto move = [&](Nanos& t) { t = saturating_add(t, shift); };
    for (RankStep& step : facts_.steps) {
      move(step.start);
      move(step.end);
      if (step.lowest_clock_mhz > 0) move(step.lowest_clock_start);
      if (step.longest_preempted != 0) move(step.longest_preempted_start);
      if (step.longest_waited != 0) move(step.longest_waited_start);
      for (IdleUse& use : step.idle)
        if (use.total != 0) move(use.longest_start);
    }
    for (CollectivePart& part : facts_.collectives) {
      move(part.start);
      move(part.end);
    }
    for (KernelUse& use : facts_.kernels) move(use.longest_start);
  }

  const Trace& trace_;
  const SourceId source_;
  JobRank facts_;
  FactTexts texts_;
  NameMemo is_communication_;
  bool has_gpu_ = false;
  Nanos begin_ = 0;  // of the record
  TimeSpan whole_;
  TrackId step_track_;
  std::vector<Nanos> step_begins_;   // of the annotations of facts_.steps
  std::set<std::uint32_t> issuing_;  // TrackIds of threads that launch kernels
  std::vector<Activity> communication_;
  std::vector<Activity> compute_;
  IntervalSet busy_;  // with compute kernels
};

}  // namespace

Result<std::vector<JobRank>> extract_ranks(const Trace& trace, unsigned threads) {
  const CauseIndex index(trace);
  const std::vector<CausedGaps> devices = diagnose_devices(index, {.threads = threads});
  std::vector<JobRank> ranks;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    if (trace.sources()[s].is_around_ranks) continue;
    Result<JobRank> facts = RankExtractor(trace, SourceId{s}).run(devices, threads);
    if (!facts) return tl::make_unexpected(facts.error());
    if (facts->collectives.empty()) {
      Result<std::vector<JobRank>> named = ranks_by_name(trace, SourceId{s}, threads);
      if (!named) return named;
      if (!named->empty()) {
        std::ranges::move(*named, std::back_inserter(ranks));
        continue;
      }
    }
    ranks.push_back(std::move(*facts));
  }
  return ranks;
}

Result<std::vector<RankCollectives>> extract_collectives(const Trace& trace) {
  std::vector<RankCollectives> ranks;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    if (trace.sources()[s].is_around_ranks) continue;
    Result<RankCollectives> found = RankExtractor(trace, SourceId{s}).collectives();
    if (!found) return tl::make_unexpected(found.error());
    ranks.push_back(std::move(*found));
  }
  return ranks;
}

}  // namespace lacuna
