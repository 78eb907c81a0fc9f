#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/trace.h"

namespace lacuna {

/// One row of the statistics table: all slices of one (name, category).
struct StatisticsRow {
  StringId name = kEmptyString;
  CategoryId category;
  std::uint64_t count = 0;
  Nanos total = 0;  ///< sum of durations, clipped to the range; nested slices of one name each count
  Nanos self = 0;   ///< total less the time of direct children (Trace::self_time), clipped likewise
  Nanos min = 0;    ///< of whole durations
  Nanos max = 0;    ///< of whole durations

  /// total / count, rounded to the nearest ns.
  Nanos average() const { return count == 0 ? 0 : (total + static_cast<Nanos>(count) / 2) / static_cast<Nanos>(count); }
};

struct Statistics {
  std::vector<StatisticsRow> rows;  ///< in order of first appearance by (track, row, start)
  Nanos cpu_self = 0;  ///< sum of self over rows on CPU tracks: 100 % of the share of CPU rows
  Nanos gpu_total = 0; ///< sum of total over GPU activity rows: 100 % of the share of GPU rows

  /// The row's part of its side: self/cpu_self for CPU rows, total/gpu_total for GPU activity;
  /// 0 for annotations on the GPU, which cover the kernels that are counted already.
  double share(const Trace& trace, const StatisticsRow& row) const;
};

struct StatisticsOptions {
  /// Slices that overlap the range count; their times are clipped to it.
  TimeSpan range = TimeSpan::everything();
  /// Only these tracks; empty = all.
  std::vector<TrackId> tracks;
};

/// Reads only; O(slices in range). Any thread.
Statistics compute_statistics(const Trace& trace, const StatisticsOptions& options = {});

/// Columns by which rows can be sorted.
enum class StatisticsColumn { kName, kCategory, kCount, kTotal, kSelf, kAverage, kMin, kMax, kShare };

/// Sorts rows by a column; ties by total (descending), then name, then category.
void sort_rows(const Trace& trace, Statistics& statistics, StatisticsColumn column, bool descending);

}  // namespace lacuna
