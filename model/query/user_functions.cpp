#include "model/query/user_functions.h"

#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

namespace lacuna {
namespace {

/// A function may call itself, so deep and no deeper.
constexpr int kDeepestCall = 100;

struct FunctionBody {
  sqlite3* connection = nullptr;
  QueryFunction function;
  /// Prepared, and in no use. It goes with the connection, which lives until all of its statements are gone, and only
  /// then lets go of its functions.
  sqlite3_stmt* idle = nullptr;
  int depth = 0;

  /// A statement of its own for each call under way.
  sqlite3_stmt* take() {
    if (idle != nullptr) return std::exchange(idle, nullptr);
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection, function.body.c_str(), -1, &statement, nullptr) != SQLITE_OK) return nullptr;
    return statement;
  }
  void give_back(sqlite3_stmt* statement) {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (idle == nullptr) {
      idle = statement;
    } else {
      sqlite3_finalize(statement);
    }
  }
  void bind(sqlite3_stmt* statement, std::size_t parameter, sqlite3_value* value) const {
    const int at = sqlite3_bind_parameter_index(statement, ("$" + function.parameters[parameter]).c_str());
    if (at > 0) sqlite3_bind_value(statement, at, value);
  }
};

/// What went wrong within a body. Of functions that call themselves it says so once.
std::string words_in(const FunctionBody& body) {
  const std::string where = "in " + body.function.name + ": ";
  const std::string_view said = sqlite3_errmsg(body.connection);
  return said.starts_with(where) ? std::string(said) : where + std::string(said);
}

void call_function(sqlite3_context* context, int argc, sqlite3_value** argv) {
  auto& body = *static_cast<FunctionBody*>(sqlite3_user_data(context));
  if (body.depth >= kDeepestCall)
    return sqlite3_result_error(context, (body.function.name + " calls itself too deeply").c_str(), -1);
  sqlite3_stmt* statement = body.take();
  if (statement == nullptr) return sqlite3_result_error(context, words_in(body).c_str(), -1);
  ++body.depth;
  for (int i = 0; i < argc; ++i) body.bind(statement, static_cast<std::size_t>(i), argv[i]);
  const int rc = sqlite3_step(statement);
  if (rc == SQLITE_ROW) {
    sqlite3_result_value(context, sqlite3_column_value(statement, 0));
  } else if (rc != SQLITE_DONE) {
    sqlite3_result_error(context, words_in(body).c_str(), -1);
  }
  --body.depth;
  body.give_back(statement);
}

struct BodyTable : sqlite3_vtab {
  FunctionBody* body = nullptr;
};
struct BodyCursor : sqlite3_vtab_cursor {
  FunctionBody* body = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::vector<sqlite3_value*> arguments;
  bool is_over = true;
  sqlite3_int64 row = 0;
  void clear() {
    if (statement != nullptr) body->give_back(std::exchange(statement, nullptr));
    for (sqlite3_value* value : arguments) sqlite3_value_free(value);
    arguments.clear();
  }
};

int body_connect(sqlite3* connection, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
  auto* body = static_cast<FunctionBody*>(aux);
  std::string declaration = "CREATE TABLE x(";
  for (const std::string& column : body->function.columns) declaration += quoted_name(column) + ", ";
  for (const std::string& parameter : body->function.parameters)
    declaration += quoted_name("$" + parameter) + " HIDDEN, ";
  declaration.resize(declaration.size() - 2);
  if (const int rc = sqlite3_declare_vtab(connection, (declaration + ")").c_str()); rc != SQLITE_OK) return rc;
  auto* table = new (std::nothrow) BodyTable();
  if (table == nullptr) return SQLITE_NOMEM;
  table->body = body;
  *out = table;
  return SQLITE_OK;
}
int body_disconnect(sqlite3_vtab* tab) {
  delete static_cast<BodyTable*>(tab);
  return SQLITE_OK;
}
int body_best_index(sqlite3_vtab* tab, sqlite3_index_info* info) {
  const QueryFunction& function = static_cast<BodyTable*>(tab)->body->function;
  const int first = static_cast<int>(function.columns.size());
  const int count = static_cast<int>(function.parameters.size());
  int given = 0;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn < first || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!constraint.usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = constraint.iColumn - first + 1;
    info->aConstraintUsage[i].omit = 1;
    ++given;
  }
  if (given != count) {
    sqlite3_free(tab->zErrMsg);
    tab->zErrMsg = sqlite3_mprintf("%s takes %d arguments", function.name.c_str(), count);
    return SQLITE_ERROR;
  }
  info->estimatedCost = 1000;
  info->estimatedRows = 100;
  return SQLITE_OK;
}
int body_open(sqlite3_vtab* tab, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) BodyCursor();
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->body = static_cast<BodyTable*>(tab)->body;
  *out = cursor;
  return SQLITE_OK;
}
int body_close(sqlite3_vtab_cursor* base) {
  auto* cursor = static_cast<BodyCursor*>(base);
  cursor->clear();
  delete cursor;
  return SQLITE_OK;
}
int body_fail(sqlite3_vtab_cursor* base, const FunctionBody& body) {
  sqlite3_free(base->pVtab->zErrMsg);
  base->pVtab->zErrMsg = sqlite3_mprintf("%s", words_in(body).c_str());
  return SQLITE_ERROR;
}
int body_next(sqlite3_vtab_cursor* base) {
  auto& cursor = *static_cast<BodyCursor*>(base);
  ++cursor.body->depth;
  const int rc = cursor.body->depth > kDeepestCall ? SQLITE_ERROR : sqlite3_step(cursor.statement);
  --cursor.body->depth;
  cursor.is_over = rc != SQLITE_ROW;
  ++cursor.row;
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : body_fail(base, *cursor.body);
}
int body_filter(sqlite3_vtab_cursor* base, int, const char*, int argc, sqlite3_value** argv) {
  auto& cursor = *static_cast<BodyCursor*>(base);
  cursor.clear();
  cursor.row = 0;
  cursor.statement = cursor.body->take();
  if (cursor.statement == nullptr) return body_fail(base, *cursor.body);
  if (sqlite3_column_count(cursor.statement) != static_cast<int>(cursor.body->function.columns.size())) {
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg =
        sqlite3_mprintf("%s: its query has %d columns, RETURNS TABLE says %d", cursor.body->function.name.c_str(),
                        sqlite3_column_count(cursor.statement), static_cast<int>(cursor.body->function.columns.size()));
    return SQLITE_ERROR;
  }
  for (int i = 0; i < argc; ++i) {
    cursor.arguments.push_back(sqlite3_value_dup(argv[i]));
    cursor.body->bind(cursor.statement, static_cast<std::size_t>(i), argv[i]);
  }
  return body_next(base);
}
int body_eof(sqlite3_vtab_cursor* base) {
  return static_cast<BodyCursor*>(base)->is_over ? 1 : 0;
}
int body_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  auto& cursor = *static_cast<BodyCursor*>(base);
  const auto columns = static_cast<int>(cursor.body->function.columns.size());
  if (column < columns) {
    sqlite3_result_value(context, sqlite3_column_value(cursor.statement, column));
  } else if (static_cast<std::size_t>(column - columns) < cursor.arguments.size()) {
    sqlite3_result_value(context, cursor.arguments[static_cast<std::size_t>(column - columns)]);
  }
  return SQLITE_OK;
}
int body_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) {
  *rowid = static_cast<BodyCursor*>(base)->row;
  return SQLITE_OK;
}

const sqlite3_module& body_module() {
  static const sqlite3_module module = [] {
    sqlite3_module m{};
    m.iVersion = 1;
    m.xConnect = body_connect;
    m.xDisconnect = body_disconnect;
    m.xBestIndex = body_best_index;
    m.xOpen = body_open;
    m.xClose = body_close;
    m.xFilter = body_filter;
    m.xNext = body_next;
    m.xEof = body_eof;
    m.xColumn = body_column;
    m.xRowid = body_rowid;
    return m;
  }();
  return module;
}

}  // namespace

Result<void> define_function(sqlite3* connection, const QueryFunction& function) {
  auto body = std::make_unique<FunctionBody>();
  body->connection = connection;
  body->function = function;
  const auto free_body = [](void* b) { delete static_cast<FunctionBody*>(b); };
  const int rc =
      function.is_table
          ? sqlite3_create_module_v2(connection, function.name.c_str(), &body_module(), body.release(), free_body)
          : sqlite3_create_function_v2(connection, function.name.c_str(), static_cast<int>(function.parameters.size()),
                                       SQLITE_UTF8, body.release(), call_function, nullptr, nullptr, free_body);
  if (rc != SQLITE_OK)
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the function {}: {}", function.name, sqlite3_errmsg(connection)));
  return {};
}

}  // namespace lacuna
