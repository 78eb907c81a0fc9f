#include "model/formats/sqlite/foreign_database.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

namespace lacuna {
namespace {

std::string sql_quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

constexpr std::array<std::string_view, 3> kTimes{"start", "startNs", "timestamp"};

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Statement prepare(sqlite3* connection, const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  sqlite3_prepare_v2(connection, sql.c_str(), -1, &raw, nullptr);
  return {raw, sqlite3_finalize};
}

}  // namespace

bool ForeignDatabase::Row::has(std::size_t column) const {
  const int place = (*places_)[column];
  return place >= 0 && sqlite3_column_type(statement_, place) != SQLITE_NULL;
}
std::int64_t ForeignDatabase::Row::integer(std::size_t column) const {
  const int place = (*places_)[column];
  return place < 0 ? 0 : sqlite3_column_int64(statement_, place);
}
std::optional<std::int64_t> ForeignDatabase::Row::whole(std::size_t column) const {
  const int place = (*places_)[column];
  if (place < 0 || sqlite3_column_type(statement_, place) != SQLITE_INTEGER) return {};
  return sqlite3_column_int64(statement_, place);
}
double ForeignDatabase::Row::real(std::size_t column) const {
  const int place = (*places_)[column];
  return place < 0 ? 0 : sqlite3_column_double(statement_, place);
}
std::string_view ForeignDatabase::Row::text(std::size_t column) const {
  const int place = (*places_)[column];
  if (place < 0) return {};
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, place));
  return text == nullptr ? std::string_view{}
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, place)));
}

Result<std::unique_ptr<ForeignDatabase>> ForeignDatabase::open(const ByteSource& bytes, const std::string& path,
                                                               const std::atomic<bool>* cancel) {
  std::unique_ptr<ForeignDatabase> database(new ForeignDatabase(bytes));
  database->cancel_ = cancel;
  if (database->connect() != SQLITE_OK) return fail(ErrorCode::kNotReadable, "SQLite cannot open the file", path);
  sqlite3* const connection = database->connection_;
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_exec(connection,
               "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON",
               nullptr, nullptr, nullptr);
  sqlite3_progress_handler(
      connection, 100'000,
      [](void* flag) {
        const auto* wanted = static_cast<const std::atomic<bool>*>(flag);
        return wanted != nullptr && *wanted ? 1 : 0;
      },
      const_cast<std::atomic<bool>*>(cancel));
  const Statement names = prepare(
      connection, "SELECT name, type FROM sqlite_master WHERE type = 'view' OR (type = 'table' AND rootpage > 0)");
  if (!names)
    return fail(ErrorCode::kNotATrace, std::string("a damaged SQLite file: ") + sqlite3_errmsg(connection), path, 0);
  constexpr std::size_t kMostTables = 10'000;
  for (std::size_t count = 0; sqlite3_step(names.get()) == SQLITE_ROW && count < kMostTables; ++count) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(names.get(), 0));
    const auto* type = reinterpret_cast<const char*>(sqlite3_column_text(names.get(), 1));
    if (name != nullptr && type != nullptr)
      (std::string_view(type) == "view" ? database->views_ : database->tables_).insert(name);
  }
  return database;
}

/// Which columns there are differs by version. Generated ones are not among these.
ForeignDatabase::Columns ForeignDatabase::columns_of(std::string_view table) {
  Columns columns;
  const Statement info = prepare(connection_, "PRAGMA table_info(" + sql_quoted(table) + ")");
  while (info && sqlite3_step(info.get()) == SQLITE_ROW) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(info.get(), 1));
    if (name != nullptr) columns.insert(name);
  }
  return columns;
}

ForeignDatabase::Unread ForeignDatabase::unread_events(std::span<const std::string_view> time_columns) {
  Unread unread;
  for (const std::string& table : tables_) {
    if (asked_.contains(table)) continue;
    const Columns columns = columns_of(table);
    if (std::ranges::none_of(time_columns, [&](std::string_view column) { return columns.contains(column); })) continue;
    const Statement count = prepare(connection_, "SELECT count(*) FROM main." + sql_quoted(table));
    if (!count || sqlite3_step(count.get()) != SQLITE_ROW) continue;
    const auto rows = static_cast<std::uint64_t>(std::max<std::int64_t>(sqlite3_column_int64(count.get(), 0), 0));
    if (rows > 0) unread.tables.push_back(table);
    unread.rows += rows;
  }
  return unread;
}

Result<void> ForeignDatabase::read(std::string_view table, const std::vector<std::string_view>& columns,
                                   const std::function<void(const Row&)>& visit) {
  const auto note = [&](std::string_view what) {
    if (!damaged_names_.emplace(table).second) return;  // read again
    if (damage_.empty()) damage_ = fmt::format("{}: {}", table, what);
  };
  // Of events nothing is left out silently; other tables come and go with versions.
  const bool are_events = !columns.empty() && std::ranges::find(kTimes, columns.front()) != kTimes.end();
  if (!has_table(table)) {
    if (are_events && views_.contains(std::string(table))) note("a view, which is not asked");
    return {};
  }
  asked_.emplace(table);
  const Columns known = columns_of(table);
  std::string sql;
  std::vector<int> places;
  int count = 0;
  for (const std::string_view column : columns) {
    if (known.contains(column)) {
      sql.append(sql.empty() ? "SELECT " : ", ").append(sql_quoted(column));
      places.push_back(count++);
    } else {
      places.push_back(-1);
    }
  }
  if (count == 0) {
    if (are_events) note("it has none of the columns that are known");
    return {};
  }
  sql.append(" FROM main.").append(sql_quoted(table));
  const Statement statement = prepare(connection_, sql);
  if (!statement) {
    note(sqlite3_errmsg(connection_));
    return {};
  }
  Row row;
  row.statement_ = statement.get();
  row.places_ = &places;
  int rc = SQLITE_ROW;
  // A page that leads back to itself could give rows without end: no row is smaller than two bytes.
  std::uint64_t rows = 0;
  while ((rc = sqlite3_step(statement.get())) == SQLITE_ROW) {
    if (cancel_ != nullptr && *cancel_) return fail(ErrorCode::kCancelled, "cancelled");
    if (++rows > file_bytes_) break;
    visit(row);
    if (state_ != nullptr && !*state_) return *state_;
  }
  if (cancel_ != nullptr && *cancel_) return fail(ErrorCode::kCancelled, "cancelled");
  if (rc != SQLITE_DONE) note(sqlite3_errmsg(connection_));
  return {};
}

}  // namespace lacuna
