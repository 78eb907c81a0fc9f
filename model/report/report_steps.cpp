#include "model/report/report_steps.h"

#include <algorithm>

#include "model/causes/known_names.h"
#include "model/statistics/statistics.h"
#include "model/steps/steps.h"

namespace lacuna {
namespace {

/// What makes up the window of a file without steps.
bool is_work(CategoryClass c) {
  return c == CategoryClass::kCpuOperator || c == CategoryClass::kRuntime || c == CategoryClass::kCpuAnnotation ||
         is_gpu_activity(c);
}

template <class Counts>
TimeSpan span_of(const Trace& trace, SourceId source, Counts&& is_counted) {
  TimeSpan window = TimeSpan::nothing();
  for (const Track& track : trace.tracks()) {
    if (trace.process(track.process).source != source) continue;
    if (track.kind != TrackKind::kThread && track.kind != TrackKind::kGpuStream) continue;
    for (const Lane& lane : trace.lanes_of(track)) {
      const auto counts = [&](std::uint32_t i) { return is_counted(lane.category(i)); };
      std::uint32_t first = 0, last = lane.size();
      while (first < last && !counts(first)) ++first;
      while (last > first && !counts(last - 1)) --last;
      if (first < last) window = window.unite({lane.start(first), lane.end(last - 1)});
    }
  }
  return window;
}

TimeSpan span_of_work(const Trace& trace, SourceId source) {
  const TimeSpan work = span_of(trace, source, [&](CategoryId c) { return is_work(trace.category_class(c)); });
  if (work.begin <= work.end) return work;
  return span_of(trace, source, [&](CategoryId c) { return !is_recording(trace, c); });
}

void mark_warm_up(ReportSteps& result) {
  std::vector<ReportStep>& steps = result.steps;
  while (result.warm_up_count + kWarmUpRest < steps.size()) {
    ReportStep& step = steps[result.warm_up_count];
    std::vector<Nanos> rest;
    for (std::size_t s = result.warm_up_count + 1; s < steps.size(); ++s) rest.push_back(steps[s].span.duration());
    const Nanos median = lower_median(std::move(rest));
    if (static_cast<double>(step.span.duration()) <= kWarmUpFactor * static_cast<double>(median)) break;
    step.is_warm_up = true;
    step.rest_median = median;
    ++result.warm_up_count;
  }
}

}  // namespace

Nanos lower_median(std::vector<Nanos> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

Nanos ReportSteps::median() const {
  std::vector<Nanos> measured;
  for (std::size_t s = warm_up_count; s < steps.size(); ++s) measured.push_back(steps[s].span.duration());
  return lower_median(std::move(measured));
}

ReportSteps find_report_steps(const Trace& trace, SourceId source) {
  ReportSteps result;
  result.source = source;
  for (const StepMark& mark : find_step_marks(trace, source))
    result.steps.push_back({mark.slice, mark.name, mark.span, false, 0});
  mark_warm_up(result);
  if (!result.has_steps()) {
    result.window = span_of_work(trace, source);
  } else {
    for (std::size_t s = result.warm_up_count; s < result.steps.size(); ++s)
      result.window = result.window.unite(result.steps[s].span);
  }
  return result;
}

}  // namespace lacuna
