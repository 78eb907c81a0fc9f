#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// One bar: durations in [from, to).
struct HistogramBin {
  Nanos from = 0;
  Nanos to = 0;
  std::uint64_t count = 0;
  Nanos total = 0;
  SliceId longest;  ///< invalid if count is 0
};

/// A hump of the histogram: bins [first, last).
struct HistogramMode {
  std::size_t first = 0;
  std::size_t last = 0;
  std::uint64_t count = 0;
  Nanos total = 0;
  Nanos median = 0;
};

/// The distribution of the durations of one name. Bins grow by a constant factor (eight to an octave, so
/// about 9 %), from the shortest to the longest duration; 0 ns has a bin of its own.
///
/// Modes: the bins are smoothed (weights 1 2 3 2 1) and cut at each valley that is at most half as
/// high as the lower of the humps beside it; humps with less than 2 % of the slices, or less than
/// three, are merged into their neighbour. One mode is usual; two mean that the name stands for two behaviours.
struct DurationHistogram {
  std::vector<HistogramBin> bins;
  std::vector<HistogramMode> modes;  ///< ascending; together they cover all slices
  std::uint64_t count = 0;
  Nanos min = 0, max = 0, p50 = 0, p99 = 0;  ///< percentiles: nearest rank
};

/// Returns the histogram of whole durations of the slices of `name` (and `category`, if valid) that overlap `range`, on
/// `tracks` (empty: all). Reads only; any thread. O(slices in range).
DurationHistogram duration_histogram(const Trace& trace, StringId name, CategoryId category = {},
                                     TimeSpan range = TimeSpan::everything(), const std::vector<TrackId>& tracks = {});

/// Returns the histogram of given durations, for tests and other series; `longest` stays invalid.
DurationHistogram histogram_of(std::vector<Nanos> durations);

}  // namespace lacuna
