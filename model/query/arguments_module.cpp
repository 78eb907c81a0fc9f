#include "model/query/arguments_module.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <string_view>

#include <sqlite3.h>

#include "model/import/arguments.h"
#include "model/query/json_leaves.h"
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

/// What makes an id of args unique: no event has more.
constexpr unsigned kMostBits = 20;

struct ArgumentsAux {
  QuerySource& source;
  const std::atomic<bool>* cancel;
  // extract_arg() is mostly asked for several keys of one set in a row.
  std::uint32_t last_set = TraceTables::kNone;
  std::vector<ArgumentRow> last_rows;

  const std::vector<ArgumentRow>& rows_of(std::uint32_t set) {
    if (set != last_set) {
      last_rows = read_argument_set(source, set);
      last_set = set;
    }
    return last_rows;
  }
};

struct ArgumentsTable : sqlite3_vtab {
  ArgumentsAux* aux = nullptr;
};

struct ArgumentsCursor : sqlite3_vtab_cursor {
  ArgumentsAux* aux = nullptr;
  std::uint32_t set = 0;
  std::uint32_t last_set = 0;  // exclusive
  std::optional<std::string> key;
  std::optional<std::string> flat_key;
  std::vector<ArgumentRow> rows;
  std::size_t row = 0;

  bool matches() const {
    const ArgumentRow& r = rows[row];
    return (!key || r.key == *key) && (!flat_key || r.flat_key == *flat_key);
  }
  void settle() {
    while (set < last_set) {
      while (row < rows.size() && !matches()) ++row;
      if (row < rows.size()) return;
      ++set;
      row = 0;
      rows.clear();
      if (set < last_set) rows = read_argument_set(aux->source, set);
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
  auto* cursor = new (std::nothrow) ArgumentsCursor();
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->aux = static_cast<ArgumentsTable*>(tab)->aux;
  *out = cursor;
  return SQLITE_OK;
}

int arguments_close(sqlite3_vtab_cursor* base) {
  delete static_cast<ArgumentsCursor*>(base);
  return SQLITE_OK;
}

int arguments_filter(sqlite3_vtab_cursor* base, int plan, const char*, int, sqlite3_value** argv) {
  auto& cursor = *static_cast<ArgumentsCursor*>(base);
  if (auto made = cursor.aux->source.make_tables(cursor.aux->cancel); !made) {
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", made.error().message().c_str());
    return SQLITE_ERROR;
  }
  const auto sets = static_cast<std::uint32_t>(cursor.aux->source.tables().arg_sets.size());
  cursor.set = 0;
  cursor.last_set = sets;
  cursor.key.reset();
  cursor.flat_key.reset();
  cursor.rows.clear();
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
  if (cursor.set < cursor.last_set)
    cursor.rows = (plan & 1) != 0 ? cursor.aux->rows_of(cursor.set) : read_argument_set(cursor.aux->source, cursor.set);
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
  const ArgumentRow& row = cursor.rows[cursor.row];
  using Type = ArgumentRow::Type;
  const auto give_text = [&](std::string_view text) {
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  };
  switch (column) {
    case kArgId:
      sqlite3_result_int64(context, argument_id(cursor.set, cursor.row));
      break;
    case kArgSetId:
      sqlite3_result_int64(context, cursor.set);
      break;
    case kFlatKey:
      give_text(row.flat_key);
      break;
    case kKey:
      give_text(row.key);
      break;
    case kIntValue:
      if (row.type == Type::kInteger || row.type == Type::kBool) sqlite3_result_int64(context, row.number);
      break;
    case kStringValue:
      if (row.type == Type::kText) give_text(row.text);
      break;
    case kRealValue:
      if (row.type == Type::kReal) sqlite3_result_double(context, row.real);
      break;
    case kValueType:
      give_text(type_name_of(row.type));
      break;
    case kDisplayValue:
      give_text(display_of(row));
      break;
    default:
      break;
  }
  return SQLITE_OK;
}

int arguments_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) {
  const auto& cursor = *static_cast<ArgumentsCursor*>(base);
  *rowid = argument_id(cursor.set, cursor.row);
  return SQLITE_OK;
}

void extract_arg(sqlite3_context* context, int, sqlite3_value** argv) {
  auto& aux = *static_cast<ArgumentsAux*>(sqlite3_user_data(context));
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
  const auto& rows = aux.rows_of(static_cast<std::uint32_t>(set));
  const auto found = std::ranges::find(rows, key, &ArgumentRow::key);
  if (found == rows.end()) return sqlite3_result_null(context);
  switch (found->type) {
    case ArgumentRow::Type::kInteger:
    case ArgumentRow::Type::kBool:
      return sqlite3_result_int64(context, found->number);
    case ArgumentRow::Type::kReal:
      return sqlite3_result_double(context, found->real);
    case ArgumentRow::Type::kText:
      return sqlite3_result_text64(context, found->text.data(), found->text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
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

std::int64_t argument_id(std::uint32_t set, std::size_t place) {
  return static_cast<std::int64_t>(std::uint64_t{set} << kMostBits | place);
}

std::string_view type_name_of(ArgumentRow::Type type) {
  using Type = ArgumentRow::Type;
  return type == Type::kInteger ? "int" : type == Type::kBool ? "bool" : type == Type::kText ? "string" : "real";
}

std::string display_of(const ArgumentRow& row) {
  switch (row.type) {
    case ArgumentRow::Type::kInteger:
      return std::to_string(row.number);
    case ArgumentRow::Type::kBool:
      return row.number != 0 ? "true" : "false";
    case ArgumentRow::Type::kText:
      return row.text;
    case ArgumentRow::Type::kReal: {
      std::array<char, 64> text{};
      sqlite3_snprintf(static_cast<int>(text.size()), text.data(), "%!.15g", row.real);
      return text.data();
    }
  }
  return {};
}

std::vector<ArgumentRow> read_argument_set(QuerySource& source, std::uint32_t set) {
  const TraceTables& tables = source.tables();
  std::vector<ArgumentRow> rows;
  const TraceTables::ArgumentSet& where = tables.arg_sets[set];
  if (where.is_made) {
    for (const auto& made : tables.made_arguments[static_cast<std::size_t>(where.offset)])
      rows.push_back({made.key, made.key, made.is_text ? ArgumentRow::Type::kText : ArgumentRow::Type::kInteger,
                      made.number, 0, made.text});
    return rows;
  }
  const auto read = [&](std::uint64_t offset) {
    const auto json = read_event_json(source.trace().sources()[where.source], offset);
    if (!json) return;
    for_each_json_member(*json, [&](std::string_view key, std::string_view value) {
      if (key != "args") return;
      for_each_json_leaf(value, "args", [&](JsonLeaf& leaf) {
        if (rows.size() >= (std::size_t{1} << kMostBits)) return;
        ArgumentRow row{std::move(leaf.key), std::move(leaf.flat_key), ArgumentRow::Type::kInteger,
                        leaf.value.number,   leaf.value.real,          std::move(leaf.value.text)};
        using Kind = JsonScalar::Kind;
        if (leaf.value.kind == Kind::kBool) row.type = ArgumentRow::Type::kBool;
        if (leaf.value.kind == Kind::kReal) row.type = ArgumentRow::Type::kReal;
        if (leaf.value.kind == Kind::kText) row.type = ArgumentRow::Type::kText;
        // A key that comes again takes the place of the first.
        constexpr std::size_t kMostCompared = 64;
        const auto same =
            rows.size() < kMostCompared ? std::ranges::find(rows, row.key, &ArgumentRow::key) : rows.end();
        if (same != rows.end()) {
          *same = std::move(row);
        } else {
          rows.push_back(std::move(row));
        }
      });
    });
  };
  read(where.offset);
  if (where.end_offset != 0) read(where.end_offset);
  return rows;
}

Result<void> register_arguments(sqlite3* connection, QuerySource& source, const std::atomic<bool>* cancel) {
  const auto free_aux = [](void* aux) { delete static_cast<ArgumentsAux*>(aux); };
  auto* for_table = new ArgumentsAux{source, cancel, TraceTables::kNone, {}};
  if (sqlite3_create_module_v2(connection, "args", &arguments_module(), for_table, free_aux) != SQLITE_OK)
    return fail(ErrorCode::kLimit, "the table args cannot be made");
  auto* for_function = new ArgumentsAux{source, cancel, TraceTables::kNone, {}};
  if (sqlite3_create_function_v2(connection, "extract_arg", 2, SQLITE_UTF8, for_function, extract_arg, nullptr, nullptr,
                                 free_aux) != SQLITE_OK)
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
