#include "app/gui/core/document_upkeep.h"

#include <memory>

#include "model/statistics/range_statistics.h"

namespace lacuna {
namespace {

/// Percentiles want all durations in order: up to this many slices that is about a fifth of what a picture costs. They
/// cannot come later, for the next picture is there before they are.
constexpr std::uint64_t kMostWithPercentiles = 4'000'000;
constexpr std::uint32_t kLeastPart = 1u << 14;  // slices; fewer are folded anew each time
constexpr std::uint32_t kMostPart = 1u << 23;   // larger ones cost more at once than they save
constexpr std::size_t kPartsToMerge = 8;

std::uint32_t slices_of(const FoldIndex& part) {
  return part.last() - part.first();
}

/// Parts of one tier become one of the next.
std::uint32_t tier_of(const FoldIndex& part) {
  std::uint32_t tier = 0;
  for (std::uint32_t size = kLeastPart * kPartsToMerge; size <= slices_of(part); size *= kPartsToMerge) ++tier;
  return tier;
}

}  // namespace

Statistics DocumentUpkeep::statistics(const Trace& trace) {
  if (trace.slice_count() <= kMostWithPercentiles) return compute_range_statistics(trace, {});
  return statistics_.update(trace);
}

void DocumentUpkeep::extend(const Lane& lane, FoldIndex::Parts& parts) {
  if (!parts.empty() && parts.back()->last() > lane.settled) parts.clear();  // its places were given up
  const auto folded = [&] { return parts.empty() ? 0 : parts.back()->last(); };
  while (lane.settled - folded() >= kLeastPart) {
    const std::uint32_t first = folded();
    parts.push_back(std::make_shared<FoldIndex>(lane, first, first + std::min(lane.settled - first, kMostPart)));
    for (;;) {
      std::size_t alike = 0;
      std::uint32_t size = 0;
      const std::uint32_t tier = tier_of(*parts.back());
      while (alike < parts.size() && tier_of(*parts[parts.size() - 1 - alike]) <= tier)
        size += slices_of(*parts[parts.size() - 1 - alike++]);
      if (alike < kPartsToMerge || size > kMostPart) break;
      const std::uint32_t last = parts.back()->last();
      parts.resize(parts.size() - alike);
      parts.push_back(std::make_shared<FoldIndex>(lane, last - size, last));
    }
  }
}

std::vector<FoldIndex> DocumentUpkeep::folds(const Trace& trace) {
  std::vector<FoldIndex> out;
  out.reserve(trace.lanes().size());
  for (const Lane& lane : trace.lanes()) {
    if (lane.settled < kLeastPart) {
      out.emplace_back(lane);
      continue;
    }
    FoldIndex::Parts& parts = parts_[{lane.track, lane.nest, lane.depth}];
    extend(lane, parts);
    out.emplace_back(lane, parts);
  }
  return out;
}

}  // namespace lacuna
