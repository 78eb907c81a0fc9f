#include "model/query/table_module.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <sqlite3.h>

namespace lacuna {
namespace {

/// How a scan goes about it: the first constraint, as planned; the order; and whether it looks at ids of slices.
enum Plan : int {
  kScan = 0,
  kByRow = 1,
  kByIndex = 2,
  kByRange = 3,
  kGrouped = 4,
  kPlanMask = 7,
  kDescending = 8,
  kUsesIds = 16
};

struct TableInstance : sqlite3_vtab {
  QueryTable* table = nullptr;
};

/// A comparison that is checked before a row is handed on; SQLite checks it again.
struct RowFilter {
  std::size_t column = 0;
  bool is_text = false;
  std::uint32_t text_id = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

struct TableCursor : sqlite3_vtab_cursor {
  QueryTable* table = nullptr;
  std::span<const std::uint32_t> list;  // of rows; empty when rows are counted
  bool is_list = false;
  bool is_descending = false;
  std::int64_t first = 0;  // positions in the list, or rows: [first, last)
  std::int64_t last = 0;
  std::int64_t at = 0;  // steps taken
  std::vector<RowFilter> filters;

  std::uint32_t row() const {
    const std::int64_t place = is_descending ? last - 1 - at : first + at;
    return is_list ? list[static_cast<std::size_t>(place)] : static_cast<std::uint32_t>(place);
  }
  bool passes() const {
    const std::uint32_t r = row();
    for (const RowFilter& filter : filters) {
      const QueryColumn& column = table->columns[filter.column];
      if (filter.is_text) {
        if (column.text_id(r) != filter.text_id) return false;
      } else {
        const Cell cell = column.get(r);
        if (cell.kind != Cell::Kind::kInteger || cell.integer < filter.least || cell.integer > filter.most)
          return false;
      }
    }
    return true;
  }
  bool is_over() const { return at >= last - first; }
};

int table_connect(sqlite3* connection, void* aux, int, const char* const*, sqlite3_vtab** out, char** error) {
  auto* table = static_cast<QueryTable*>(aux);
  if (const int rc = sqlite3_declare_vtab(connection, declaration_of(*table).c_str()); rc != SQLITE_OK) {
    *error = sqlite3_mprintf("%s", sqlite3_errmsg(connection));
    return rc;
  }
  auto* instance = new (std::nothrow) TableInstance();
  if (instance == nullptr) return SQLITE_NOMEM;
  instance->table = table;
  *out = instance;
  return SQLITE_OK;
}

int table_disconnect(sqlite3_vtab* tab) {
  delete static_cast<TableInstance*>(tab);
  return SQLITE_OK;
}

bool is_range(unsigned char op) {
  return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_LT ||
         op == SQLITE_INDEX_CONSTRAINT_LE;
}

int table_best_index(sqlite3_vtab* tab, sqlite3_index_info* info) {
  QueryTable& table = *static_cast<TableInstance*>(tab)->table;
  const double rows =
      static_cast<double>(std::max<std::uint64_t>(table.is_ready() ? table.rows() : table.expected_rows, 1));
  int plan = kScan;
  int chosen = -1;
  double cost = rows;
  double estimate = rows;
  const auto lookup_of = [&](int column) {
    return column < 0 ? Lookup::kRow : table.columns[static_cast<std::size_t>(column)].lookup;
  };
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (!constraint.usable || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    const Lookup lookup = lookup_of(constraint.iColumn);
    if (lookup == Lookup::kRow && cost > 1) {
      plan = kByRow;
      chosen = i;
      cost = estimate = 1;
    } else if (lookup == Lookup::kIndexed && cost > 12) {
      plan = kByIndex;
      chosen = i;
      cost = 12;
      estimate = 4;
    }
  }
  std::string filters;
  int arguments = 0;
  const auto use = [&](int i) {
    info->aConstraintUsage[i].argvIndex = ++arguments;
    filters += fmt::format("{}:{};", info->aConstraint[i].iColumn, static_cast<int>(info->aConstraint[i].op));
  };
  if (chosen >= 0) use(chosen);
  bool has_range = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (i == chosen || !constraint.usable || constraint.iColumn < 0) continue;
    const Lookup lookup = lookup_of(constraint.iColumn);
    const bool is_equal = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
    if (lookup == Lookup::kText && is_equal && std::string_view(sqlite3_vtab_collation(info, i)) == "BINARY") {
      use(i);
      if (plan == kScan) {
        cost *= 0.4;
        estimate = std::max(1.0, estimate / 20);
      }
    } else if (lookup != Lookup::kText && (is_equal || is_range(constraint.op)) &&
               table.columns[static_cast<std::size_t>(constraint.iColumn)].type == "INTEGER") {
      use(i);
      if (plan == kScan) {
        const bool is_sorted = lookup == Lookup::kSorted || lookup == Lookup::kRow;
        has_range |= is_sorted;
        cost *= is_sorted ? (is_equal ? 0.001 : 0.3) : 0.6;
        estimate = std::max(1.0, estimate / (is_equal ? 20 : 3));
      }
    }
  }
  if (plan == kScan && has_range) plan = kByRange;
  if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn >= 0) {
    const Lookup lookup = lookup_of(info->aOrderBy[0].iColumn);
    if (lookup == Lookup::kRow || lookup == Lookup::kSorted) {
      info->orderByConsumed = 1;
      if (info->aOrderBy[0].desc) plan |= kDescending;
    } else if (lookup == Lookup::kText && plan == kScan && rows > 1000 &&
               (sqlite3_vtab_distinct(info) == 1 || sqlite3_vtab_distinct(info) == 2)) {
      plan = kGrouped;
      info->orderByConsumed = 1;
      filters = fmt::format("{}|", info->aOrderBy[0].iColumn) + filters;
    }
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].is_slice_id && (info->colUsed >> std::min<std::size_t>(i, 63) & 1) != 0) plan |= kUsesIds;
  info->idxNum = plan;
  info->idxStr = sqlite3_mprintf("%s", filters.c_str());
  info->needToFreeIdxStr = 1;
  info->estimatedCost = std::max(cost, 0.5) + 1;
  info->estimatedRows = static_cast<sqlite3_int64>(std::max(estimate, 1.0));
  if ((plan & kPlanMask) == kByRow) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int table_open(sqlite3_vtab* tab, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) TableCursor();
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->table = static_cast<TableInstance*>(tab)->table;
  *out = cursor;
  return SQLITE_OK;
}

int table_close(sqlite3_vtab_cursor* base) {
  delete static_cast<TableCursor*>(base);
  return SQLITE_OK;
}

/// The rows of a sorted column whose values lie in [least, most].
std::pair<std::int64_t, std::int64_t> sorted_rows(const QueryTable& table, const RowFilter& filter) {
  const auto& get = table.columns[filter.column].get;
  const std::int64_t count = table.rows();
  const auto first_not = [&](auto&& is_before) {
    std::int64_t low = 0, high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (is_before(get(static_cast<std::uint32_t>(middle)).integer)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  return {first_not([&](std::int64_t v) { return v < filter.least; }),
          first_not([&](std::int64_t v) { return v <= filter.most; })};
}

/// What a comparison says about integers; nothing when it must be left to SQLite. `never`: no row can pass.
std::optional<RowFilter> filter_of(const QueryTable& table, int column, int op, sqlite3_value* value, bool& never) {
  RowFilter filter;
  if (column < 0) return {};
  filter.column = static_cast<std::size_t>(column);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) {
    never = true;
    return {};
  }
  if (table.columns[filter.column].lookup == Lookup::kText) {
    if (type != SQLITE_TEXT) return {};
    const std::string_view text(reinterpret_cast<const char*>(sqlite3_value_text(value)),
                                static_cast<std::size_t>(sqlite3_value_bytes(value)));
    const StringId id = table.pool->find(text);
    if (!id.valid()) never = true;
    filter.is_text = true;
    filter.text_id = id.value;
    return filter;
  }
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return {};
  std::int64_t below = 0, above = 0;  // the integers around the value
  if (type == SQLITE_INTEGER) {
    below = above = sqlite3_value_int64(value);
  } else {
    const double real = sqlite3_value_double(value);
    if (!(std::abs(real) < 9e18)) return {};
    below = static_cast<std::int64_t>(std::floor(real));
    above = static_cast<std::int64_t>(std::ceil(real));
  }
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      if (below != above) never = true;
      filter.least = filter.most = below;
      break;
    case SQLITE_INDEX_CONSTRAINT_GE:
      filter.least = above;
      break;
    case SQLITE_INDEX_CONSTRAINT_GT:
      filter.least = below == kMost ? kMost : below + 1;
      if (below == kMost) never = true;
      break;
    case SQLITE_INDEX_CONSTRAINT_LE:
      filter.most = below;
      break;
    case SQLITE_INDEX_CONSTRAINT_LT:
      filter.most = above == kLeast ? kLeast : above - 1;
      if (above == kLeast) never = true;
      break;
    default:
      return {};
  }
  return filter;
}

int table_filter(sqlite3_vtab_cursor* base, int plan, const char* text, int argc, sqlite3_value** argv) {
  auto& cursor = *static_cast<TableCursor*>(base);
  QueryTable& table = *cursor.table;
  auto ready = (plan & kUsesIds) != 0 ? table.prepare_ids() : Result<void>();
  if (ready) ready = table.make_ready();
  if (!ready) {
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", ready.error().message().c_str());
    return SQLITE_ERROR;
  }
  cursor.filters.clear();
  cursor.is_list = false;
  cursor.list = {};
  cursor.at = 0;
  cursor.last = table.rows();
  cursor.is_descending = (plan & kDescending) != 0;
  std::int64_t from = 0;
  std::string_view rest(text == nullptr ? "" : text);
  std::size_t grouped = 0;
  if (const auto bar = rest.find('|'); bar != std::string_view::npos) {
    grouped = static_cast<std::size_t>(std::atoi(std::string(rest.substr(0, bar)).c_str()));
    rest.remove_prefix(bar + 1);
  }
  bool never = false;
  for (int i = 0; i < argc; ++i) {
    const auto end = rest.find(';');
    const auto colon = rest.find(':');
    if (end == std::string_view::npos || colon == std::string_view::npos) return SQLITE_ERROR;
    const int column = std::atoi(std::string(rest.substr(0, colon)).c_str());
    const int op = std::atoi(std::string(rest.substr(colon + 1, end - colon - 1)).c_str());
    rest.remove_prefix(end + 1);
    if (i == 0 && column < 0 && (plan & kPlanMask) == kByRow) {  // rowid
      if (sqlite3_value_type(argv[0]) == SQLITE_INTEGER) {
        from = std::clamp<std::int64_t>(sqlite3_value_int64(argv[0]), 0, cursor.last);
        if (sqlite3_value_int64(argv[0]) != from) never = true;
        cursor.last = std::min(cursor.last, from + 1);
      }
      continue;
    }
    const auto filter = filter_of(table, column, op, argv[i], never);
    if (!filter) continue;
    const Lookup lookup = table.columns[filter->column].lookup;
    if (lookup == Lookup::kRow) {
      from = std::max(from, std::max<std::int64_t>(filter->least, 0));
      cursor.last =
          std::min(cursor.last, filter->most < 0                                           ? 0
                                : filter->most == std::numeric_limits<std::int64_t>::max() ? cursor.last
                                                                                           : filter->most + 1);
    } else if (lookup == Lookup::kSorted && (plan & kPlanMask) != kByIndex && (plan & kPlanMask) != kGrouped) {
      const auto [first, last] = sorted_rows(table, *filter);
      from = std::max(from, first);
      cursor.last = std::min(cursor.last, last);
    } else if (i == 0 && (plan & kPlanMask) == kByIndex && !filter->is_text) {
      if (filter->least == filter->most) {
        cursor.list = table.rows_with(filter->column, filter->least);
        cursor.is_list = true;
      }
    } else {
      cursor.filters.push_back(*filter);
    }
  }
  if ((plan & kPlanMask) == kGrouped) {
    cursor.list = table.rows_by_text(grouped);
    cursor.is_list = true;
  }
  if (cursor.is_list) {
    // Rows cut out by their number are cut out of the list by SQLite.
    from = 0;
    cursor.last = static_cast<std::int64_t>(cursor.list.size());
  }
  cursor.first = from;
  if (never || from >= cursor.last) cursor.first = cursor.last = 0;
  while (!cursor.is_over() && !cursor.passes()) ++cursor.at;
  return SQLITE_OK;
}

int table_next(sqlite3_vtab_cursor* base) {
  auto& cursor = *static_cast<TableCursor*>(base);
  do {
    ++cursor.at;
  } while (!cursor.is_over() && !cursor.passes());
  return SQLITE_OK;
}

int table_eof(sqlite3_vtab_cursor* base) {
  return static_cast<TableCursor*>(base)->is_over() ? 1 : 0;
}

int table_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const auto& cursor = *static_cast<TableCursor*>(base);
  give_cell(context, cursor.table->columns[static_cast<std::size_t>(column)].get(cursor.row()));
  return SQLITE_OK;
}

int table_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) {
  *rowid = static_cast<TableCursor*>(base)->row();
  return SQLITE_OK;
}

const sqlite3_module& table_module() {
  static const sqlite3_module module = [] {
    sqlite3_module m{};
    m.iVersion = 1;
    m.xConnect = table_connect;
    m.xDisconnect = table_disconnect;
    m.xBestIndex = table_best_index;
    m.xOpen = table_open;
    m.xClose = table_close;
    m.xFilter = table_filter;
    m.xNext = table_next;
    m.xEof = table_eof;
    m.xColumn = table_column;
    m.xRowid = table_rowid;
    return m;
  }();
  return module;
}

}  // namespace

void give_cell(sqlite3_context* context, const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kNull:
      return sqlite3_result_null(context);
    case Cell::Kind::kInteger:
      return sqlite3_result_int64(context, cell.integer);
    case Cell::Kind::kReal:
      return sqlite3_result_double(context, cell.real);
    case Cell::Kind::kText:
      return sqlite3_result_text64(context, cell.text.data() == nullptr ? "" : cell.text.data(), cell.text.size(),
                                   SQLITE_STATIC, SQLITE_UTF8);
    case Cell::Kind::kOwnedText:
      return sqlite3_result_text64(context, cell.owned.data(), cell.owned.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
}

std::string declaration_of(const QueryTable& table) {
  std::string text = "CREATE TABLE x(";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const QueryColumn& column = table.columns[i];
    text +=
        fmt::format("{}\"{}\" {}{}", i == 0 ? "" : ", ", column.name, column.type, column.is_hidden ? " HIDDEN" : "");
  }
  return text + ")";
}

Result<void> register_table(sqlite3* connection, QueryTable& table) {
  if (sqlite3_create_module_v2(connection, table.name.c_str(), &table_module(), &table, nullptr) != SQLITE_OK)
    return fail(ErrorCode::kLimit, std::string("the table ") + table.name + " cannot be made");
  return {};
}

}  // namespace lacuna
