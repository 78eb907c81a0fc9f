#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/statistics/statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The statistics of a running recording, updated from one of its traces to the next: sealed slices
/// (Lane::sealed) are counted once, the others anew each time. One thread at a time.
class GrowingStatistics {
 public:
  /// Returns exactly what compute_statistics(trace) does. `trace` must extend the previous one.
  /// O(slices newly sealed + slices not sealed + tracks * names).
  Statistics update(const Trace& trace);

 private:
  /// The position of a slice on its track. Positions are ordered by (row, start), even if rows are added.
  struct Place {
    std::uint32_t nest = 0;
    std::uint32_t depth = 0;
    std::uint32_t index = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Row {
    StringId name;
    CategoryId category;
    std::uint64_t count = 0;
    Nanos total = 0;
    Nanos self = 0;
    Nanos min = kMaxNanos;
    Nanos max = 0;
    Place first;
    Place longest;
  };
  /// Time of children whose parent has no position yet: the next slice of its lane.
  struct Orphans {
    std::uint32_t parent = 0;
    Nanos time = 0;
  };
  struct OfLane {
    std::uint32_t nest = 0;
    std::uint32_t depth = 0;
    std::uint32_t counted = 0;
    Orphans orphans;  ///< of this lane's next slice
  };
  /// The counts of one track.
  struct OfTrack {
    std::vector<Row> rows;
    std::unordered_map<std::uint64_t, std::uint32_t> index;  // by name and category
    std::vector<OfLane> lanes;
    std::uint32_t generation = 0;  ///< Lane::generation

    Row& row(StringId name, CategoryId category, Place place);
    OfLane& lane(const Lane& lane);
  };
  static void count(OfTrack& counted, const Trace& trace, const Track& track, bool sealed_only);

  std::vector<OfTrack> tracks_;  // by TrackId
};

}  // namespace lacuna
