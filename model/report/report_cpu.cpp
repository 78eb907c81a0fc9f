#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "model/base/quantiles.h"
#include "model/base/stable_sort.h"
#include "model/causes/known_names.h"
#include "model/report/cpu_report.h"
#include "model/report/report_parts.h"
#include "model/statistics/statistics.h"
#include "model/threads/program_threads.h"
#include "model/threads/thread_from_outside.h"
#include "model/trace/sampled_tracks.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

constexpr Nanos kPlacedPart = 5;  // stretches of a fifth of the time between two samples are given a place

/// What the names of the trace say; asked once a name.
struct CpuNames {
  CpuNames(const StringPool& strings, const MeasuredSteps& steps)
      : annotation(strings, is_annotation_name),
        is_of_steps(strings.size(), false),
        data(strings, is_data_loading),
        collective(strings, is_host_communication),
        frame_of_c(strings, is_builtin_frame),
        matrix(strings, is_matrix_operator),
        copy(strings, is_copy_operator),
        waits(strings, [](std::string_view name) { return !waiting_call(name).empty(); }),
        workers(strings, [](std::string_view name) {
          return name.find("_MultiProcessing") != name.npos || name.find("_get_data") != name.npos;
        }) {
    for (const MeasuredStep& step : steps.steps) is_of_steps[step.name.value] = true;
    for (const StringId stub : steps.stubs) is_of_steps[stub.value] = true;
  }
  bool step(StringId name) const { return is_of_steps[name.value]; }
  NameMemo annotation;
  std::vector<bool> is_of_steps;
  NameMemo data, collective, frame_of_c, matrix, copy, waits, workers;
};

/// Time of one innermost slice without its children.
struct OwnTime {
  TimeSpan span;
  SliceId slice;
  SliceId frame;           ///< the frame or range that it counts for; invalid: none
  std::uint32_t nest = 0;  ///< of its row: slices that cross others lie in later ones
  bool is_sampled = false;
};

/// Reads the threads of one process.
class CpuThreadReader {
 public:
  CpuThreadReader(const Trace& trace, TimeSpan window, CpuNames& names, CpuReport& report)
      : trace_(trace), window_(window), names_(names), report_(report) {}

  void read(const Track& track, bool is_leading) {
    std::vector<TimeSpan> of_operators;
    is_leading_ = is_leading;
    above_ = {};
    for (std::uint32_t k = 0; k < track.lane_count; ++k) read_lane(LaneId{track.first_lane.value + k}, of_operators);
    close_lane();
    if (!of_operators.empty()) {
      all.operators.insert(all.operators.end(), of_operators.begin(), of_operators.end());
      IntervalSet set(std::move(of_operators));
      const Nanos time = set.covered(window_);
      if (time > 0) {
        report_.threads.push_back({track.id, time});
        operators_of.push_back(std::move(set));
      }
    }
  }

  CpuUseIndex::Spans all;
  std::vector<TimeSpan> data_from_workers;
  std::vector<IntervalSet> operators_of;  ///< as report.threads
  std::vector<OwnTime> own;               ///< of the leading thread: frames and ranges

 private:
  struct LaneAbove {
    LaneId id;
    std::vector<Nanos> child_end;  ///< by slice: up to where its own time is known
    std::vector<Nanos> own;        ///< … in the window, of operators
    std::vector<SliceId> frame;    ///< what its own time counts for
  };

  bool is_operator(const Lane& lane, std::uint32_t i) {
    return trace_.category_class(lane.category(i)) == CategoryClass::kCpuOperator && !names_.annotation(lane.name(i)) &&
           !names_.collective(lane.name(i));
  }
  static void keep_longest(const Trace& trace, SliceId slice, SliceId& longest) {
    if (!longest.valid() || trace.span(slice).duration() > trace.span(longest).duration()) longest = slice;
  }

  void read_lane(LaneId id, std::vector<TimeSpan>& of_operators) {
    const Lane& lane = trace_.lane(id);
    const bool has_above = lane.depth > 0 && above_.id.valid();
    if (!has_above) close_lane();
    LaneAbove current{id, {lane.starts().begin(), lane.starts().end()}, {}, {}};
    current.own.reserve(lane.size());
    current.frame.reserve(lane.size());
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const std::uint32_t parent = has_above ? lane.parent(i) : Lane::kNoParent;
      const Nanos inside = lane.span(i).intersect(window_).duration();
      if (parent != Lane::kNoParent) {
        if (is_leading_) add_own(parent, lane.start(i));
        Nanos& known = above_.child_end[parent];
        known = std::max(known, lane.end(i));
        above_.own[parent] -= inside;
      }
      current.own.push_back(inside);
      current.frame.push_back(frame_of(id, lane, i, parent));
      sort_in(id, lane, i, parent, of_operators);
    }
    if (has_above) close_lane();
    above_ = std::move(current);
  }

  /// What the own time of this slice counts for.
  SliceId frame_of(LaneId id, const Lane& lane, std::uint32_t i, std::uint32_t parent) {
    const CategoryClass c = trace_.category_class(lane.category(i));
    const bool is_frame = c == CategoryClass::kPythonFunction && !names_.frame_of_c(lane.name(i));
    if (is_frame || (c == CategoryClass::kCpuAnnotation && !names_.step(lane.name(i)))) return {id, i};
    return parent == Lane::kNoParent ? SliceId{} : above_.frame[parent];
  }

  void sort_in(LaneId id, const Lane& lane, std::uint32_t i, std::uint32_t parent,
               std::vector<TimeSpan>& of_operators) {
    const StringId name = lane.name(i);
    const CategoryClass c = trace_.category_class(lane.category(i));
    const TimeSpan span = lane.span(i);
    const bool is_inside = !span.intersect(window_).empty();
    if (c == CategoryClass::kCpuOperator || c == CategoryClass::kCpuAnnotation || c == CategoryClass::kPythonFunction) {
      if (names_.data(name)) {
        all.data_loading.push_back(span);
        if (names_.workers(name)) data_from_workers.push_back(span);
        if (is_inside) keep_longest(trace_, {id, i}, report_.longest_data);
      }
      if (names_.collective(name)) {
        all.collectives.push_back(span);
        if (is_inside) keep_longest(trace_, {id, i}, report_.longest_collective);
      }
    }
    if (is_leading_ &&
        (c == CategoryClass::kPythonFunction || (c == CategoryClass::kCpuAnnotation && !names_.step(name))))
      all.ranges.push_back(span);
    if (!is_operator(lane, i)) return;
    if (parent == Lane::kNoParent || !is_operator(trace_.lane(above_.id), parent)) of_operators.push_back(span);
    if (!is_inside) return;
    ++report_.calls;
    if (names_.matrix(name)) keep_longest(trace_, {id, i}, report_.longest_matrix);
    if (names_.copy(name)) keep_longest(trace_, {id, i}, report_.longest_copy);
  }

  /// The parent's own time up to `to`, where a child begins.
  void add_own(std::uint32_t parent, Nanos to) {
    const TimeSpan span = TimeSpan{above_.child_end[parent], to};
    if (span.empty()) return;
    const SliceId slice{above_.id, parent};
    const CategoryClass c = trace_.category_class(slice);
    if (c == CategoryClass::kCpuAnnotation || c == CategoryClass::kPythonFunction)
      own.push_back({span, slice, above_.frame[parent], trace_.lane(above_.id).nest});
  }

  /// Its slices have all their children.
  void close_lane() {
    if (!above_.id.valid()) return;
    const Lane& lane = trace_.lane(above_.id);
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (is_leading_) add_own(i, lane.end(i));
      if (is_operator(lane, i) && !lane.span(i).intersect(window_).empty()) add_operator(lane.name(i), above_.own[i]);
    }
    above_ = {};
  }

  void add_operator(StringId name, Nanos time) {
    time = std::max<Nanos>(time, 0);
    report_.own_time = saturating_add(report_.own_time, time);
    if (names_.matrix(name)) report_.matrix += time;
    if (names_.copy(name)) report_.copies += time;
    if (time < kShortCallNs) {
      report_.short_calls += time;
      ++report_.short_count;
    }
  }

  const Trace& trace_;
  const TimeSpan window_;
  CpuNames& names_;
  CpuReport& report_;
  LaneAbove above_;
  bool is_leading_ = false;
};

/// How many threads were in operators at a time.
void count_threads(const std::vector<IntervalSet>& threads, TimeSpan window, CpuReport& report) {
  std::vector<std::pair<Nanos, int>> changes;
  for (const IntervalSet& thread : threads)
    for (const TimeSpan span : thread.intervals()) {
      const TimeSpan inside = span.intersect(window);
      if (inside.empty()) continue;
      changes.emplace_back(inside.begin, 1);
      changes.emplace_back(inside.end, -1);
    }
  std::ranges::sort(changes);
  int now = 0;
  Nanos from = 0;
  for (const auto& [time, change] : changes) {
    if (now >= 1) report.operators_any += time - from;
    if (now >= 2) report.operators_parallel += time - from;
    now += change;
    from = time;
  }
}

void measure_gaps(const CpuUseIndex& index, TimeSpan window, CpuReport& report) {
  std::vector<Nanos> lengths;
  for (const TimeSpan whole : index.gaps()) {
    const TimeSpan gap = whole.intersect(window);
    if (gap.empty()) continue;
    const bool is_long = whole.duration() >= kLongGapNs;
    ++(is_long ? report.long_gaps : report.short_gaps);
    if (!is_long) lengths.push_back(gap.duration());
    TimeSpan& longest = is_long ? report.longest_long_gap : report.longest_short_gap;
    if (gap.duration() > longest.duration()) longest = gap;
  }
  report.median_gap = median_of(std::move(lengths));
}

/// What a sampled frame calls: of the native functions below it the outermost, which does not differ from sample to
/// sample.
SliceId called_by(const Trace& trace, const OwnTime& part) {
  SliceId call = part.slice;
  for (SliceId above = trace.parent(call); above.valid() && above != part.frame; above = trace.parent(above))
    call = above;
  return call;
}

/// Charges what is neither operators, data nor collectives to the frames and ranges of the leading thread.
void charge_frames(const Trace& trace, const std::vector<OwnTime>& own, const CpuUseIndex& index, TimeSpan window,
                   CpuReport& report) {
  using enum CpuKind;
  std::vector<TimeSpan> all;
  for (const CpuKind kind : {kWaiting, kPython, kLongGaps, kRanges, kUnrecorded})
    all.insert(all.end(), index.when(kind).intervals().begin(), index.when(kind).intervals().end());
  IntervalSet left_over(std::move(all));
  std::map<std::tuple<StringId, std::string_view>, CpuFrame> rows;
  std::map<CpuFrame*, Nanos> waited;
  std::uint32_t nests = 0;
  for (const OwnTime& part : own) nests = std::max(nests, part.nest + 1);
  // Where slices cross, each moment counts once, for the first nest that has a name for it.
  for (std::uint32_t nest = 0; nest < nests; ++nest) {
    std::vector<TimeSpan> named;
    for (const OwnTime& part : own) {
      if (part.nest != nest || !part.frame.valid()) continue;
      const TimeSpan span = part.span.intersect(window);
      const Nanos time = left_over.covered(span);
      if (time == 0) continue;
      named.push_back(span);
      const bool is_called = part.is_sampled && part.slice != part.frame;
      const std::string_view call = !part.is_sampled ? waiting_call(trace.name(part.slice))
                                    : is_called      ? sampled_call(trace.name(called_by(trace, part)))
                                                     : std::string_view();
      const StringId name = trace.lane(part.frame).name(part.frame.index);
      CpuFrame& row = rows[{name, call}];
      row.name = name;
      row.call = call;
      row.is_sampled = part.is_sampled;
      waited[&row] += part.is_sampled ? index.when(kWaiting).covered(span) : time;
      row.time += time;
      ++row.places;
      if (span.duration() > row.longest.duration()) {
        row.longest = span;
        row.slice = part.is_sampled ? part.slice : part.frame;
      }
    }
    left_over = difference(left_over, IntervalSet(std::move(named)));
  }
  if (const Nanos left = left_over.covered(window); left > 0) {
    CpuFrame& row = rows[{kEmptyString, {}}];
    row.time = left;
    for (const TimeSpan whole : left_over.intervals()) {
      const TimeSpan span = whole.intersect(window);
      if (span.empty()) continue;
      ++row.places;
      if (span.duration() > row.longest.duration()) row.longest = span;
    }
  }
  for (auto& [key, row] : rows) {
    row.waits = !row.call.empty() && waited[&row] * 2 >= row.time;
    report.frames.push_back(std::move(row));
  }
  sort_stably(report.frames, std::ranges::greater{}, &CpuFrame::time);
}

/// What was seen of the leading thread from outside tells where it was and whether it waited, where nothing recorded in
/// the process does.
void add_what_was_seen(const Trace& trace, const ThreadFromOutside& seen, CpuUseIndex::Spans& all,
                       std::vector<OwnTime>& own) {
  std::vector<TimeSpan> waiting;
  for (const ThreadFromOutside::State& state : seen.states)
    if (is_waiting_state(trace.text(state.name))) waiting.push_back(state.span);
  IntervalSet waits(std::move(waiting));
  if (!all.steps.empty())  // what lies outside of them is no part of the verdict
    waits = common(waits, IntervalSet(std::vector<TimeSpan>(all.steps)));
  all.waiting.insert(all.waiting.end(), waits.intervals().begin(), waits.intervals().end());
  std::uint32_t nest = 0;  // behind all that was recorded
  for (const OwnTime& part : own) nest = std::max(nest, part.nest + 1);
  for (const SampledPart& part : seen.parts) own.push_back({part.span, part.innermost, part.frame, nest, true});
}

void measure_states(const Trace& trace, const ThreadFromOutside& seen, const CpuUseIndex& index, TimeSpan window,
                    CpuReport& report) {
  report.has_states = seen.has_states();
  report.has_stacks = seen.has_stacks();
  std::map<StringId, Nanos> by_state;
  for (const ThreadFromOutside::State& state : seen.states) {
    const TimeSpan span = state.span.intersect(window);
    const std::string_view name = trace.text(state.name);
    if (name == kPreemptedState) report.preempted_in_gaps += index.when(CpuKind::kLongGaps).covered(span);
    if (is_waiting_state(name)) by_state[state.name] += index.when(CpuKind::kWaiting).covered(span);
  }
  for (const auto& [state, time] : by_state) {
    if (time <= report.most_waited_time) continue;
    report.most_waited = state;
    report.most_waited_time = time;
  }
}

/// What the other threads and processes of the program did.
void look_at_others(const Trace& trace, const ThreadFromOutside& seen, const CpuUseIndex& index, SourceId source,
                    TimeSpan window, CpuReport& report) {
  const std::vector<ProgramThread> threads = threads_from_outside(trace, report.process, window);
  for (const ProgramThread& thread : threads) {
    report.all_running += thread.at(ProgramKind::kRunning);
    report.all_preempted += thread.at(ProgramKind::kPreempted);
    report.active_threads += TimeUse::part(thread.active(), window.duration()) >= kActiveShare;
  }
  std::vector<TimeSpan> gil;
  for (const ThreadFromOutside::State& state : seen.states)
    if (trace.text(state.name) == kGilState) gil.push_back(state.span.intersect(window));
  const IntervalSet wants_gil = common(IntervalSet(std::move(gil)), index.when(CpuKind::kWaiting));
  report.gil = wants_gil.covered(window);
  for (const ProgramThread& thread : threads) {  // as with its short waits, of which some were asked about
    if (thread.track != seen.state_track) continue;
    Nanos named = 0;
    for (const TimeSpan span : thread.when({ProgramKind::kGil}, window)) named += span.duration();
    const double more = named == 0 ? 1 : TimeUse::part(thread.at(ProgramKind::kGil), named);
    report.gil = std::min(static_cast<Nanos>(static_cast<double>(report.gil) * more), report.use.at(CpuKind::kWaiting));
  }
  report.gil_holders = doing_meanwhile(trace, threads, wants_gil.intervals(), window);
  const auto places_in = [&](CpuKind kind) {
    PlaceSums sums(trace);
    const IntervalSet spans = common(index.when(kind), IntervalSet({window}));
    // Of what is much shorter than the time between two samples they do not say where it was.
    const auto count = static_cast<Nanos>(std::max<std::size_t>(1, spans.intervals().size()));
    const Nanos period = seen.has_stacks() ? trace.track(seen.stack_track).sample_period : 0;
    if (spans.covered(window) / count * kPlacedPart >= period) sums.add(seen.parts, spans.intervals());
    return sums.rows();
  };
  report.waiting_places = places_in(CpuKind::kWaiting);
  report.gap_places = places_in(CpuKind::kLongGaps);
  report.loading = places_in(CpuKind::kDataLoading);
  const IntervalSet data = common(index.when(CpuKind::kDataLoading), IntervalSet({window}));
  if (!data.empty()) {
    PlaceSums workers(trace);
    for (const Process& process : trace.processes()) {
      if (process.source != source || process.id == report.process) continue;
      add_meanwhile(threads_from_outside(trace, process.id, window), data, window, workers);
    }
    report.workers = workers.rows();
  }
  report.limits = read_machine_limits(trace, source, window);
}

/// Which process the report is about, and its leading thread.
void choose_process(const Trace& trace, const Report& report, CpuNames& names, CpuReport& cpu) {
  if (!report.steps.steps.empty()) {
    cpu.thread = trace.lane(report.steps.steps.front().annotation).track;
  } else {
    // Operators count before ranges, ranges before Python frames.
    std::tuple<Nanos, Nanos, Nanos> most{};
    for (const Track& track : tracks_of(trace, TrackKind::kThread, report.source)) {
      std::vector<TimeSpan> operators, ranges, frames;
      for (const Lane& lane : trace.lanes_of(track))
        for (std::uint32_t i = 0; i < lane.size(); ++i) switch (trace.category_class(lane.category(i))) {
            case CategoryClass::kCpuOperator:
              (names.annotation(lane.name(i)) ? ranges : operators).push_back(lane.span(i));
              break;
            case CategoryClass::kCpuAnnotation:
              ranges.push_back(lane.span(i));
              break;
            case CategoryClass::kPythonFunction:
              frames.push_back(lane.span(i));
              break;
            default:
              break;
          }
      const auto time = [&](std::vector<TimeSpan>& spans) {
        return IntervalSet(std::move(spans)).covered(report.window);
      };
      const std::tuple<Nanos, Nanos, Nanos> mine{time(operators), time(ranges), time(frames)};
      if (mine > most) {
        most = mine;
        cpu.thread = track.id;
      }
    }
    if (!cpu.thread.valid()) return;
  }
  cpu.process = trace.track(cpu.thread).process;
  cpu.is_known = true;
}

/// Has operators, ranges or frames in the window; not a row of the recording itself.
bool does_work(const Trace& trace, const Process& process, TimeSpan window) {
  return std::ranges::any_of(process.tracks, [&](TrackId id) {
    const Track& track = trace.track(id);
    if (track.kind != TrackKind::kThread || track.slice_count == 0 || !track.span.overlaps(window)) return false;
    return std::ranges::any_of(trace.lanes_of(track), [&](const Lane& lane) {
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const CategoryClass c = trace.category_class(lane.category(i));
        if (c == CategoryClass::kCpuOperator || c == CategoryClass::kCpuAnnotation ||
            c == CategoryClass::kPythonFunction)
          return true;
      }
      return false;
    });
  });
}

bool has_gpu_activity(const Trace& trace, SourceId source) {
  return std::ranges::any_of(trace.tracks(), [&](const Track& track) {
    return track.kind == TrackKind::kGpuStream && track.slice_count > 0 &&
           trace.process(track.process).source == source;
  });
}

}  // namespace

void choose_cpu_process(const Trace& trace, Report& report) {
  if (has_gpu_activity(trace, report.source)) return;
  CpuNames names(trace.strings(), report.steps);
  choose_process(trace, report, names, report.cpu);
}

void report_cpu(const Trace& trace, Report& report) {
  CpuReport& cpu = report.cpu;
  if (!cpu.is_known) return;
  CpuNames names(trace.strings(), report.steps);
  const TimeSpan window = report.window;
  TimeSpan whole = window;
  for (const StepReport& step : report.by_step) whole = whole.unite(step.step.span);

  CpuThreadReader reader(trace, window, names, cpu);
  for (const Track& track : tracks_of(trace, TrackKind::kThread)) {
    if (track.slice_count == 0 || !track.span.overlaps(window)) continue;
    if (track.process == cpu.process) {
      ++cpu.thread_count;
      reader.read(track, track.id == cpu.thread);
    }
  }
  for (const Process& process : trace.processes())
    if (process.source == report.source && process.id != cpu.process)
      cpu.other_processes += does_work(trace, process, window);
  for (const OwnTime& part : reader.own)
    if (names.waits(trace.lane(part.slice).name(part.slice.index))) reader.all.waiting.push_back(part.span);
  const IntervalSet data(reader.all.data_loading);
  for (const TimeSpan wait : data.intervals()) cpu.data_waits += wait.overlaps(window);
  cpu.data_from_workers = IntervalSet(std::move(reader.data_from_workers)).covered(window);

  for (const StepReport& step : report.by_step) reader.all.steps.push_back(step.step.span);
  const ThreadFromOutside seen = see_thread_from_outside(trace, cpu.thread);
  add_what_was_seen(trace, seen, reader.all, reader.own);
  const CpuUseIndex index(std::move(reader.all), whole);
  cpu.use = index.over(window);
  for (const StepReport& step : report.by_step) cpu.by_step.push_back(index.over(step.step.span));
  count_threads(reader.operators_of, window, cpu);
  sort_stably(cpu.threads, std::ranges::greater{}, &CpuThread::in_operators);
  measure_gaps(index, window, cpu);
  charge_frames(trace, reader.own, index, window, cpu);
  measure_states(trace, seen, index, window, cpu);
  look_at_others(trace, seen, index, report.source, window, cpu);
}

Bound judge_cpu(const CpuReport& cpu) {
  if (!cpu.is_known || cpu.use.judged() == 0) return Bound::kNoGpu;
  std::size_t most = 0;
  for (std::size_t k = 1; k < kCpuKindCount; ++k)
    if (static_cast<CpuKind>(k) != CpuKind::kOutsideSteps && cpu.use.by_kind[k] > cpu.use.by_kind[most]) most = k;
  if (cpu.use.by_kind[most] * 2 < cpu.use.judged()) return Bound::kCpuMixed;
  switch (static_cast<CpuKind>(most)) {
    case CpuKind::kDataLoading:
      return Bound::kDataLoading;
    case CpuKind::kOperators:
      return Bound::kCpuOperators;
    case CpuKind::kCollectives:
      return Bound::kCommunication;
    case CpuKind::kWaiting:
      return Bound::kCpuWaiting;
    case CpuKind::kOutsideSteps:
      break;  // left out above
    case CpuKind::kPython:
      return Bound::kCpuPython;
    case CpuKind::kLongGaps:
      return Bound::kCpuLongGaps;
    case CpuKind::kRanges:
      return Bound::kCpuRanges;
    case CpuKind::kUnrecorded:
      return Bound::kCpuUnrecorded;
  }
  return Bound::kCpuMixed;
}

}  // namespace lacuna
