#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/byte_source.h"
#include "model/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lacuna {

/// An SQLite file of another program, read as plain tables only: no views, no triggers, no virtual tables, no
/// functions of its schema, no companion files. It may be maliciously damaged. One thread.
class ForeignDatabase {
 public:
  /// One row; columns that the table lacks are NULL.
  class Row {
   public:
    bool has(std::size_t column) const;
    std::int64_t integer(std::size_t column) const;  ///< 0 for NULL
    /// Returns the integer in the column; nothing if it holds none.
    std::optional<std::int64_t> whole(std::size_t column) const;
    double real(std::size_t column) const;
    std::string_view text(std::size_t column) const;  ///< valid until the next row

   private:
    friend class ForeignDatabase;
    sqlite3_stmt* statement_ = nullptr;
    const std::vector<int>* places_ = nullptr;
  };

  /// `bytes` must outlive the result; `path` is used in errors.
  static Result<std::unique_ptr<ForeignDatabase>> open(const ByteSource& bytes, const std::string& path,
                                                       const std::atomic<bool>* cancel);
  ~ForeignDatabase();
  ForeignDatabase(const ForeignDatabase&) = delete;
  ForeignDatabase& operator=(const ForeignDatabase&) = delete;

  /// Makes read() fail with the error of `state` as soon as that has one; it must outlive all such calls.
  void give_up_with(const Result<void>& state) { state_ = &state; }
  const std::set<std::string>& tables() const { return tables_; }
  bool has_table(std::string_view table) const { return tables_.contains(std::string(table)); }
  /// The tables of events (those with one of `time_columns`) that read() was never called for, and their total number
  /// of rows.
  struct Unread {
    std::vector<std::string> tables;
    std::uint64_t rows = 0;
  };
  Unread unread_events(std::span<const std::string_view> time_columns);
  /// Calls visit for each row of the table, with those of `columns` that the table has; never if there is no such
  /// table. Stops at rows that cannot be read because the file is damaged; the table then counts as damaged. So does a
  /// table of events (the first of `columns` is a time) if a view stands in its place, or
  /// if it has none of the columns. Errors: kCancelled, that of give_up_with().
  Result<void> read(std::string_view table, const std::vector<std::string_view>& columns,
                    const std::function<void(const Row&)>& visit);
  /// Number of tables that could not be read completely; damage() is SQLite's message for the first.
  std::uint64_t damaged_tables() const { return damaged_names_.size(); }
  const std::string& damage() const { return damage_; }

 private:
  struct FileSystem;
  explicit ForeignDatabase(const ByteSource& bytes);
  int connect();  // returns SQLite's code
  using Columns = std::set<std::string, std::less<>>;
  Columns columns_of(std::string_view table);
  std::unique_ptr<FileSystem> file_system_;
  sqlite3* connection_ = nullptr;
  const std::atomic<bool>* cancel_ = nullptr;
  const Result<void>* state_ = nullptr;
  std::uint64_t file_bytes_ = 0;
  std::set<std::string> tables_;
  std::set<std::string> views_;  // never read: they are programs
  std::set<std::string> asked_;
  std::set<std::string> damaged_names_;
  std::string damage_;
};

}  // namespace lacuna
