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

/// Percentiles of the durations of a running recording, updated from one of its traces to the next: durations of sealed
/// slices (Lane::sealed) are sorted once. 8 bytes per duration. One thread at a time.
class GrowingPercentiles {
 public:
  /// Fills in p50 and p99 of `rows`, which cover all slices of `trace`: the values of compute_statistics().
  /// `trace` must extend the previous one.
  /// O(slices newly sealed + slices not sealed) and, summed over all traces, O(slices sealed).
  void update(const Trace& trace, std::span<StatisticsRow> rows);

 private:
  /// Durations of one name and category, ascending. New ones are merged into `fresh` only, until it is large.
  struct Durations {
    std::vector<Nanos> sealed;
    std::vector<Nanos> fresh;
    std::vector<Nanos> news;  ///< new ones, in any order until they are merged
    std::vector<Nanos> open;  ///< of slices that are not sealed
    void take_news();
    /// Returns the smallest duration with at least `rank` durations not above it.
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
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // index in durations_, by name and category
};

}  // namespace lacuna
