#include "model/report/brief.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "model/base/stable_sort.h"
#include "model/causes/gap_evidence.h"
#include "model/report/advice.h"
#include "model/report/headline.h"

namespace lacuna {
namespace {

/// A step counts as a place from this part beyond the median on.
constexpr double kLongStep = 1.2;
/// A cause of gaps from this part of the idle time on.
constexpr double kWorthALook = 0.05;
/// What was measured, the verdict and how sure it is; the report has the rest.
constexpr std::size_t kMostSentences = 4;

class BriefPlaces {
 public:
  BriefPlaces(const Trace& trace, const ReportFormat& format, std::vector<Brief::Place>& places)
      : trace_(trace), f_(format), places_(places) {}

  void add(std::string text, TimeSpan span) {
    const bool is_known = std::ranges::any_of(places_, [&](const Brief::Place& place) {
      return place.span.begin == span.begin && place.span.end == span.end;
    });
    if (places_.size() < kMostBriefPlaces && span.end > span.begin && !is_known)
      places_.push_back({std::move(text), span});
  }
  void add(std::string_view what, SliceId slice) {
    if (!slice.valid()) return;
    const TimeSpan span = trace_.span(slice);
    add(fmt::format("{}, {}: {}", what, f_.duration(span.duration()), short_kernel_name(trace_.name(slice))), span);
  }
  void add_gap(const DeviceReport& device, GapCause cause) {
    const Gap& gap = device.longest[static_cast<std::size_t>(cause)];
    if (device.lost(cause) > 0)
      add(fmt::format("the longest gap for {}, {}", cause_name(cause), f_.duration(gap.end - gap.start)),
          {gap.start, gap.end});
  }

 private:
  const Trace& trace_;
  const ReportFormat& f_;
  std::vector<Brief::Place>& places_;
};

void add_brief_levers(const Trace& trace, const Report& report, Brief& brief, BriefPlaces& places) {
  for (const AdviceGiven& given : report.advice) {
    if (given.gain && *given.gain <= 0) continue;
    const AdviceRule& rule = advice_rules()[given.rule];
    brief.levers.push_back({rule.key, std::string(rule.text),
                            given.blamed ? path_of_place(trace, *given.blamed) : std::string(), given.gain,
                            given.replayed});
    if (given.blamed) places.add("the longest stretch in " + brief.levers.back().blamed, given.blamed->longest);
  }
}

}  // namespace

Brief make_brief(const Trace& trace, const Report& report, const ReportFormat& format) {
  Brief brief;
  const Headline headline = make_headline(trace, std::span(&report, 1), format);
  if (!headline.subjects.empty()) brief.answer = headline.subjects[headline.worst].sentence + ".";
  const DeviceReport* worst = nullptr;
  for (const DeviceReport& device : report.devices)
    if (device.device == headline.subjects[headline.worst].device) worst = &device;
  brief.bound = worst == nullptr ? report.bound : worst->verdict.bound;
  std::size_t room = kMostSentences;
  for (const ReportSection& section : describe_report(trace, report, format, 1)) {
    if (section.key != "summary" && section.key != "phases") continue;
    for (const ReportLine& line : section.lines)
      if (brief.summary.size() < room && (line.about == kEmptyString || line.about == worst->device))
        brief.summary.push_back(line.text);
    room = brief.summary.size() + kMostSentences;
  }
  BriefPlaces places(trace, format, brief.places);
  if (worst != nullptr && report.use.wall > 0) {
    brief.confidence = confidence_key(worst->confidence.level);
    if (worst->verdict.cause) places.add_gap(*worst, *worst->verdict.cause);
  }
  add_brief_levers(trace, report, brief, places);
  if (worst != nullptr && !worst->waits.empty())
    places.add(fmt::format("the longest wait of the GPU for {}", trace.text(worst->waits.front().name)),
               worst->waits.front().worst.span);
  if (report.phases.steady) places.add("the steady state of the server", report.phases.steady->window);
  const auto median = static_cast<double>(report.steps.median());
  const StepReport* longest = nullptr;
  for (const StepReport& step : report.by_step)
    if (!step.step.is_warm_up && (longest == nullptr || step.use.wall > longest->use.wall)) longest = &step;
  if (longest != nullptr && static_cast<double>(longest->use.wall) > kLongStep * median)
    places.add(fmt::format("the longest step, {} where the median is {}", format.duration(longest->use.wall),
                           format.duration(report.steps.median())),
               longest->step.span);
  if (!report.kernels.empty())
    places.add("the longest kernel of the name with the most time", report.kernels.front().longest);
  if (worst != nullptr) {
    std::array<GapCause, kGapCauseCount> causes = all_gap_causes();
    sort_stably(causes, std::ranges::greater{}, [&](GapCause cause) { return worst->lost(cause); });
    for (const GapCause cause : causes)
      if (TimeUse::part(worst->lost(cause), worst->idle) >= kWorthALook) places.add_gap(*worst, cause);
  }
  if (report.devices.empty() && !report.operators.empty())
    places.add("the longest call of the operator with the most time", report.operators.front().longest);
  return brief;
}

}  // namespace lacuna
