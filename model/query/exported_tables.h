#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/arrow/table_writer.h"
#include "model/base/result.h"
#include "model/query/query_rows.h"
#include "model/query/query_source.h"

namespace lacuna {

/// A table of a trace offered to other programs.
struct ExportedTable {
  std::string_view name;   ///< "slices"
  std::string_view table;  ///< name in SQL
  std::string_view help;
};

/// The tables of a trace in Arrow's format: columns, names and values like in SQL, times as int64 ns.
/// One thread at a time. The source must outlive it.
class ExportedTables {
 public:
  explicit ExportedTables(QuerySource& source, const std::atomic<bool>* cancel = nullptr);
  ~ExportedTables();

  static std::span<const ExportedTable> list();
  static bool has(std::string_view name);

  /// Writes a table; returns its number of rows. Errors: kInvalidArgument: no such table; kNotWritable: the sink
  /// failed.
  Result<std::uint64_t> write(std::string_view name, ArrowTableWriter::Format format, ArrowTableWriter::Sink sink);

 private:
  Result<std::uint64_t> write_arguments(ArrowTableWriter::Format format, ArrowTableWriter::Sink sink);
  ArrowTableWriter::Facts facts_of(std::string_view name) const;

  QuerySource& source_;
  const std::atomic<bool>* const cancel_;
  std::vector<std::unique_ptr<QueryTable>> tables_;
};

/// Writes the result rows of a query.
Result<void> write_query_rows(const QueryRows& rows, ArrowTableWriter::Format format, ArrowTableWriter::Sink sink);

/// Returns "ns" for time columns ("ts", "dur", "gpu_dur"), else empty.
std::string_view unit_of_column(std::string_view name);

}  // namespace lacuna
