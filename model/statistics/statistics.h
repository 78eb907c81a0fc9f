#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// One row of the statistics table: all slices of one (name, category).
///
///     total  durations added up; nested slices of one name each count (recursion counts twice)
///     self   total less the time inside direct children on the same track
///
/// Only CPU threads, async tracks and GPU annotations nest. What overlaps on a GPU stream runs side
/// by side, so there self = total. Children that cross their neighbour instead of nesting in it
/// (they lie on a row of their own) are nobody's children.
struct StatisticsRow {
  StringId name = kEmptyString;
  CategoryId category;
  std::uint64_t count = 0;
  Nanos total = 0;  ///< clipped to the range
  Nanos self = 0;   ///< clipped to the range
  Nanos min = 0;    ///< of whole durations
  Nanos max = 0;    ///< of whole durations
  Nanos p50 = -1;   ///< of whole durations, nearest rank; < 0: not computed (see range_statistics.h)
  Nanos p99 = -1;
  SliceId longest;  ///< one that lasts `max`: the first by (track, row, start)
  /// The part of this row in what its side calls 100 % (see Statistics::share): self of slices on
  /// CPU threads, total of GPU activities, nothing for async slices and GPU annotations, because
  /// they cover time that other rows have counted.
  Nanos counted = 0;

  /// total / count, rounded to the nearest ns (half up).
  Nanos average() const {
    const auto n = static_cast<Nanos>(count);
    return n == 0 ? 0 : total / n + (total % n >= n - total % n ? 1 : 0);
  }
};

struct Statistics {
  std::vector<StatisticsRow> rows;  ///< in order of first appearance by (track, row, start)
  Nanos cpu_self = 0;               ///< self time on all CPU threads: 100 % of the share of CPU rows
  Nanos gpu_total = 0;              ///< sum of durations of all GPU activities: 100 % of the share of GPU rows
  Nanos sampled_self = 0;           ///< self time of all sampled stacks: 100 % of the share of their rows

  /// The row's part of its side, 0 … 1: counted / gpu_total for GPU activity, counted / sampled_self for
  /// sampled frames, counted / cpu_self for all else.
  double share(const Trace& trace, const StatisticsRow& row) const;
};

/// Rows of the recording itself: Kineto's "PyTorch Profiler (0)" and the like, category "Trace", as
/// long as the recording and nobody's work. HTA drops them when it reads a trace (trace_parser.py),
/// TensorBoard's plugin knows no such kind of event. Here they count, so that nothing is dropped, but
/// come last whatever tables are sorted by, and are not compared.
bool is_recording(const Trace& trace, CategoryId category);
/// Rows of the recording, and states of threads, which are time and no work: they come last in tables.
bool comes_last(const Trace& trace, CategoryId category);
/// The row's times are estimates: of frames that samples of stacks saw.
bool is_sampled(const Trace& trace, CategoryId category);

struct StatisticsOptions {
  /// Slices that overlap the range count; their times are clipped to it.
  TimeSpan range = TimeSpan::everything();
  /// Counts only what lies on these tracks; empty = on all.
  std::vector<TrackId> tracks;
};

/// Reads only; any thread. O(slices in range), plus 4 bytes for every name of the trace.
Statistics compute_statistics(const Trace& trace, const StatisticsOptions& options = {});

/// Columns by which rows can be sorted.
enum class StatisticsColumn { kName, kCategory, kCount, kTotal, kSelf, kAverage, kMin, kP50, kP99, kMax, kShare };

/// Sorts rows by a column; ties by total (descending), then name, then category. Rows of the recording
/// and of thread states (comes_last()) come last.
void sort_rows(const Trace& trace, Statistics& statistics, StatisticsColumn column, bool descending);

}  // namespace lacuna
