#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/statistics/statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The statistics of a recording under way, kept up from one trace of it to the next: slices that are sealed
/// (Lane::sealed) are counted once, the others anew each time. One thread at a time.
class GrowingStatistics {
 public:
  /// What compute_statistics(trace) gives, to the last bit. `trace` has all that the one before had.
  /// O(slices newly sealed + slices not sealed + tracks * names).
  Statistics update(const Trace& trace);

 private:
  /// The place of a slice on its track. Places are ordered by (row, start), however many rows there will be.
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
  /// Time of children whose parent has no place yet: the next one of its lane.
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
  /// What was counted of one track.
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
