#pragma once

#include <array>
#include <string_view>

#include "model/base/result.h"
#include "model/formats/format.h"
#include "model/formats/sqlite/foreign_database.h"

namespace lacuna {

/// What one profiler writes into SQLite files: its tables tell whose a file is. All stand in sqlite_format.cpp.
struct SqliteKind {
  static constexpr std::size_t kMostTimes = 2;

  std::string_view title;  ///< as in TraceSource::format
  bool (*recognises)(const ForeignDatabase& database) = nullptr;
  /// Columns that only tables of events have: those that are not read are named and counted.
  std::array<std::string_view, kMostTimes> time_columns;
  /// As Format::read, whose input this is. Damaged and unread tables are counted afterwards.
  Result<void> (*read)(ForeignDatabase& database, const FormatInput& input, TraceSource& facts,
                       const BatchReceiver& receive) = nullptr;
};

/// An SQLite file of any of these profilers.
extern const Format kSqliteFormat;

}  // namespace lacuna
