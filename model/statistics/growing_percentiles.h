#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/statistics/statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Percentiles of the durations of a recording under way, kept up from one trace of it to the next: durations of slices
/// that are sealed (Lane::sealed) are put in order once. 8 bytes for each. One thread at a time.
class GrowingPercentiles {
 public:
  /// Fills in p50 and p99 of `rows`, which have all slices of `trace`: those that compute_range_statistics() finds.
  /// `trace` has all that the one before had.
  /// O(slices newly sealed + slices not sealed) and, in sum over all traces, O(slices sealed).
  void update(const Trace& trace, std::span<StatisticsRow> rows);

 private:
  /// Durations of one name and category, ascending. Only `fresh` is merged with what is new, until it is large.
  struct Durations {
    std::vector<Nanos> sealed;
    std::vector<Nanos> fresh;
    std::vector<Nanos> news;  ///< of the trace, in any order until they are merged
    std::vector<Nanos> open;  ///< of its slices that are not sealed
    void take_news();
    /// The smallest duration that at least this many are not above.
    Nanos at(std::uint64_t rank, Nanos least, Nanos most) const;
  };
  struct OfLane {
    std::uint32_t generation = 0;  ///< Lane::generation
    std::uint32_t counted = 0;
  };
  using LaneKey = std::tuple<TrackId, std::uint32_t, std::uint32_t>;  // track, nest, depth

  bool has_lost(const Trace& trace) const;
  void count(const Trace& trace);

  std::map<LaneKey, OfLane> lanes_;
  std::vector<Durations> durations_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // of durations_, by name and category
};

}  // namespace lacuna
