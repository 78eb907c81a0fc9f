#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/trace/nearest_above.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Finds the running slice at a moment, for many moments of a trace, which must outlive this: Trace::innermost_at()
/// searches each lane, this a number logarithmic in a nest's depth. For one thread.
class OperatorsAt {
 public:
  explicit OperatorsAt(const Trace& trace) : trace_(trace), above_(trace) {}

  /// Like Trace::innermost_at().
  SliceId innermost(TrackId track, Nanos time);
  /// Returns the innermost operator running on a track, or an invalid id.
  SliceId at(TrackId track, Nanos time) { return above_.operator_of(innermost(track, time)); }

 private:
  /// Consecutive rows of one nest.
  struct Nest {
    std::uint32_t first = 0, end = 0;  // lanes
    bool is_whole = true;  // each slice lies in one of the row above, so if a row is running, so are those above
  };

  const std::vector<Nest>& nests_of(TrackId track);
  /// Returns the index of the running slice in a lane; kNoIndex if there is none.
  std::uint32_t running(std::uint32_t lane, Nanos time) const;

  const Trace& trace_;
  NearestAbove above_;
  std::unordered_map<std::uint32_t, std::vector<Nest>> nests_;  // by track
};

}  // namespace lacuna
