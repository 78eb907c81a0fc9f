#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/causes/known_names.h"
#include "model/steps/steps.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The steps of a running recording, updated from one of its traces to the next: sealed slices
/// (Lane::sealed) are examined once, the others anew each time. One thread at a time.
class GrowingSteps {
 public:
  /// Returns what find_steps(trace) does. `trace` must extend the previous one.
  /// O(slices newly sealed + slices not sealed + steps + names); for steps other than ProfilerSteps O(all slices).
  std::vector<Step> update(const Trace& trace);

 private:
  struct OfLane {
    std::uint32_t nest = 0;
    std::uint32_t depth = 0;
    std::uint32_t counted = 0;
  };
  /// The steps found on one track.
  struct OfTrack {
    std::uint32_t generation = 0;  ///< Lane::generation
    std::vector<OfLane> lanes;
    std::uint64_t marks = 0;
    std::map<std::int64_t, TimeSpan> spans;  ///< of steps with a number
  };
  static void look(OfTrack& found, const Trace& trace, const Track& track, NameMemo& is_step, bool sealed_only);

  std::vector<OfTrack> tracks_;  // by TrackId
};

}  // namespace lacuna
