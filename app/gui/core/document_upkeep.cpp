#include "app/gui/core/document_upkeep.h"

#include <memory>
#include <utility>

#include "app/gui/core/resident_limit.h"
#include "model/build/growing_links.h"
#include "model/causes/growing_causes.h"

namespace lacuna {
namespace {

/// Percentiles take 8 bytes of memory for each slice.
constexpr std::uint64_t kMostWithPercentiles = 4'000'000;

}  // namespace

DocumentUpkeep::DocumentUpkeep(std::shared_ptr<ResidentLimit> resident)
    : resident_(resident ? std::move(resident) : std::make_shared<ResidentLimit>()),
      links_(std::make_unique<GrowingLinks>()),
      causes_(std::make_unique<GrowingCauses>()),
      tables_(resident_->memory()) {}
DocumentUpkeep::~DocumentUpkeep() = default;

std::shared_ptr<const IdleTime> DocumentUpkeep::idle(const Trace& trace, bool is_last) {
  return std::make_shared<const IdleTime>(causes_->update(trace, is_last));
}

std::vector<StreamBusyIndex> DocumentUpkeep::busy(const Trace& trace, const IdleTime& idle) {
  std::vector<StreamBusyIndex> out;
  for (std::size_t s = 0; s < idle.streams.size(); ++s) {
    const StreamActivity& stream = idle.streams[s];
    StreamBusyIndex& known =
        busy_[{trace.process(trace.track(stream.track).process).source, stream.device, stream.stream}];
    known.grow(stream, idle.kept[s]);
    out.push_back(known);
  }
  return out;
}

Statistics DocumentUpkeep::statistics(const Trace& trace) {
  Statistics statistics = statistics_.update(trace);
  if (trace.slice_count() <= kMostWithPercentiles) {
    percentiles_.update(trace, statistics.rows);
  } else {
    percentiles_ = {};
  }
  return statistics;
}

void DocumentUpkeep::extend(const Lane& lane, OfLane& known) {
  FoldIndex::Parts& parts = known.parts;
  const bool is_void = known.generation != lane.generation || (!parts.empty() && parts.back()->last() > lane.sealed);
  if (is_void) parts.clear();  // its places were given up
  known.generation = lane.generation;
  FoldIndex::extend(lane, lane.sealed, parts, &tables_);
}

std::vector<FoldIndex> DocumentUpkeep::folds(const Trace& trace) {
  std::vector<FoldIndex> out;
  out.reserve(trace.lanes().size());
  for (const Lane& lane : trace.lanes()) {
    if (lane.sealed == 0) {
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
