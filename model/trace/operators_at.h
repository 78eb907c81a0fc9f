#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/trace/nearest_above.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Finds what runs at a moment, for many moments of a trace, which must outlive this: Trace::innermost_at() looks at
/// each lane, this at the logarithm of a nest's depth. For one thread.
class OperatorsAt {
 public:
  explicit OperatorsAt(const Trace& trace) : trace_(trace), above_(trace) {}

  /// As Trace::innermost_at().
  SliceId innermost(TrackId track, Nanos time);
  /// The innermost operator that runs on a track, or an invalid id.
  SliceId at(TrackId track, Nanos time) { return above_.operator_of(innermost(track, time)); }

 private:
  /// Rows that follow each other, of one nest.
  struct Nest {
    std::uint32_t first = 0, end = 0;  // lanes
    bool is_whole = true;  // each slice lies in one of the row above, so a row that runs implies those above
  };

  const std::vector<Nest>& nests_of(TrackId track);
  /// What runs in a lane, by its index; kNoIndex without any.
  std::uint32_t running(std::uint32_t lane, Nanos time) const;

  const Trace& trace_;
  NearestAbove above_;
  std::unordered_map<std::uint32_t, std::vector<Nest>> nests_;  // by track
};

}  // namespace lacuna
