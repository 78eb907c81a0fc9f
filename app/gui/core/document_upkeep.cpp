#include "app/gui/core/document_upkeep.h"

#include <memory>
#include <utility>

#include "app/gui/core/resident_limit.h"
#include "model/build/growing_links.h"
#include "model/statistics/range_statistics.h"

namespace lacuna {
namespace {

/// Percentiles want all durations in order: up to this many slices that is about a fifth of what a picture costs. They
/// cannot come later, for the next picture is there before they are.
constexpr std::uint64_t kMostWithPercentiles = 4'000'000;
constexpr std::uint32_t kLeastPart = 1u << 14;  // slices; fewer are folded anew each time
constexpr std::size_t kPartsToMerge = 8;

std::uint32_t slices_of(const FoldIndex& part) {
  return part.last() - part.first();
}

}  // namespace

DocumentUpkeep::DocumentUpkeep(std::shared_ptr<ResidentLimit> resident)
    : resident_(resident ? std::move(resident) : std::make_shared<ResidentLimit>()),
      links_(std::make_unique<GrowingLinks>()),
      tables_(resident_->memory()) {}
DocumentUpkeep::~DocumentUpkeep() = default;

Statistics DocumentUpkeep::statistics(const Trace& trace) {
  if (trace.slice_count() <= kMostWithPercentiles) return compute_range_statistics(trace, {});
  return statistics_.update(trace);
}

void DocumentUpkeep::extend(const Lane& lane, OfLane& known) {
  FoldIndex::Parts& parts = known.parts;
  const bool is_void = known.attempt != lane.attempt || (!parts.empty() && parts.back()->last() > lane.settled);
  if (is_void) parts.clear();  // its places were given up
  known.attempt = lane.attempt;
  const auto folded = [&] { return parts.empty() ? 0 : parts.back()->last(); };
  while (lane.settled - folded() >= kLeastPart) {
    const auto part = std::make_shared<FoldIndex>(lane, folded(), folded() + kLeastPart);
    part->settle_in(tables_);
    parts.push_back(part);
    // Of parts of the same size, the last ones, one is made.
    for (;;) {
      std::size_t alike = 0;
      while (alike < parts.size() && slices_of(*parts[parts.size() - 1 - alike]) == slices_of(*parts.back())) ++alike;
      if (alike < kPartsToMerge) break;
      const auto first = parts.end() - static_cast<std::ptrdiff_t>(kPartsToMerge);
      FoldIndex::Parts merged(first, parts.end());
      parts.erase(first, parts.end());
      parts.push_back(FoldIndex::over(lane, std::move(merged)));
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
    OfLane& known = lanes_[{lane.track, lane.nest, lane.depth}];
    extend(lane, known);
    out.emplace_back(lane, known.parts);
  }
  return out;
}

}  // namespace lacuna
