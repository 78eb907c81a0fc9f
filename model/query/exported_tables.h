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

/// A table of a trace that other programs get.
struct ExportedTable {
  std::string_view name;   ///< "slices"
  std::string_view table;  ///< of SQL
  std::string_view help;
};

/// The tables of a trace in Arrow's format: columns, names and values are those of SQL, times int64 ns.
/// One thread at a time. The source must outlive it.
class ExportedTables {
 public:
  explicit ExportedTables(QuerySource& source, const std::atomic<bool>* cancel = nullptr);
  ~ExportedTables();

  static std::span<const ExportedTable> list();
  static bool has(std::string_view name);

  /// Writes one; returns how many rows it has. kInvalidArgument: there is no such table; kNotWritable: the sink
  /// refused.
  Result<std::uint64_t> write(std::string_view name, ArrowTableWriter::Format format, ArrowTableWriter::Sink sink);

 private:
  Result<std::uint64_t> write_arguments(ArrowTableWriter::Format format, ArrowTableWriter::Sink sink);
  ArrowTableWriter::Facts facts_of(std::string_view name) const;

  QuerySource& source_;
  const std::atomic<bool>* const cancel_;
  std::vector<std::unique_ptr<QueryTable>> tables_;
};

/// Writes the rows of a query.
Result<void> write_query_rows(const QueryRows& rows, ArrowTableWriter::Format format, ArrowTableWriter::Sink sink);

/// "ns" for columns of that name ("ts", "dur", "gpu_dur"), else empty.
std::string_view unit_of_column(std::string_view name);

}  // namespace lacuna
