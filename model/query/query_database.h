#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/query/query_source.h"
#include "model/query/query_table.h"

namespace lacuna {

/// SQL over a trace: SQLite with Perfetto's tables, views, functions and dialect, and Lacuna's own tables.
///
///   QuerySource source(trace);
///   auto database = QueryDatabase::open(source);
///   auto done = (*database)->run("SELECT name, COUNT(*) FROM slice GROUP BY name", options, columns, row);
///
/// The trace cannot be modified, and no file can be accessed: the authorizer refuses all such statements. Tables that a
/// query creates live in memory until the database is closed. Memory, sizes and depths are limited.
/// One thread at a time.
class QueryDatabase {
 public:
  struct Options {
    std::uint64_t most_rows = 0;  ///< of the last statement; 0: no limit. The outcome says whether there were more
    const std::atomic<bool>* cancel = nullptr;
    /// The most steps of SQLite's virtual machine for all statements together (some 100 million a second); 0: no limit.
    /// Beyond it the query fails with kLimit, so that an endless one does not block forever.
    std::uint64_t most_steps = 0;
  };
  struct Outcome {
    std::uint64_t rows = 0;
    bool has_more = false;
    std::uint64_t statements = 0;
  };
  using ColumnSink = std::function<void(std::span<const std::string> names)>;
  /// Receives a row; returns false to stop. Texts are valid during the call.
  using RowSink = std::function<bool(std::span<const Cell> row)>;

  /// `source` must outlive the database.
  static Result<std::unique_ptr<QueryDatabase>> open(QuerySource& source);
  ~QueryDatabase();
  QueryDatabase(const QueryDatabase&) = delete;
  QueryDatabase& operator=(const QueryDatabase&) = delete;

  /// Runs all statements of a text; the rows of the last one go to `row`. Errors: kInvalidArgument with the byte
  /// offset in the text, kUnsupported for features of Perfetto that Lacuna lacks, kLimit, kCancelled.
  Result<Outcome> run(std::string_view sql, const Options& options, const ColumnSink& columns, const RowSink& row);

  /// All tables with their columns, for documentation: Lacuna's own first.
  const std::vector<const QueryTable*>& tables() const;

 private:
  struct State;
  explicit QueryDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
