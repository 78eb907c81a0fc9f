#include "model/report/cpu_use.h"

#include <algorithm>
#include <utility>

namespace lacuna {

std::string_view cpu_kind_name(CpuKind kind) {
  constexpr std::array<std::string_view, kCpuKindCount> kNames{"waiting for data", "operators",         "collectives",
                                                               "waiting",          "outside of steps",  "Python",
                                                               "long gaps",        "ranges and frames", "unrecorded"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view cpu_kind_key(CpuKind kind) {
  constexpr std::array<std::string_view, kCpuKindCount> kKeys{"dataLoading", "operators",    "collectives",
                                                              "waiting",     "outsideSteps", "python",
                                                              "longGaps",    "ranges",       "unrecorded"};
  return kKeys[static_cast<std::size_t>(kind)];
}

std::string_view cpu_kind_definition(CpuKind kind) {
  return kCpuKindDefinitions[static_cast<std::size_t>(kind)];
}

CpuUseIndex::CpuUseIndex(Spans spans, TimeSpan whole) {
  const auto set = [&](CpuKind kind) -> IntervalSet& { return sets_[static_cast<std::size_t>(kind)]; };
  const bool has_operators = !spans.operators.empty();
  // Each kind takes what those before it left.
  IntervalSet left(std::vector<TimeSpan>{whole});
  const auto take = [&](CpuKind kind, std::vector<TimeSpan>&& from) {
    const IntervalSet all(std::move(from));
    set(kind) = common(all, left);
    left = difference(left, all);
  };
  take(CpuKind::kDataLoading, std::move(spans.data_loading));
  take(CpuKind::kOperators, std::move(spans.operators));
  take(CpuKind::kCollectives, std::move(spans.collectives));
  const IntervalSet steps(std::move(spans.steps));
  gaps_ = steps.empty() ? left : common(left, steps);
  take(CpuKind::kWaiting, std::move(spans.waiting));
  if (!steps.empty()) {
    const IntervalSet outside = difference(IntervalSet(std::vector<TimeSpan>{whole}), steps);
    take(CpuKind::kOutsideSteps, {outside.intervals().begin(), outside.intervals().end()});
  }
  if (!has_operators) {
    take(CpuKind::kRanges, std::move(spans.ranges));
    set(CpuKind::kUnrecorded) = std::move(left);
    return;
  }
  std::vector<TimeSpan> long_gaps;
  for (const TimeSpan gap : gaps_.intervals())
    if (gap.duration() >= kLongGapNs) long_gaps.push_back(gap);
  take(CpuKind::kLongGaps, std::move(long_gaps));
  set(CpuKind::kPython) = std::move(left);
}

CpuUse CpuUseIndex::over(TimeSpan span) const {
  CpuUse use;
  use.wall = span.duration();
  for (std::size_t k = 0; k < kCpuKindCount; ++k) use.by_kind[k] = sets_[k].covered(span);
  return use;
}

}  // namespace lacuna
