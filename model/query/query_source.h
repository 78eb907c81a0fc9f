#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/query/trace_tables.h"
#include "model/trace/kept_with_trace.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Data that queries of one trace share: Perfetto's tables, built on first use, and the mapping between their slices
/// and the trace's. Any thread may call; callers wait while the data are built.
class QuerySource {
 public:
  /// `threads`: that read the events again; 0: one per core.
  explicit QuerySource(const Trace& trace, unsigned threads = 0) : trace_(trace), threads_(threads) {}

  const Trace& trace() const { return trace_; }
  Result<void> make_tables(const std::atomic<bool>* cancel = nullptr);
  /// Call make_tables() first.
  const TraceTables& tables() const { return *tables_; }

  /// Returns the row of a slice of the trace, kNone if Perfetto has none, or without its tables (make_tables() says
  /// why). Built on first use: O(slices).
  std::uint32_t row_of(SliceId slice);
  /// Returns the slice of a row, invalid if the trace has none (instants).
  SliceId slice_of(std::uint32_t row);

 private:
  void match_slices();

  const Trace& trace_;
  const unsigned threads_;
  std::mutex mutex_;
  std::optional<TraceTables> tables_;
  std::once_flag matched_;
  std::vector<std::vector<std::uint32_t>> row_by_slice_;  // by lane
  std::vector<SliceId> slice_by_row_;
};

}  // namespace lacuna
