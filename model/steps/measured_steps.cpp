#include "model/steps/measured_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "model/base/quantiles.h"
#include "model/causes/interval_set.h"
#include "model/causes/known_names.h"
#include "model/statistics/statistics.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// What makes up the window of a file without steps.
bool is_work(CategoryClass c) {
  return c == CategoryClass::kCpuOperator || c == CategoryClass::kRuntime || c == CategoryClass::kCpuAnnotation ||
         is_gpu_activity(c);
}

template <class Counts>
TimeSpan counted_span(const Trace& trace, const Track& track, Counts&& is_counted) {
  TimeSpan window = TimeSpan::nothing();
  for (const Lane& lane : trace.lanes_of(track)) {
    const auto counts = [&](std::uint32_t i) { return is_counted(lane.category(i)); };
    std::uint32_t first = 0, last = lane.size();
    // Records that were never filled have neither length nor time.
    const bool is_gpu = track.kind == TrackKind::kGpuStream;
    while (first < last && (!counts(first) || (is_gpu && lane.duration(first) == 0))) ++first;
    while (last > first && !counts(last - 1)) --last;
    if (first < last) window = window.unite({lane.start(first), lane.end(last - 1)});
  }
  return window;
}

/// What threads spent in slices of these categories and names.
template <class Counts>
IntervalSet time_in(const Trace& trace, SourceId source, NameMemo::Question question, Counts&& counts) {
  NameMemo is_one(trace.strings(), question);
  std::vector<TimeSpan> spans;
  for (const Track& track : tracks_of(trace, TrackKind::kThread, source)) {
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (counts(trace.category_class(lane.category(i))) && is_one(lane.name(i))) spans.push_back(lane.span(i));
  }
  return IntervalSet(std::move(spans));
}

/// The GPU work of each step: what calls that began inside it launched.
void find_work(const Trace& trace, MeasuredSteps& result) {
  std::vector<MeasuredStep>& steps = result.steps;
  if (steps.empty()) return;
  SliceId last;
  auto owner = steps.end();
  for (const LaunchLink& link : trace.links().launches()) {
    if (link.launch != last) {
      last = link.launch;
      owner = steps.end();
      const Nanos begin = trace.span(link.launch).begin;
      const auto next = std::ranges::upper_bound(steps, begin, {}, [](const MeasuredStep& s) { return s.span.begin; });
      if (next == steps.begin() || !(next - 1)->span.contains(begin)) continue;
      if (trace.process(trace.track_of(link.launch).process).source != result.source) continue;
      owner = next - 1;
      ++owner->launches;
    }
    if (owner != steps.end()) owner->work = owner->work.unite(trace.span(link.activity));
  }
}

void pace(std::vector<MeasuredStep>& steps) {
  Nanos before = kMinNanos;
  for (MeasuredStep& step : steps) {
    const Nanos end = std::max(step.span.end, step.launches > 0 ? step.work.end : kMinNanos);
    step.paced = {std::max(step.span.begin, before), end};
    // The work of an earlier step outlasts this one.
    if (step.paced.empty()) step.paced = step.span;
    before = std::max(before, end);
  }
}

/// Whether anything of the program begins inside the step, on its thread.
bool holds_work(const Trace& trace, const MeasuredStep& step) {
  for (const Lane& lane : trace.lanes_of(trace.track_of(step.annotation)))
    for (std::uint32_t i = lane.first_starting_from(step.span.begin); i < lane.size() && lane.start(i) < step.span.end;
         ++i) {
      const CategoryClass category = trace.category_class(lane.category(i));
      const bool is_operator = category == CategoryClass::kCpuOperator && !is_annotation_name(trace.text(lane.name(i)));
      if (is_operator || category == CategoryClass::kRuntime) return true;
    }
  return false;
}

/// What prof.stop() leaves behind is no step.
void leave_out_stubs(const Trace& trace, MeasuredSteps& result) {
  std::vector<Nanos> lengths;
  for (const MeasuredStep& step : result.steps) lengths.push_back(step.span.duration());
  const auto leave_out = [&](std::size_t s) {
    result.stubs.push_back(result.steps[s].name);
    result.steps.erase(result.steps.begin() + static_cast<std::ptrdiff_t>(s));
  };
  if (const std::size_t last = lengths.size() - 1; lengths.size() > 1 && result.steps[last].launches == 0) {
    lengths.pop_back();
    if (result.steps[last].span.duration() < lower_median(lengths) / kStubShare &&
        !holds_work(trace, result.steps[last]))
      leave_out(last);
  }
  for (std::size_t s = result.steps.size(); s-- > 0;)
    if (result.steps[s].span.empty() && result.steps.size() > 1) leave_out(s);
}

/// In how much of a step some operator, call or GPU activity of the file was going on. O(slices in the step).
Nanos recorded_in(const Trace& trace, SourceId source, TimeSpan step) {
  std::vector<TimeSpan> spans;
  for (const Track& track : trace.tracks()) {
    if (!traits_of(track.kind).is_work) continue;
    if (trace.process(track.process).source != source) continue;
    for (const Lane& lane : trace.lanes_of(track)) {
      std::uint32_t i = lane.first_starting_from(step.begin);
      if (i > 0) --i;  // it may go on
      for (; i < lane.size() && lane.start(i) < step.end; ++i) {
        const CategoryClass category = trace.category_class(lane.category(i));
        const bool counts = category == CategoryClass::kRuntime || is_gpu_activity(category) ||
                            (category == CategoryClass::kCpuOperator && !is_annotation_name(trace.text(lane.name(i))));
        if (const TimeSpan part = lane.span(i).intersect(step); counts && !part.empty()) spans.push_back(part);
      }
    }
  }
  return IntervalSet(std::move(spans)).covered(step);
}

/// How long the steps took, as far as that says whether they are warm-up.
class OwnLengths {
 public:
  OwnLengths(const Trace& trace, const MeasuredSteps& result) : trace_(&trace), source_(result.source) {
    const std::vector<MeasuredStep>& steps = result.steps;
    std::vector<Nanos> rest, waited;
    for (std::size_t s = 1; s < steps.size(); ++s) rest.push_back(steps[s].length());
    const Nanos median = median_of(std::move(rest));
    if (static_cast<double>(steps.front().length()) <= kWarmUpFactor * static_cast<double>(median)) return;
    profiler_ = time_in(trace, result.source, is_profiler_overhead,
                        [](CategoryClass c) { return c == CategoryClass::kOverhead; });
    IntervalSet loading = time_in(trace, result.source, is_data_loading, [](CategoryClass c) {
      return c == CategoryClass::kCpuOperator || c == CategoryClass::kCpuAnnotation ||
             c == CategoryClass::kPythonFunction;
    });
    for (std::size_t s = 1; s < steps.size(); ++s) waited.push_back(loading.covered(steps[s].paced));
    if (lower_median(std::move(waited)) * kLoadingShare >= median) loading_ = std::move(loading);
    std::vector<Nanos> recorded, unrecorded;
    const std::size_t every = (steps.size() + kMostLookedAt - 2) / kMostLookedAt;
    for (std::size_t s = 1; s < steps.size(); s += every) {
      recorded.push_back(recorded_in(trace, source_, steps[s].paced));
      unrecorded.push_back(saturating_sub(steps[s].length(), recorded.back()));
    }
    is_unrecorded_ =
        lower_median(std::move(unrecorded)) * kUnrecordedShare >= median && lower_median(std::move(recorded)) > 0;
  }
  /// What the profiler adds to a step is not the program's. Waiting for data, and what programs do beside operators and
  /// calls, varies from step to step: it is warm-up only where later steps have little of it.
  Nanos operator()(const MeasuredStep& step) const {
    if (is_unrecorded_) return recorded_in(*trace_, source_, step.paced);
    return std::max<Nanos>(0, step.length() - profiler_.covered(step.paced) - loading_.covered(step.paced));
  }

 private:
  static constexpr Nanos kLoadingShare = 10;    // a tenth of a step is waiting for data
  static constexpr Nanos kUnrecordedShare = 2;  // half of a step is in no operator, call or GPU activity
  static constexpr std::size_t kMostLookedAt = 8;
  const Trace* trace_;
  SourceId source_;
  IntervalSet profiler_, loading_;
  bool is_unrecorded_ = false;
};

void mark_warm_up(const Trace& trace, MeasuredSteps& result) {
  std::vector<MeasuredStep>& steps = result.steps;
  const OwnLengths own_length(trace, result);
  std::vector<Nanos> lengths;
  for (const MeasuredStep& step : steps) lengths.push_back(own_length(step));
  while (result.warm_up_count + kWarmUpRest < steps.size()) {
    MeasuredStep& step = steps[result.warm_up_count];
    const Nanos length = lengths[result.warm_up_count];
    std::vector<Nanos> rest(lengths.begin() + static_cast<std::ptrdiff_t>(result.warm_up_count) + 1, lengths.end());
    const auto [least, most] = std::ranges::minmax(rest);
    const Nanos median = median_of(std::move(rest));
    if (static_cast<double>(length) <= kWarmUpFactor * static_cast<double>(median)) break;
    if (length - most < most - least) break;
    step.is_warm_up = true;
    step.rest_median = median;
    ++result.warm_up_count;
  }
  Nanos left_out = 0, measured = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    Nanos& sum = steps[s].is_warm_up ? left_out : measured;
    sum = saturating_add(sum, lengths[s]);
  }
  if (left_out <= measured) return;
  const bool has_gpu_work = std::ranges::any_of(steps, [](const MeasuredStep& step) { return step.launches > 0; });
  if (!has_gpu_work && steps.size() - result.warm_up_count >= kSteadySteps) return;
  result.kept_warm_up = std::exchange(result.warm_up_count, 0);
  for (MeasuredStep& step : steps) step.is_warm_up = false;
}

}  // namespace

Nanos MeasuredSteps::median() const {
  std::vector<Nanos> measured;
  for (std::size_t s = warm_up_count; s < steps.size(); ++s) measured.push_back(steps[s].length());
  return median_of(std::move(measured));
}

std::string MeasuredSteps::window_name(const Trace& trace) const {
  if (!has_steps()) return "the whole recording";
  const std::size_t measured = steps.size() - warm_up_count;
  const std::string last(trace.text(steps.back().name));
  if (measured == 1) return last;
  return fmt::format("{} to {} ({} steps)", trace.text(steps[warm_up_count].name), last, measured);
}

TimeSpan span_of_work(const Trace& trace, const Track& track, bool work_only) {
  if (!traits_of(track.kind).is_work) return TimeSpan::nothing();
  if (work_only) return counted_span(trace, track, [&](CategoryId c) { return is_work(trace.category_class(c)); });
  return counted_span(trace, track, [&](CategoryId c) { return !is_recording(trace, c); });
}

MeasuredSteps find_measured_steps(const Trace& trace, SourceId source, bool leave_out_warm_up) {
  MeasuredSteps result;
  result.source = source;
  for (const StepMark& mark : find_step_marks(trace, source)) {
    MeasuredStep& step = result.steps.emplace_back();
    step.annotation = mark.slice;
    step.name = mark.name;
    step.number = mark.number;
    step.span = mark.span;
    result.from = mark.from;
  }
  if (!result.has_steps()) {
    for (const bool work_only : {true, false}) {
      if (result.window.begin <= result.window.end) break;
      for (const Track& track : trace.tracks())
        if (trace.process(track.process).source == source)
          result.window = result.window.unite(span_of_work(trace, track, work_only));
    }
    return result;
  }
  find_work(trace, result);
  leave_out_stubs(trace, result);
  pace(result.steps);
  if (leave_out_warm_up && result.from != StepsFrom::kEngine) mark_warm_up(trace, result);
  for (std::size_t s = result.warm_up_count; s < result.steps.size(); ++s)
    result.window = result.window.unite(result.steps[s].paced);
  return result;
}

std::vector<Step> find_step_windows(const Trace& trace) {
  std::map<std::int64_t, TimeSpan> spans;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s)
    for (const MeasuredStep& step : find_measured_steps(trace, SourceId{s}, false).steps)
      if (const std::optional<std::int64_t> number = step.number) {
        const auto [it, is_new] = spans.try_emplace(*number, step.paced);
        if (!is_new) it->second = it->second.unite(step.paced);
      }
  std::vector<Step> steps = find_steps(trace);
  for (Step& step : steps)
    if (const auto found = spans.find(step.number); found != spans.end()) step.span = found->second;
  return steps;
}

}  // namespace lacuna
