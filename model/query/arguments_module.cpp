#include "model/query/arguments_module.h"

#include <array>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "model/query/argument_rows.h"
#include "model/query/table_module.h"

namespace lacuna {
namespace {

enum ArgumentColumnIndex {
  kArgId,
  kArgSetId,
  kFlatKey,
  kKey,
  kIntValue,
  kStringValue,
  kRealValue,
  kValueType,
  kDisplayValue
};

struct ArgumentsAux {
  QuerySource& source;
  const std::atomic<bool>* cancel;
};

struct ExtractAux : ArgumentsAux {
  ArgumentRows rows{source};
};

struct ArgumentsTable : sqlite3_vtab {
  ArgumentsAux* aux = nullptr;
};

struct ArgumentsCursor : sqlite3_vtab_cursor {
  explicit ArgumentsCursor(ArgumentsAux& of) : aux(of), rows(of.source) {}
  ArgumentsAux& aux;
  std::uint32_t set = 0;
  std::uint32_t last_set = 0;  // exclusive
  std::optional<std::string> key;
  std::optional<std::string> flat_key;
  ArgumentRows rows;
  std::size_t row = 0;

  bool matches() const { return (!key || rows.key(row) == *key) && (!flat_key || rows.flat_key(row) == *flat_key); }
  void settle() {
    for (; set < last_set; ++set, row = 0) {
      if (rows.set() != set) rows.read(set);
      while (row < rows.size() && !matches()) ++row;
      if (row < rows.size()) return;
    }
  }
};

int arguments_connect(sqlite3* connection, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
  if (const int rc = sqlite3_declare_vtab(connection, declaration_of(arguments_schema()).c_str()); rc != SQLITE_OK)
    return rc;
  auto* table = new (std::nothrow) ArgumentsTable();
  if (table == nullptr) return SQLITE_NOMEM;
  table->aux = static_cast<ArgumentsAux*>(aux);
  *out = table;
  return SQLITE_OK;
}

int arguments_disconnect(sqlite3_vtab* tab) {
  delete static_cast<ArgumentsTable*>(tab);
  return SQLITE_OK;
}

int arguments_best_index(sqlite3_vtab* tab, sqlite3_index_info* info) {
  const ArgumentsAux& aux = *static_cast<ArgumentsTable*>(tab)->aux;
  std::array<int, 3> at{-1, -1, -1};
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (!constraint.usable || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    const bool is_binary = std::string_view(sqlite3_vtab_collation(info, i)) == "BINARY";
    if (constraint.iColumn == kArgSetId) at[0] = i;
    if (constraint.iColumn == kKey && is_binary) at[1] = i;
    if (constraint.iColumn == kFlatKey && is_binary) at[2] = i;
  }
  int plan = 0;
  int arguments = 0;
  for (int k = 0; k < 3; ++k) {
    if (at[static_cast<std::size_t>(k)] < 0) continue;
    plan |= 1 << k;
    info->aConstraintUsage[at[static_cast<std::size_t>(k)]].argvIndex = ++arguments;
  }
  info->idxNum = plan;
  const double sets = static_cast<double>(aux.source.trace().slice_count()) + 10;
  // Reading one event costs as much as looking at many rows of another table.
  info->estimatedCost = (plan & 1) != 0 ? 30 : 30 * sets;
  info->estimatedRows =
      (plan & 1) != 0 ? ((plan & 2) != 0 ? 1 : 10) : static_cast<sqlite3_int64>((plan & 2) != 0 ? sets : 10 * sets);
  return SQLITE_OK;
}

int arguments_open(sqlite3_vtab* tab, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) ArgumentsCursor(*static_cast<ArgumentsTable*>(tab)->aux);
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = cursor;
  return SQLITE_OK;
}

int arguments_close(sqlite3_vtab_cursor* base) {
  delete static_cast<ArgumentsCursor*>(base);
  return SQLITE_OK;
}

int arguments_filter(sqlite3_vtab_cursor* base, int plan, const char*, int, sqlite3_value** argv) {
  auto& cursor = *static_cast<ArgumentsCursor*>(base);
  if (auto made = cursor.aux.source.make_tables(cursor.aux.cancel); !made) {
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", made.error().message().c_str());
    return SQLITE_ERROR;
  }
  const auto sets = static_cast<std::uint32_t>(cursor.aux.source.tables().arg_sets.size());
  cursor.set = 0;
  cursor.last_set = sets;
  cursor.key.reset();
  cursor.flat_key.reset();
  cursor.row = 0;
  int next = 0;
  if ((plan & 1) != 0) {
    sqlite3_value* value = argv[next++];
    const sqlite3_int64 wanted = sqlite3_value_type(value) == SQLITE_NULL ? -1 : sqlite3_value_int64(value);
    if (wanted < 0 || wanted >= sets) {
      cursor.last_set = 0;
    } else {
      cursor.set = static_cast<std::uint32_t>(wanted);
      cursor.last_set = cursor.set + 1;
    }
  }
  const auto text_of = [&](std::optional<std::string>& out) {
    sqlite3_value* value = argv[next++];
    if (sqlite3_value_type(value) == SQLITE_TEXT) out = reinterpret_cast<const char*>(sqlite3_value_text(value));
  };
  if ((plan & 2) != 0) text_of(cursor.key);
  if ((plan & 4) != 0) text_of(cursor.flat_key);
  cursor.settle();
  return SQLITE_OK;
}

int arguments_next(sqlite3_vtab_cursor* base) {
  auto& cursor = *static_cast<ArgumentsCursor*>(base);
  ++cursor.row;
  cursor.settle();
  return SQLITE_OK;
}

int arguments_eof(sqlite3_vtab_cursor* base) {
  const auto& cursor = *static_cast<ArgumentsCursor*>(base);
  return cursor.set >= cursor.last_set ? 1 : 0;
}

int arguments_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const auto& cursor = *static_cast<ArgumentsCursor*>(base);
  const ArgumentRows& rows = cursor.rows;
  const std::size_t row = cursor.row;
  const auto give_text = [&](std::string_view text) {
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  };
  switch (column) {
    case kArgId:
      sqlite3_result_int64(context, rows.id(row));
      return SQLITE_OK;
    case kArgSetId:
      sqlite3_result_int64(context, rows.set());
      return SQLITE_OK;
    case kFlatKey:
      give_text(rows.flat_key(row));
      return SQLITE_OK;
    case kKey:
      give_text(rows.key(row));
      return SQLITE_OK;
    default:
      break;
  }
  const JsonScalar value = rows.value(row);
  const bool is_text = value.kind == JsonScalar::Kind::kText, is_real = value.kind == JsonScalar::Kind::kReal;
  if (column == kIntValue && !is_text && !is_real) sqlite3_result_int64(context, value.number);
  if (column == kStringValue && is_text) give_text(value.text);
  if (column == kRealValue && is_real) sqlite3_result_double(context, value.real);
  if (column == kValueType) give_text(type_name_of(value));
  if (column == kDisplayValue) give_text(display_of(value));
  return SQLITE_OK;
}

int arguments_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) {
  const auto& cursor = *static_cast<ArgumentsCursor*>(base);
  *rowid = cursor.rows.id(cursor.row);
  return SQLITE_OK;
}

void extract_arg(sqlite3_context* context, int, sqlite3_value** argv) {
  auto& aux = *static_cast<ExtractAux*>(sqlite3_user_data(context));
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
    return sqlite3_result_error(context, "EXTRACT_ARG: 1st argument should be arg set id", -1);
  if (sqlite3_value_type(argv[1]) != SQLITE_TEXT)
    return sqlite3_result_error(context, "EXTRACT_ARG: 2nd argument should be key", -1);
  if (auto made = aux.source.make_tables(aux.cancel); !made)
    return sqlite3_result_error(context, made.error().message().c_str(), -1);
  const sqlite3_int64 set = sqlite3_value_int64(argv[0]);
  if (set < 0 || set >= static_cast<sqlite3_int64>(aux.source.tables().arg_sets.size()))
    return sqlite3_result_null(context);
  const std::string_view key = reinterpret_cast<const char*>(sqlite3_value_text(argv[1]));
  ArgumentRows& rows = aux.rows;
  // It is mostly asked for several keys of one set in a row.
  if (rows.set() != set) rows.read(static_cast<std::uint32_t>(set));
  std::size_t row = 0;
  while (row < rows.size() && rows.key(row) != key) ++row;
  if (row == rows.size()) return sqlite3_result_null(context);
  const JsonScalar value = rows.value(row);
  if (value.kind == JsonScalar::Kind::kReal) return sqlite3_result_double(context, value.real);
  if (value.kind == JsonScalar::Kind::kText)
    return sqlite3_result_text64(context, value.text.data(), value.text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  sqlite3_result_int64(context, value.number);
}

const sqlite3_module& arguments_module() {
  static const sqlite3_module module = [] {
    sqlite3_module m{};
    m.iVersion = 1;
    m.xConnect = arguments_connect;
    m.xDisconnect = arguments_disconnect;
    m.xBestIndex = arguments_best_index;
    m.xOpen = arguments_open;
    m.xClose = arguments_close;
    m.xFilter = arguments_filter;
    m.xNext = arguments_next;
    m.xEof = arguments_eof;
    m.xColumn = arguments_column;
    m.xRowid = arguments_rowid;
    return m;
  }();
  return module;
}

}  // namespace

Result<void> register_arguments(sqlite3* connection, QuerySource& source, const std::atomic<bool>* cancel) {
  const auto free_aux = [](void* aux) { delete static_cast<ArgumentsAux*>(aux); };
  auto* for_table = new ArgumentsAux{source, cancel};
  if (sqlite3_create_module_v2(connection, "args", &arguments_module(), for_table, free_aux) != SQLITE_OK)
    return fail(ErrorCode::kLimit, "the table args cannot be made");
  auto* for_function = new ExtractAux{{source, cancel}};
  if (sqlite3_create_function_v2(connection, "extract_arg", 2, SQLITE_UTF8, for_function, extract_arg, nullptr, nullptr,
                                 [](void* aux) { delete static_cast<ExtractAux*>(aux); }) != SQLITE_OK)
    return fail(ErrorCode::kLimit, "the function extract_arg cannot be made");
  return {};
}

const QueryTable& arguments_schema() {
  static const QueryTable* const schema = [] {
    auto* table = new QueryTable();
    table->name = "args";
    table->help = "Args of events, a row for each value; fastest by arg_set_id";
    const auto column = [&](const char* name, const char* type, const char* help) {
      QueryColumn c;
      c.name = name;
      c.type = type;
      c.help = help;
      table->columns.push_back(std::move(c));
    };
    column("id", "INTEGER", "Number of the argument");
    column("arg_set_id", "INTEGER", "Which set it is in: slice.arg_set_id; equal args are one set");
    column("flat_key", "TEXT", "Its path without places in lists: args.Input Dims");
    column("key", "TEXT", "Its path: args.Input Dims[0][1]");
    column("int_value", "INTEGER", "The value where it is an integer; true is 1");
    column("string_value", "TEXT", "The value where it is text");
    column("real_value", "REAL", "The value where it has a fraction");
    column("value_type", "TEXT", "int, real, string or bool");
    column("display_value", "TEXT", "The value as text");
    return table;
  }();
  return *schema;
}

}  // namespace lacuna
