#include "model/query/slice_functions.h"

#include <algorithm>
#include <array>
#include <deque>
#include <new>
#include <string>
#include <unordered_map>

#include <fmt/format.h>
#include <sqlite3.h>

#include "model/query/table_module.h"

namespace lacuna {
namespace {

enum class Relation : std::uint8_t {
  kAncestors,
  kDescendants,
  kFollowing,
  kPreceding,
  kConnected,
  kAncestorsAndSelf,
  kDescendantsAndSelf
};

struct RelationAux {
  Relation relation;
  QuerySource& source;
  QueryTable& slices;
  QueryTable& flows;
  bool gives_flows() const {
    return relation == Relation::kFollowing || relation == Relation::kPreceding || relation == Relation::kConnected;
  }
  QueryTable& rows_of() const { return gives_flows() ? flows : slices; }
};

struct RelationTable : sqlite3_vtab {
  RelationAux* aux = nullptr;
};

struct RelationCursor : sqlite3_vtab_cursor {
  RelationAux* aux = nullptr;
  std::int64_t start = 0;
  std::vector<std::uint32_t> rows;
  std::size_t at = 0;
};

std::size_t column_index(const QueryTable& table, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, name, &QueryColumn::name) - table.columns.begin());
}

std::vector<std::uint32_t> ancestors_of(const TraceTables& tables, std::uint32_t slice) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t up = tables.slices.parent[slice]; up != TraceTables::kNone; up = tables.slices.parent[up])
    found.push_back(up);
  std::ranges::reverse(found);
  return found;
}

std::vector<std::uint32_t> descendants_of(QueryTable& slices, std::uint32_t slice) {
  const std::size_t parent = column_index(slices, "parent_id");
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> open{slice};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const std::uint32_t child : slices.rows_with(parent, at)) {
      found.push_back(child);
      open.push_back(child);
    }
  }
  std::ranges::sort(found);
  return found;
}

/// Goes along flows as Perfetto does: of a slice that a flow led to, not back; from relatives of a slice on, but not
/// to relatives of relatives.
std::vector<std::uint32_t> connected_flows(const RelationAux& aux, std::uint32_t start) {
  enum class Via : std::uint8_t { kStart, kIncoming, kOutgoing, kRelative };
  const TraceTables& tables = aux.source.tables();
  const std::size_t out_column = column_index(aux.flows, "slice_out");
  const std::size_t in_column = column_index(aux.flows, "slice_in");
  const bool goes_in = aux.relation != Relation::kFollowing;
  const bool goes_out = aux.relation != Relation::kPreceding;
  std::vector<std::uint32_t> found;
  std::unordered_map<std::uint32_t, bool> known{{start, true}};
  std::deque<std::pair<std::uint32_t, Via>> open{{start, Via::kStart}};
  const auto visit = [&](std::uint32_t slice, Via via) {
    if (known.try_emplace(slice, true).second) open.emplace_back(slice, via);
  };
  while (!open.empty()) {
    const auto [slice, via] = open.front();
    open.pop_front();
    if (via != Via::kRelative) {
      if (aux.relation == Relation::kPreceding)
        for (const std::uint32_t other : ancestors_of(tables, slice)) visit(other, Via::kRelative);
      if (aux.relation == Relation::kFollowing)
        for (const std::uint32_t other : descendants_of(aux.slices, slice)) visit(other, Via::kRelative);
    }
    if (goes_in && via != Via::kOutgoing) {
      for (const std::uint32_t flow : aux.flows.rows_with(in_column, slice)) {
        found.push_back(flow);
        visit(tables.flows[flow].slice_out, Via::kIncoming);
      }
    }
    if (goes_out && via != Via::kIncoming) {
      for (const std::uint32_t flow : aux.flows.rows_with(out_column, slice)) {
        found.push_back(flow);
        visit(tables.flows[flow].slice_in, Via::kOutgoing);
      }
    }
  }
  return found;
}

int relation_connect(sqlite3* connection, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
  const auto& relation = *static_cast<RelationAux*>(aux);
  std::string declaration = declaration_of(relation.rows_of());
  declaration.insert(declaration.size() - 1, ", start_id INTEGER HIDDEN");
  if (const int rc = sqlite3_declare_vtab(connection, declaration.c_str()); rc != SQLITE_OK) return rc;
  auto* table = new (std::nothrow) RelationTable();
  if (table == nullptr) return SQLITE_NOMEM;
  table->aux = static_cast<RelationAux*>(aux);
  *out = table;
  return SQLITE_OK;
}

int relation_disconnect(sqlite3_vtab* tab) {
  delete static_cast<RelationTable*>(tab);
  return SQLITE_OK;
}

int relation_best_index(sqlite3_vtab* tab, sqlite3_index_info* info) {
  const auto& aux = *static_cast<RelationTable*>(tab)->aux;
  const int start = static_cast<int>(aux.rows_of().columns.size());
  bool is_given = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn != start || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!constraint.usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    is_given = true;
    break;
  }
  if (!is_given) {
    sqlite3_free(tab->zErrMsg);
    tab->zErrMsg = sqlite3_mprintf("this table function needs the id of a slice: f(id)");
    return SQLITE_ERROR;
  }
  info->estimatedCost = 20;
  info->estimatedRows = 10;
  return SQLITE_OK;
}

int relation_open(sqlite3_vtab* tab, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) RelationCursor();
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->aux = static_cast<RelationTable*>(tab)->aux;
  *out = cursor;
  return SQLITE_OK;
}

int relation_close(sqlite3_vtab_cursor* base) {
  delete static_cast<RelationCursor*>(base);
  return SQLITE_OK;
}

int relation_filter(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value** argv) {
  auto& cursor = *static_cast<RelationCursor*>(base);
  const RelationAux& aux = *cursor.aux;
  cursor.rows.clear();
  cursor.at = 0;
  for (QueryTable* table : {&aux.slices, &aux.flows}) {
    if (auto ready = table->make_ready(); !ready) {
      sqlite3_free(base->pVtab->zErrMsg);
      base->pVtab->zErrMsg = sqlite3_mprintf("%s", ready.error().message().c_str());
      return SQLITE_ERROR;
    }
  }
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return SQLITE_OK;
  cursor.start = sqlite3_value_int64(argv[0]);
  const TraceTables& tables = aux.source.tables();
  if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || cursor.start < 0 || cursor.start >= tables.slices.size()) {
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("no such row in slice: id %s", sqlite3_value_text(argv[0]));
    return SQLITE_ERROR;
  }
  const auto slice = static_cast<std::uint32_t>(cursor.start);
  switch (aux.relation) {
    case Relation::kAncestors:
      cursor.rows = ancestors_of(tables, slice);
      break;
    case Relation::kAncestorsAndSelf:
      cursor.rows = ancestors_of(tables, slice);
      cursor.rows.push_back(slice);
      break;
    case Relation::kDescendants:
      cursor.rows = descendants_of(aux.slices, slice);
      break;
    case Relation::kDescendantsAndSelf:
      cursor.rows = descendants_of(aux.slices, slice);
      cursor.rows.insert(cursor.rows.begin(), slice);
      break;
    default:
      cursor.rows = connected_flows(aux, slice);
      break;
  }
  return SQLITE_OK;
}

int relation_next(sqlite3_vtab_cursor* base) {
  ++static_cast<RelationCursor*>(base)->at;
  return SQLITE_OK;
}

int relation_eof(sqlite3_vtab_cursor* base) {
  const auto& cursor = *static_cast<RelationCursor*>(base);
  return cursor.at >= cursor.rows.size() ? 1 : 0;
}

int relation_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const auto& cursor = *static_cast<RelationCursor*>(base);
  const QueryTable& table = cursor.aux->rows_of();
  if (static_cast<std::size_t>(column) == table.columns.size()) {
    sqlite3_result_int64(context, cursor.start);
  } else {
    give_cell(context, table.columns[static_cast<std::size_t>(column)].get(cursor.rows[cursor.at]));
  }
  return SQLITE_OK;
}

int relation_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) {
  const auto& cursor = *static_cast<RelationCursor*>(base);
  *rowid = cursor.rows[cursor.at];
  return SQLITE_OK;
}

const sqlite3_module& relation_module() {
  static const sqlite3_module module = [] {
    sqlite3_module m{};
    m.iVersion = 1;
    m.xConnect = relation_connect;
    m.xDisconnect = relation_disconnect;
    m.xBestIndex = relation_best_index;
    m.xOpen = relation_open;
    m.xClose = relation_close;
    m.xFilter = relation_filter;
    m.xNext = relation_next;
    m.xEof = relation_eof;
    m.xColumn = relation_column;
    m.xRowid = relation_rowid;
    return m;
  }();
  return module;
}

}  // namespace

Result<void> register_slice_functions(sqlite3* connection, QuerySource& source, QueryTable& slices, QueryTable& flows) {
  constexpr std::array<std::pair<const char*, Relation>, 7> kFunctions{
      {{"ancestor_slice", Relation::kAncestors},
       {"descendant_slice", Relation::kDescendants},
       {"following_flow", Relation::kFollowing},
       {"preceding_flow", Relation::kPreceding},
       {"directly_connected_flow", Relation::kConnected},
       {"_slice_ancestor_and_self", Relation::kAncestorsAndSelf},
       {"_slice_descendant_and_self", Relation::kDescendantsAndSelf}}};
  for (const auto& [name, relation] : kFunctions) {
    auto* aux = new RelationAux{relation, source, slices, flows};
    const auto free_aux = [](void* a) { delete static_cast<RelationAux*>(a); };
    if (sqlite3_create_module_v2(connection, name, &relation_module(), aux, free_aux) != SQLITE_OK)
      return fail(ErrorCode::kLimit, std::string("the function ") + name + " cannot be made");
  }
  return {};
}

}  // namespace lacuna
