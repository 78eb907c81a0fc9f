#include "app/cli/diff_structure.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "app/tables/structure_words.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kDeepestIndent = 16;  // in rows; what lies deeper stands there, too
constexpr std::size_t kOtherColumns = 64;   // the numbers, the relation and the spaces between them

/// "A → B", each cut by itself, so that what is left of both can be read.
std::string fitted_titles(const StructureRow& row, std::size_t indent, std::size_t width) {
  const StructureTitles titles = structure_titles(row);
  if (titles.second.empty()) return titles.first;
  const std::size_t room = width > indent + kOtherColumns + 3 ? width - indent - kOtherColumns - 3 : 0;
  const std::size_t half = std::max<std::size_t>(room / 2, 10);
  const std::size_t first = display_width(titles.first), second = display_width(titles.second);
  const auto left = [&](std::size_t other) { return std::max(half, room > other ? room - other : 0); };
  return shorten(titles.first, left(second)) + " \xE2\x86\x92 " + shorten(titles.second, left(first));
}

Json structure_side(const Trace& trace, const StructureSide& side) {
  if (!side.is_there()) return Json();
  return {{"names", side.names},
          {"count", side.count},
          {"hostNs", side.host},
          {"kernels", side.kernels},
          {"kernelNs", side.time},
          {"ownKernelNs", side.own},
          {"longestStartNs", side.longest.valid() ? Json(trace.span(side.longest).begin) : Json()}};
}

Json structure_numbers(const StructureOperator::Numbers& of) {
  return {{"count", of.count}, {"hostNs", of.host}, {"kernelNs", of.time}, {"ownKernelNs", of.own}};
}

}  // namespace

void print_differences(const std::string& title, std::span<const std::vector<std::string>> rows, std::size_t width,
                       Output& out) {
  out.write("\n");
  std::vector<Table::Column> columns{{{title}, false, true}, {{"Count A", {}, 3}, true}, {{"Count B", {}, 2}, true}};
  for (const char* side : {"A", "B", "B - A"}) columns.push_back({{side}, true});
  columns.emplace_back();
  print_table(table_of_texts(std::move(columns), rows), width, out);
}

void print_structure(const TraceDiff& diff, const DiffCommand& command, Output& out) {
  const StructureDiff& structure = diff.structure;
  if (structure.rows.front().a.time == 0 && structure.rows.front().b.time == 0) return;
  if (structure.rows.front().moved == 0) return out.write("\nBy structure: kernels take the same time everywhere.\n");
  std::vector<std::vector<std::string>> rows;
  std::vector<std::uint32_t> shown = most_moved(structure, command.limit);
  if (command.limit != 0) std::erase_if(shown, [&](std::uint32_t r) { return structure.rows[r].moved == 0; });
  for (const std::uint32_t r : shown) {
    const StructureRow& row = structure.rows[r];
    auto cells = structure_cells(diff, row, false, "-");
    if (row.kind == StructureKind::kRoot || row.kind == StructureKind::kNoLaunch) cells[0] = cells[1] = "";
    const std::size_t indent = 2 * std::min<std::size_t>(row.depth, kDeepestIndent);
    rows.push_back({std::string(indent, ' ') + fitted_titles(row, indent, command.width), cells[0], cells[1], cells[2],
                    cells[3], cells[4], std::string(structure_relation_name(row.relation))});
  }
  print_differences("By structure (kernel time)", rows, command.width, out);
  if (shown.size() < structure.rows.size())
    out.write(fmt::format("{} of {} places, those that differ most; all: --limit 0\n", format_count(shown.size()),
                          format_count(structure.rows.size())));
  if (const std::string why = structure_without_modules(structure); !why.empty()) out.write(why + "\n");
}

void print_structure_json(const Trace& a, const Trace& b, const TraceDiff& diff, const DiffCommand& command,
                          JsonWriter& json) {
  const StructureDiff& structure = diff.structure;
  const std::size_t limit = command.has_limit ? command.limit : 0;
  json.begin_object("structure");
  json.member("modules", structure.has_modules);
  json.begin_list("rows");
  std::vector<std::uint32_t> places(structure.rows.size());
  std::uint32_t written = 0;
  for (const std::uint32_t r : most_moved(structure, limit)) {
    const StructureRow& row = structure.rows[r];
    places[r] = written++;
    json.element({{"name", row.name()},
                  {"kind", structure_kind_key(row.kind)},
                  {"relation", structure_relation_key(row.relation)},
                  {"depth", row.depth},
                  {"parent", r == 0 ? Json() : Json(places[row.parent])},
                  {"a", structure_side(a, row.a)},
                  {"b", structure_side(b, row.b)},
                  {"kernelDifferenceNs", row.difference},
                  {"movedNs", row.moved}});
  }
  json.end();
  json.member("rowCount", structure.rows.size());
  json.begin_list("operators");
  std::size_t left = limit != 0 ? limit : structure.operators.size();
  for (const StructureOperator& row : structure.operators) {
    if (left-- == 0) break;
    json.element({{"name", row.name}, {"a", structure_numbers(row.a)}, {"b", structure_numbers(row.b)}});
  }
  json.end();
  json.member("operatorCount", structure.operators.size());
  json.end();
}

}  // namespace lacuna
