#include "app/cli/report_tables.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/tables/csv.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 8> kReportLists{"summary",   "steps",  "devices", "causes",
                                                       "operators", "memory", "advice",  "sentences"};

/// A value of a document as a cell: true is 1, objects and lists are their JSON.
Cell cell_of_json(const Json& value) {
  if (value.is_boolean()) return Cell::of(value.get<bool>() ? 1 : 0);
  if (value.is_number_integer()) return Cell::of(value.get<std::int64_t>());
  if (value.is_number()) return Cell::of_real(value.get<double>());
  if (value.is_null()) return Cell::null();
  return value.is_string() ? Cell::of_string(value.get<std::string>()) : Cell::of_string(to_text(value));
}

using JsonRow = std::vector<std::pair<std::string, Cell>>;

/// Scalars of an object; objects in it with their key before; lists only where they are wanted.
void flatten(const Json& object, const std::string& before, bool with_lists, JsonRow& row) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = before + csv_name(key);
    if (value.is_object()) {
      flatten(value, name + "_", with_lists, row);
    } else if (with_lists || !value.is_array()) {
      row.emplace_back(name, cell_of_json(value));
    }
  }
}

const Json& list_in(const Json& object, const char* key) {
  static const Json none = Json::array();
  const auto at = object.find(key);
  return at == object.end() || !at->is_array() ? none : *at;
}

QueryRows table_of(const std::vector<JsonRow>& rows) {
  std::vector<std::string> names;
  for (const JsonRow& row : rows)
    for (const auto& [name, cell] : row)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  QueryRows table;
  table.start(names);
  std::vector<Cell> cells;
  for (const JsonRow& row : rows) {
    cells.assign(names.size(), Cell::null());
    for (const auto& [name, cell] : row)
      cells[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())] = cell;
    if (!table.add(cells)) break;
  }
  return table;
}

}  // namespace

Result<QueryRows> report_rows(const Json& document, std::string_view name) {
  if (std::ranges::find(kReportLists, name) == kReportLists.end())
    return fail(ErrorCode::kInvalidArgument, "a report has no table " + std::string(name));
  std::vector<JsonRow> rows;
  for (const Json& report : list_in(document, "reports")) {
    const JsonRow trace{{"path", cell_of_json(report.value("path", Json()))},
                        {"rank", cell_of_json(report.value("rank", Json()))}};
    const auto add = [&](const Json& object, JsonRow row, bool with_lists) {
      row.insert(row.begin(), trace.begin(), trace.end());
      flatten(object, {}, with_lists, row);
      rows.push_back(std::move(row));
    };
    if (name == "summary") {
      rows.emplace_back();
      flatten(report, {}, false, rows.back());
    } else if (name == "causes") {
      for (const Json& device : list_in(report, "devices"))
        for (const Json& cause : list_in(device, "causes"))
          add(cause, {{"device", cell_of_json(device.value("device", Json()))}}, true);
    } else if (name == "sentences") {
      for (const Json& section : list_in(report, "sections"))
        for (const Json& line : list_in(section, "lines"))
          add(line, {{"section", cell_of_json(section.value("key", Json()))}}, true);
    } else {
      for (const Json& element : list_in(report, std::string(name).c_str())) add(element, {}, true);
    }
  }
  return table_of(rows);
}

}  // namespace lacuna
