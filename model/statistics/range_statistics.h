#pragma once

#include <atomic>
#include <functional>

#include "model/statistics/statistics.h"

namespace lacuna {

/// Options of compute_range_statistics().
struct RangeStatisticsOptions {
  StatisticsOptions what;
  unsigned threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< when set, the partial result is returned
  /// Receives the partial result (without percentiles) and the fraction of slices it covers, 0..1, on the
  /// calling thread, at most once every `every_ms`. May be empty.
  std::function<void(const Statistics&, double)> progress;
  double every_ms = 30;
};

/// Like compute_statistics(), with percentiles, for ranges that a user drags: runs on several threads, one
/// piece of a row at a time, so that it can be cancelled and shown while in progress. The same rows and
/// numbers (in a different order), plus p50 and p99 of the whole durations of the slices that overlap
/// the range. O(slices in range); transient memory 8 bytes per slice.
Statistics compute_range_statistics(const Trace& trace, const RangeStatisticsOptions& options);

}  // namespace lacuna
