#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// One row of the statistics table: all slices of one (name, category).
///
///     total  sum of durations; nested slices of one name each count (recursion counts twice)
///     self   total minus the time inside direct children on the same track
///
/// Only CPU threads, async tracks and GPU annotations nest. Overlapping slices on a GPU stream run side
/// by side, so there self = total. Slices that cross a neighbour instead of nesting in it
/// (they lie on a row of their own) have no parent.
struct StatisticsRow {
  StringId name = kEmptyString;
  CategoryId category;
  std::uint64_t count = 0;
  Nanos total = 0;        ///< clipped to the range
  Nanos self = 0;         ///< clipped to the range
  Nanos min = kMaxNanos;  ///< of whole durations
  Nanos max = 0;          ///< of whole durations
  Nanos p50 = -1;         ///< of whole durations, nearest rank; < 0: not computed
  Nanos p99 = -1;
  SliceId longest;  ///< a slice with duration `max`: the first by (track, row, start)
  /// This row's part of the 100 % of its side (see ShareTotals): self time of slices on
  /// CPU threads, total of GPU activities, zero for async slices and GPU annotations, because
  /// they cover time that other rows count.
  Nanos counted = 0;

  /// total / count, rounded to the nearest ns (half up).
  Nanos average() const {
    const auto n = static_cast<Nanos>(count);
    return n == 0 ? 0 : total / n + (total % n >= n - total % n ? 1 : 0);
  }
  /// Adds a slice that lasts `whole`, `clipped` of it in the range.
  void add(SliceId slice, Nanos whole, Nanos clipped) {
    if (count++ == 0 || whole > max) {
      max = whole;
      longest = slice;
    }
    min = std::min(min, whole);
    total = saturating_add(total, clipped);
    self = saturating_add(self, clipped);
  }
};

/// Whether a row represents the recording itself: Kineto's "PyTorch Profiler (0)" and the like, category "Trace", as
/// long as the recording, not work of the program. HTA drops them when it reads a trace (trace_parser.py),
/// TensorBoard's plugin does not know the kind. Here they count, so that nothing is dropped, but
/// come last however tables are sorted, and are not compared.
inline bool is_recording(const Trace& trace, CategoryId category) {
  return trace.category_name(category) == "Trace";
}
/// Whether rows come last in tables: those of the recording, and thread states, which are time but not work.
bool comes_last(const Trace& trace, CategoryId category);
/// Whether the row's times are estimates, from stack samples.
bool is_sampled(const Trace& trace, CategoryId category);

/// What the shares of rows are of.
struct ShareTotals {
  Nanos cpu_self = 0;      ///< self time on all CPU threads: 100 % for CPU rows
  Nanos gpu_total = 0;     ///< sum of durations of all GPU activities: 100 % for GPU rows
  Nanos sampled_self = 0;  ///< self time of all sampled stacks: 100 % for their rows

  /// Counts self time on a kind of track for its row and its side.
  void count(const Trace& trace, TrackKind kind, StatisticsRow& row, Nanos self) {
    Nanos* whole = nullptr;
    if (kind == TrackKind::kGpuStream && is_gpu_activity(trace.category_class(row.category))) whole = &gpu_total;
    if (kind == TrackKind::kThread && !is_recording(trace, row.category)) whole = &cpu_self;
    if (kind == TrackKind::kStacks) whole = &sampled_self;
    if (whole == nullptr) return;
    row.counted = saturating_add(row.counted, self);
    *whole = saturating_add(*whole, self);
  }
  /// The row's fraction of its side, 0 … 1: counted / gpu_total for GPU activity, counted / sampled_self for
  /// sampled frames, counted / cpu_self for all others.
  double share(const Trace& trace, const StatisticsRow& row) const;
};

struct Statistics : ShareTotals {
  std::vector<StatisticsRow> rows;  ///< in order of first appearance by (track, row, start), if one thread counted
};

struct StatisticsOptions {
  /// Only slices that overlap the range count; their times are clipped to it.
  TimeSpan range = TimeSpan::everything();
  /// Only slices on these tracks count; empty = all.
  std::vector<TrackId> tracks = {};
  /// p50 and p99, too: 8 bytes for each slice meanwhile.
  bool percentiles = false;
  unsigned threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< when set, the partial result is returned
  /// Receives the partial result (without percentiles) and the fraction of slices it covers, 0..1, on the
  /// calling thread, at most once every `every_ms`. May be empty.
  std::function<void(const Statistics&, double)> progress = {};
  double every_ms = 30;
};

/// Read-only; any thread. O(slices in range), plus 4 bytes per name of the trace for each thread.
Statistics compute_statistics(const Trace& trace, const StatisticsOptions& options = {});

/// Columns by which rows can be sorted.
enum class StatisticsColumn { kName, kCategory, kCount, kTotal, kSelf, kAverage, kMin, kP50, kP99, kMax, kShare };

/// Sorts rows by a column; ties by total (descending), then name, then category. Rows of the recording
/// and of thread states (comes_last()) come last.
void sort_rows(const Trace& trace, Statistics& statistics, StatisticsColumn column, bool descending);

}  // namespace lacuna
