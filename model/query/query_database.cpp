#include "model/query/query_database.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "model/base/ascii.h"
#include "model/formats/chrome/json_text.h"
#include "model/query/arguments_module.h"
#include "model/query/dialect.h"
#include "model/query/grouped_query.h"
#include "model/query/own_tables.h"
#include "model/query/perfetto_schema.h"
#include "model/query/query_limits.h"
#include "model/query/slice_functions.h"
#include "model/query/slice_groups.h"
#include "model/query/span_join.h"
#include "model/query/sql_functions.h"
#include "model/query/sql_text.h"
#include "model/query/table_module.h"
#include "model/query/user_functions.h"

namespace lacuna {
namespace {

constexpr sqlite3_int64 kMostMemory = sqlite3_int64{2} << 30;
constexpr std::size_t kLongestCause = 300;
constexpr int kLongestValue = 512 << 20;
constexpr int kStepsBetweenLooks = 20'000;

/// Names of Perfetto's prelude that traces of this kind cannot fill, and modules' tables that queries ask for.
constexpr std::array<std::string_view, 22> kPerfettoAlone{"android_logs",
                                                          "cpu_profile_stack_sample",
                                                          "ftrace_event",
                                                          "gpu_counter_track",
                                                          "gpu_slice",
                                                          "gpu_track",
                                                          "heap_graph_object",
                                                          "heap_profile_allocation",
                                                          "perf_sample",
                                                          "raw",
                                                          "spurious_sched_wakeup",
                                                          "stack_profile_callsite",
                                                          "stack_profile_frame",
                                                          "stack_profile_mapping",
                                                          "cpu_counter_track",
                                                          "cpu_track",
                                                          "frame_slice",
                                                          "expected_frame_timeline_slice",
                                                          "actual_frame_timeline_slice",
                                                          "machine",
                                                          "clock_snapshot",
                                                          "package_list"};

/// What grouped_query() takes to be SQLite's own.
constexpr std::array<std::string_view, 17> kGroupedFunctions{"count",  "sum",    "avg",      "min",    "max",  "round",
                                                             "printf", "format", "coalesce", "ifnull", "abs",  "upper",
                                                             "lower",  "substr", "length",   "nullif", "slice"};

bool is_any_ignoring_case(std::string_view name, std::span<const std::string_view> of) {
  return std::ranges::any_of(of, [name](std::string_view one) { return equal_ignoring_case(name, one); });
}

int authorize(void* state, int action, const char* first, const char* second, const char*, const char*) {
  const bool is_opening = *static_cast<const bool*>(state);
  if (is_opening) return SQLITE_OK;
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_VTABLE:
    case SQLITE_ANALYZE:
      return SQLITE_DENY;
    case SQLITE_PRAGMA: {
      const std::string_view name(first == nullptr ? "" : first);
      constexpr std::array<std::string_view, 6> kReading{"table_info",    "table_xinfo",   "table_list",
                                                         "function_list", "database_list", "compile_options"};
      return std::ranges::find(kReading, name) != kReading.end() ? SQLITE_OK : SQLITE_DENY;
    }
    case SQLITE_FUNCTION: {
      const std::string_view name(second == nullptr ? "" : second);
      constexpr std::array<std::string_view, 5> kRefused{"load_extension", "readfile", "writefile", "edit",
                                                         "fts3_tokenizer"};
      return std::ranges::find(kRefused, name) != kRefused.end() ? SQLITE_DENY : SQLITE_OK;
    }
    default:
      return SQLITE_OK;
  }
}

}  // namespace

struct QueryDatabase::State {
  explicit State(QuerySource& from) : source(from) {}
  ~State() {
    // Those that functions keep; all others are over.
    while (sqlite3_stmt* statement = connection == nullptr ? nullptr : sqlite3_next_stmt(connection, nullptr))
      sqlite3_finalize(statement);
    sqlite3_close_v2(connection);
  }

  QuerySource& source;
  std::vector<std::unique_ptr<QueryTable>> perfetto;
  std::vector<std::unique_ptr<QueryTable>> own;
  std::unique_ptr<QueryTable> groups;
  bool has_own_meaning = false;  // of what grouped_query() needs
  std::vector<const QueryTable*> all;
  Dialect dialect;
  sqlite3* connection = nullptr;
  bool is_opening = true;
  QueryLimits limits;

  tl::unexpected<Error> failure(int rc, const DialectStep* step, int offset) {
    if (limits.wants_stop()) return fail(ErrorCode::kCancelled, "cancelled");
    // It may quote the query itself.
    std::string cause = sqlite3_errmsg(connection);
    if (cause.size() > kLongestCause) cause = cause.substr(0, utf8_cut(cause, kLongestCause)) + "\xE2\x80\xA6";
    std::optional<std::uint64_t> place;
    if (step != nullptr && offset >= 0) {
      place = step->sql.place(static_cast<std::size_t>(offset));
    } else if (step != nullptr) {
      place = step->begin;
    }
    if (limits.is_too_long()) {
      const std::uint64_t steps = limits.steps();
      return fail(ErrorCode::kLimit,
                  steps < 1'000'000 ? fmt::format("the query has not ended after {} steps", steps)
                                    : fmt::format("the query has not ended after {} million steps", steps / 1'000'000),
                  {}, place);
    }
    if (rc == SQLITE_INTERRUPT) return fail(ErrorCode::kCancelled, "cancelled");
    if (rc == SQLITE_NOMEM)
      return fail(ErrorCode::kLimit, fmt::format("the query needs more than {} GiB of memory", kMostMemory >> 30), {},
                  place);
    if (rc == SQLITE_TOOBIG)
      return fail(ErrorCode::kLimit, fmt::format("a value of the query is longer than {} MiB", kLongestValue >> 20), {},
                  place);
    if (rc == SQLITE_AUTH)
      return fail(ErrorCode::kInvalidArgument, "not allowed: queries read the trace and nothing else", {}, place);
    constexpr std::string_view kNoTable = "no such table: ";
    if (cause.starts_with(kNoTable)) {
      const std::string_view name = std::string_view(cause).substr(kNoTable.size());
      if (std::ranges::find(kPerfettoAlone, name) != kPerfettoAlone.end())
        return fail(ErrorCode::kUnsupported, fmt::format("Perfetto's table {} is not supported", name), {}, place);
    }
    return fail(ErrorCode::kInvalidArgument, cause, {}, place);
  }

  Result<void> execute(const char* sql) {
    char* error = nullptr;
    const int rc = sqlite3_exec(connection, sql, nullptr, nullptr, &error);
    sqlite3_free(error);
    if (rc == SQLITE_OK) return {};
    return failure(rc, nullptr, -1);
  }

  Result<void> open();
  Result<void> prepare_replacing(const std::string& name);
  bool is_slice_replaced();
  sqlite3_stmt* prepare_grouped(const std::string& sql);
  Result<Outcome> run_sql(const DialectStep& step, bool is_last, const Options& options, const ColumnSink& columns,
                          const RowSink& row);
};

Result<void> QueryDatabase::State::open() {
  sqlite3_hard_heap_limit64(kMostMemory);
  if (const int rc = sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
      rc != SQLITE_OK)
    return fail(ErrorCode::kLimit, "no memory for a query");
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  // name="timed region" is text where there is no such column, as in Perfetto.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 1, nullptr);
  sqlite3_extended_result_codes(connection, 0);
  constexpr std::array<std::pair<int, int>, 7> kLimits{{{SQLITE_LIMIT_LENGTH, kLongestValue},
                                                        {SQLITE_LIMIT_SQL_LENGTH, 4 << 20},
                                                        {SQLITE_LIMIT_EXPR_DEPTH, 500},
                                                        {SQLITE_LIMIT_ATTACHED, 0},
                                                        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10'000},
                                                        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                                        {SQLITE_LIMIT_WORKER_THREADS, 0}}};
  for (const auto& [limit, value] : kLimits) sqlite3_limit(connection, limit, value);
  sqlite3_set_authorizer(connection, authorize, &is_opening);
  sqlite3_progress_handler(
      connection, kStepsBetweenLooks,
      [](void* context) { return static_cast<QueryLimits*>(context)->spend(kStepsBetweenLooks) ? 0 : 1; }, &limits);
  perfetto = perfetto_tables(source, &limits.is_cancelled());
  own = own_tables(source, &limits.is_cancelled());
  QueryTable* slices = nullptr;
  QueryTable* flows = nullptr;
  for (auto& table : own) all.push_back(table.get());
  for (auto* tables : {&perfetto, &own}) {
    for (auto& table : *tables) {
      if (auto done = register_table(connection, *table); !done) return done;
      if (table->name == "slice") slices = table.get();
      if (table->name == "flow") flows = table.get();
    }
  }
  for (auto& table : perfetto) all.push_back(table.get());
  groups = slice_groups_table(source, &limits.is_cancelled());
  if (auto done = register_table(connection, *groups); !done) return done;
  all.push_back(&arguments_schema());
  if (auto done = register_arguments(connection, source, &limits.is_cancelled()); !done) return done;
  if (auto done = register_slice_functions(connection, source, *slices, *flows); !done) return done;
  if (auto done = register_functions(connection, source, limits); !done) return done;
  if (auto done = execute("PRAGMA temp_store = MEMORY; PRAGMA journal_mode = OFF;"); !done) return done;
  if (auto done = execute(std::string(perfetto_views()).c_str()); !done) return done;
  is_opening = false;
  return {};
}

/// CREATE OR REPLACE: what was made under the name before goes.
Result<void> QueryDatabase::State::prepare_replacing(const std::string& name) {
  for (const char* what : {"VIEW", "TABLE"}) {
    char* error = nullptr;
    sqlite3_exec(connection, fmt::format("DROP {} IF EXISTS temp.{}", what, name).c_str(), nullptr, nullptr, &error);
    sqlite3_free(error);  // it was the other one
  }
  return {};
}

/// Whether the query made a table or view named slice: that goes before ours.
bool QueryDatabase::State::is_slice_replaced() {
  sqlite3_stmt* raw = nullptr;
  constexpr const char* kNames =
      "SELECT 1 FROM sqlite_master WHERE name = 'slice' COLLATE NOCASE UNION ALL "
      "SELECT 1 FROM sqlite_temp_master WHERE name = 'slice' COLLATE NOCASE";
  if (sqlite3_prepare_v2(connection, kNames, -1, &raw, nullptr) != SQLITE_OK) return true;
  const bool is_there = sqlite3_step(raw) != SQLITE_DONE;
  sqlite3_finalize(raw);
  return is_there;
}

/// The statement over slices that are counted already; null: it has to be asked as it is.
sqlite3_stmt* QueryDatabase::State::prepare_grouped(const std::string& sql) {
  if (has_own_meaning) return nullptr;
  const auto grouped = grouped_query(sql);
  if (!grouped || is_slice_replaced() || !groups->make_ready()) return nullptr;
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(connection, grouped->c_str(), -1, &raw, nullptr) == SQLITE_OK) return raw;
  sqlite3_finalize(raw);
  return nullptr;
}

Result<QueryDatabase::Outcome> QueryDatabase::State::run_sql(const DialectStep& step, bool is_last,
                                                             const Options& options, const ColumnSink& columns,
                                                             const RowSink& row) {
  Outcome outcome;
  if (!step.before.empty()) {
    if (auto done = prepare_replacing(step.before); !done) return tl::make_unexpected(done.error());
  }
  sqlite3_stmt* raw = nullptr;
  const std::string& sql = step.sql.text();
  if (const int rc = sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
      rc != SQLITE_OK) {
    // An index over what is no table of its own is of no use, and needed by nobody.
    if (step.function.name == "index" &&
        std::string_view(sqlite3_errmsg(connection)).find("may not be indexed") != std::string_view::npos)
      return outcome;
    return failure(rc, &step, sqlite3_error_offset(connection));
  }
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
  const int count = sqlite3_column_count(raw);
  std::vector<Cell> cells(static_cast<std::size_t>(count));
  if (is_last && count > 0) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.emplace_back(sqlite3_column_name(raw, i));
    columns(names);
  }
  if (sqlite3_stmt* grouped = prepare_grouped(sql)) {
    statement.reset(grouped);
    raw = grouped;
  }
  int rc = SQLITE_ROW;
  while ((rc = sqlite3_step(raw)) == SQLITE_ROW) {
    if (!is_last) continue;
    if (options.most_rows != 0 && outcome.rows == options.most_rows) {
      outcome.has_more = true;
      return outcome;
    }
    for (int i = 0; i < count; ++i) {
      Cell& cell = cells[static_cast<std::size_t>(i)];
      switch (sqlite3_column_type(raw, i)) {
        case SQLITE_INTEGER:
          cell = Cell::of(sqlite3_column_int64(raw, i));
          break;
        case SQLITE_FLOAT:
          cell = Cell::of_real(sqlite3_column_double(raw, i));
          break;
        case SQLITE_NULL:
          cell = Cell::null();
          break;
        default: {
          const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, i));
          cell = Cell::of_text(text == nullptr
                                   ? std::string_view{}
                                   : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(raw, i))));
          break;
        }
      }
    }
    ++outcome.rows;
    if (!row(cells)) return outcome;
  }
  if (rc != SQLITE_DONE) return failure(rc, &step, -1);
  return outcome;
}

QueryDatabase::QueryDatabase(std::unique_ptr<State> state) : state_(std::move(state)) {}
QueryDatabase::~QueryDatabase() = default;

Result<std::unique_ptr<QueryDatabase>> QueryDatabase::open(QuerySource& source) {
  auto state = std::make_unique<State>(source);
  if (auto done = state->open(); !done) return tl::make_unexpected(done.error());
  return std::unique_ptr<QueryDatabase>(new QueryDatabase(std::move(state)));
}

Result<QueryDatabase::Outcome> QueryDatabase::run(std::string_view sql, const Options& options,
                                                  const ColumnSink& columns, const RowSink& row) {
  State& s = *state_;
  s.limits.start(options.cancel, options.most_steps);
  try {
    // SQLite would take it for the end, and ignore the rest silently.
    if (const auto zero = sql.find('\0'); zero != std::string_view::npos)
      return fail(ErrorCode::kInvalidArgument, "a NUL byte in the query", {}, zero);
    const std::vector<SqlStatement> statements = split_statements(sql);
    if (statements.empty()) return fail(ErrorCode::kInvalidArgument, "there is no statement in the query");
    Outcome outcome;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const auto step = s.dialect.translate(sql, statements[i].begin, statements[i].end);
      if (!step) return tl::make_unexpected(step.error());
      const bool is_last = i + 1 == statements.size();
      const auto placed = [&](Result<void> done) -> Result<void> {
        if (!done && (s.limits.wants_stop() || s.limits.is_too_long())) return s.failure(SQLITE_INTERRUPT, &*step, -1);
        if (!done && !done.error().offset) done.error().offset = step->begin;
        return done;
      };
      switch (step->kind) {
        case DialectStep::Kind::kNothing:
          break;
        case DialectStep::Kind::kFunction:
          if (auto done = placed(define_function(s.connection, step->function)); !done)
            return tl::make_unexpected(done.error());
          s.has_own_meaning |= is_any_ignoring_case(step->function.name, kGroupedFunctions);
          break;
        case DialectStep::Kind::kSpanJoin:
          s.has_own_meaning |= equal_ignoring_case(step->span_join.name, "slice");
          if (auto done = placed(make_span_join(s.connection, step->span_join)); !done)
            return tl::make_unexpected(done.error());
          break;
        case DialectStep::Kind::kSql: {
          const auto done = s.run_sql(*step, is_last, options, columns, row);
          if (!done) return done;
          outcome.rows = done->rows;
          outcome.has_more = done->has_more;
          break;
        }
      }
      ++outcome.statements;
    }
    return outcome;
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory for the query");
  } catch (const std::exception& e) {
    return fail(ErrorCode::kLimit, std::string("the query cannot be run: ") + e.what());
  }
}

const std::vector<const QueryTable*>& QueryDatabase::tables() const {
  return state_->all;
}

}  // namespace lacuna
