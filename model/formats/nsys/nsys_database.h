#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lacuna {

/// An SQLite file that somebody else wrote, read as nothing but tables: no views, no triggers, no virtual tables, no
/// functions of its schema, no files beside it. It may be damaged on purpose. One thread.
class NsysDatabase {
 public:
  /// One row; columns that the table lacks are NULL.
  class Row {
   public:
    bool has(std::size_t column) const;
    std::int64_t integer(std::size_t column) const;  ///< 0 for NULL
    /// Nothing unless an integer stands there.
    std::optional<std::int64_t> whole(std::size_t column) const;
    double real(std::size_t column) const;
    std::string_view text(std::size_t column) const;  ///< valid until the next row

   private:
    friend class NsysDatabase;
    sqlite3_stmt* statement_ = nullptr;
    const std::vector<int>* places_ = nullptr;
  };

  static Result<std::unique_ptr<NsysDatabase>> open(const std::string& path, const std::atomic<bool>* cancel);
  ~NsysDatabase();
  NsysDatabase(const NsysDatabase&) = delete;
  NsysDatabase& operator=(const NsysDatabase&) = delete;

  bool has_table(std::string_view table) const { return tables_.contains(std::string(table)); }
  /// Tables of events (they have a column "start") that read() was not asked for, and how many rows they have together.
  struct Unread {
    std::vector<std::string> tables;
    std::uint64_t rows = 0;
  };
  Unread unread_events();
  /// Calls visit for each row of the table with those of `columns` that it has; no rows where there is no such table.
  /// Rows that cannot be read because the file is damaged end it; damage() then counts, as it does where a view stands
  /// in the table's place, or a table with none of the columns. Errors: kCancelled.
  Result<void> read(std::string_view table, const std::vector<std::string_view>& columns,
                    const std::function<void(const Row&)>& visit);
  /// Tables that could not be read to their end, with what SQLite said of the first.
  std::uint64_t damaged_tables() const { return damaged_; }
  const std::string& damage() const { return damage_; }

 private:
  NsysDatabase() = default;
  std::set<std::string> columns_of(std::string_view table);
  sqlite3* connection_ = nullptr;
  const std::atomic<bool>* cancel_ = nullptr;
  std::uint64_t file_bytes_ = 0;
  std::set<std::string> tables_;
  std::set<std::string> views_;  // which are not asked: they are programs
  std::set<std::string> asked_;
  std::uint64_t damaged_ = 0;
  std::string damage_;
};

}  // namespace lacuna
