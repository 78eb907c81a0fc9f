#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/query/query_rows.h"
#include "model/query/query_source.h"
#include "model/report/report.h"
#include "model/trace/trace.h"

namespace lacuna {

class QueryDatabase;

/// What a query answered.
struct QueryAnswer {
  std::string sql;
  QueryRows rows;
  std::vector<ReportPlace> places;  ///< by row: its slice, if a column has ids of slices; else empty
  std::uint64_t count = 0;          ///< of all rows
  bool is_cut_short = false;        ///< counting was given up: there are more rows
  std::string error;                ///< empty: no error
  std::optional<std::uint64_t> error_offset;
  bool is_cancelled = false;
  double seconds = 0;
};

/// How much of an answer is kept; all rows are counted.
struct QueryKeep {
  std::uint64_t rows = 0;
  std::uint64_t bytes = QueryRows::kMostBytes;  ///< no row is added to as many
};

/// Runs queries of one user on a trace, one after the other: views and tables that one makes are there for the next.
class QueryEngine {
 public:
  /// `trace` must outlive it. `finds_slices`: rows are looked for in the trace.
  explicit QueryEngine(const Trace& trace, bool finds_slices = true);
  ~QueryEngine();
  QueryEngine(const QueryEngine&) = delete;
  QueryEngine& operator=(const QueryEngine&) = delete;

  /// Makes what most queries need, ahead of the first, unless that is much of the free memory. Any thread, beside
  /// run(), which waits for it.
  void prepare(const std::atomic<bool>& cancel);
  /// One thread at a time.
  QueryAnswer run(std::string sql, const QueryKeep& keep, const std::atomic<bool>& cancel);

 private:
  void ask(QueryAnswer& answer, const QueryKeep& keep, const std::atomic<bool>& cancel);
  void find_places(QueryAnswer& answer);

  const bool finds_slices_;
  QuerySource source_;
  std::unique_ptr<QueryDatabase> database_;  // opened by the first query
};

}  // namespace lacuna
