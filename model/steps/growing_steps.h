#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/causes/known_names.h"
#include "model/steps/steps.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The steps of a recording under way, kept up from one trace of it to the next: slices that are sealed
/// (Lane::sealed) are looked at once, the others anew each time. One thread at a time.
class GrowingSteps {
 public:
  /// What find_steps(trace) gives. `trace` has all that the one before had.
  /// O(slices newly sealed + slices not sealed + steps + names); of other steps than ProfilerSteps O(all slices).
  std::vector<Step> update(const Trace& trace);

 private:
  struct OfLane {
    std::uint32_t nest = 0;
    std::uint32_t depth = 0;
    std::uint32_t counted = 0;
  };
  /// What was found on one track.
  struct OfTrack {
    std::uint32_t generation = 0;  ///< Lane::generation
    std::vector<OfLane> lanes;
    std::uint64_t marks = 0;
    std::map<std::int64_t, TimeSpan> spans;  ///< of those with a number
  };
  static void look(OfTrack& found, const Trace& trace, const Track& track, NameMemo& is_step, bool sealed_only);

  std::vector<OfTrack> tracks_;  // by TrackId
};

}  // namespace lacuna
