#include "app/gui/models/units/time_units.h"

#include <algorithm>

#include <fmt/format.h>

namespace lacuna {
namespace {

constexpr Nanos kDayNs = Nanos{86'400} * 1'000'000'000;

/// What must be added to a time of the trace to get a Unix time; nothing when no file says.
bool unix_offset(const Trace& trace, Nanos& offset) {
  for (const TraceSource& source : trace.sources()) {
    if (!source.has_base_time) continue;
    offset = saturating_sub(source.base_time_ns, source.shift_ns);
    return true;
  }
  return false;
}

}  // namespace

TimeAxis axis_for(const Trace& trace, TimeUnit unit, Nanos marker) {
  const Nanos start = trace.span().empty() ? 0 : trace.span().begin;
  switch (unit) {
    case TimeUnit::kMarker:
      return {marker, false};
    case TimeUnit::kAbsolute: {
      Nanos offset = 0;
      if (!unix_offset(trace, offset)) {
        const Nanos shift = trace.sources().empty() ? 0 : trace.sources().front().shift_ns;
        return {shift, false};
      }
      const Nanos first = saturating_add(start, offset);
      Nanos into_day = first % kDayNs;
      if (into_day < 0) into_day += kDayNs;
      return {saturating_sub(start, into_day), true};
    }
    case TimeUnit::kStart:
    case TimeUnit::kSteps:
      break;
  }
  return {start, false};
}

std::string time_in_unit(const TimeAxis& axis, TimeUnit unit, const std::vector<Step>& steps, Nanos t,
                         Nanos resolution) {
  if (unit != TimeUnit::kSteps || steps.empty()) return format_time(axis, t, resolution);
  const auto distance = [&](Nanos ns) {
    std::string text;
    append_offset(text, ns, resolution);
    return text;
  };
  const Step* before = nullptr;
  const Step* after = nullptr;
  for (const Step& step : steps) {
    if (step.span.begin <= t && (before == nullptr || step.span.begin >= before->span.begin)) before = &step;
    if (step.span.begin > t && (after == nullptr || step.span.begin < after->span.begin)) after = &step;
  }
  if (before == nullptr)
    return fmt::format("step {} \xE2\x88\x92 {}", after->number, distance(saturating_sub(after->span.begin, t)));
  const Nanos into = saturating_sub(t, before->span.begin);
  return into == 0 ? fmt::format("step {}", before->number)
                   : fmt::format("step {} + {}", before->number, distance(into));
}

}  // namespace lacuna
