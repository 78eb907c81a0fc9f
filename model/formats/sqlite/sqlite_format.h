#pragma once

#include <array>
#include <string_view>

#include "model/base/result.h"
#include "model/formats/format.h"
#include "model/formats/sqlite/foreign_database.h"

namespace lacuna {

/// The SQLite files of one profiler, recognised by their tables. All kinds are listed in sqlite_format.cpp.
struct SqliteKind {
  static constexpr std::size_t kMostTimes = 2;

  std::string_view title;  ///< as in TraceSource::format
  bool (*recognises)(const ForeignDatabase& database) = nullptr;
  /// Columns that only tables of events have: such tables, if not read, are named and counted.
  std::array<std::string_view, kMostTimes> time_columns;
  /// Like Format::read, with the same input. Damaged and unread tables are counted afterwards.
  Result<void> (*read)(ForeignDatabase& database, const FormatInput& input, TraceSource& facts,
                       const BatchReceiver& receive) = nullptr;
};

/// An SQLite file of any of these kinds.
extern const Format kSqliteFormat;

}  // namespace lacuna
