#pragma once

#include <atomic>
#include <functional>

#include "model/statistics/statistics.h"

namespace lacuna {

/// How compute_range_statistics() goes about it.
struct RangeStatisticsOptions {
  StatisticsOptions what;
  unsigned threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< when set, the answer is what there is by then
  /// Gets what there is so far (without percentiles) and which part of the slices that is, 0..1, on the
  /// calling thread, at most once every `every_ms`. May be empty.
  std::function<void(const Statistics&, double)> progress;
  double every_ms = 30;
};

/// compute_statistics() with percentiles, for the ranges that a user drags: spread over threads, one
/// piece of a row at a time, so that it can be cancelled and shown while it grows. The same rows and
/// numbers (in an order of their own), and p50 and p99 of the whole durations of the slices that overlap
/// the range. O(slices in range); 8 bytes for each of them for the time being.
Statistics compute_range_statistics(const Trace& trace, const RangeStatisticsOptions& options);

}  // namespace lacuna
