#include "app/cli/table_writers.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/text_table.h"
#include "app/tables/csv.h"
#include "model/query/query_rows.h"

namespace lacuna {

Json cell_json(const Cell& cell) {
  if (cell.kind == Cell::Kind::kInteger) return cell.integer;
  if (cell.kind == Cell::Kind::kReal) return cell.real;
  if (cell.kind == Cell::Kind::kNull) return nullptr;
  return cell.kind == Cell::Kind::kText ? Json(cell.text) : Json(cell.owned);
}

namespace {

Json json_in(const Table::Column& column, std::size_t row) {
  const Cell cell = column.value(row);
  if (column.is_truth) return cell.integer != 0;
  return column.is_json && cell.kind == Cell::Kind::kOwnedText ? Json::parse(cell.owned) : cell_json(cell);
}

std::string csv_in(const Table::Column& column, std::size_t row) {
  const Json json = json_in(column, row);
  if (json.is_null()) return {};
  return json.is_string()       ? csv_field(json.get_ref<const std::string&>())
         : json.is_structured() ? csv_field(to_text(json))
                                : to_text(json);
}

/// Calls take(column) for those that programs get.
template <class Take>
void for_each_key(const Table& table, Take&& take) {
  for (const Table::Column& column : table.columns)
    if (!column.key.empty()) take(column);
}

using TextLines = std::vector<std::vector<std::string>>;  // the titles, and the cells of each row
constexpr std::size_t kMinFlexible = 24;
constexpr std::size_t kGap = 2;  // spaces between columns

/// The width of each column; 0: dropped, and its title is in `hidden`.
std::vector<std::size_t> fit_columns(const std::vector<const Table::Column*>& columns, const TextLines& lines,
                                     std::size_t indent, std::size_t width, std::vector<std::string>& hidden) {
  std::vector<std::size_t> widths(columns.size());
  for (const std::vector<std::string>& cells : lines)
    for (std::size_t c = 0; c < columns.size(); ++c) widths[c] = std::max(widths[c], display_width(cells[c]));
  // The least: with long texts as short as they may get.
  const auto total = [&](bool is_least) {
    std::size_t sum = indent;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (widths[c] > 0)
        sum += (sum > indent ? kGap : 0) +
               (is_least && columns[c]->is_flexible ? std::min(widths[c], kMinFlexible) : widths[c]);
    return sum;
  };
  // The column with the highest value above 0, the first of equals.
  const auto highest = [&](auto&& value) {
    std::size_t found = columns.size();
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (value(c) > (found == columns.size() ? 0 : value(found))) found = c;
    return found;
  };
  while (total(true) > width) {
    const std::size_t victim = highest([&](std::size_t c) { return widths[c] > 0 ? columns[c]->drop_order : 0; });
    if (victim == columns.size()) break;
    widths[victim] = 0;
    hidden.push_back(columns[victim]->title);
  }
  // Take what is still too much from the widest long text, until all fits.
  while (total(false) > width) {
    const std::size_t widest =
        highest([&](std::size_t c) { return columns[c]->is_flexible && widths[c] > kMinFlexible ? widths[c] : 0; });
    if (widest == columns.size()) break;
    --widths[widest];
  }
  return widths;
}

}  // namespace

Json json_row(const Table& table, std::size_t row) {
  Json json = Json::object();
  for_each_key(table, [&](const Table::Column& column) { json[column.key] = json_in(column, row); });
  return json;
}

Json json_rows(const Table& table) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < table.rows; ++row) rows.push_back(json_row(table, row));
  return rows;
}

void write_json_rows(const Table& table, std::string_view key, JsonWriter& json, const Output& out) {
  json.begin_list(key);
  for (std::size_t row = 0; row < table.rows && out.ok(); ++row) json.element(json_row(table, row));
  json.end();
}

void write_csv(const Table& table, Output& out) {
  const auto write_line = [&](auto&& field) {
    std::string line;
    for_each_key(table, [&](const Table::Column& column) { (line += field(column)) += ','; });
    line.back() = '\n';
    out.write(line);
  };
  write_line([](const Table::Column& column) { return csv_name(column.key); });
  for (std::size_t row = 0; row < table.rows && out.ok(); ++row)
    write_line([row](const Table::Column& column) { return csv_in(column, row); });
}

QueryRows query_rows(const Table& table) {
  QueryRows rows;
  if (table.rows == 0) return rows;
  std::vector<std::string> names;
  for_each_key(table, [&](const Table::Column& column) { names.push_back(csv_name(column.key)); });
  rows.start(names);
  std::vector<Cell> cells;
  for (std::size_t row = 0; row < table.rows; ++row) {
    cells.clear();
    for_each_key(table, [&](const Table::Column& column) { cells.push_back(column.value(row)); });
    if (!rows.add(cells)) break;
  }
  return rows;
}

std::vector<std::string> print_table(const Table& table, std::size_t width, Output& out, std::size_t indent) {
  const std::vector<const Table::Column*> columns = table.text_columns();
  TextLines lines(1);
  for (const Table::Column* column : columns) lines.front().push_back(column->title);
  for (std::size_t row = 0; row < table.rows; ++row) {
    lines.emplace_back();
    for (const Table::Column* column : columns) lines.back().push_back(printable(column->text(row)));
  }
  std::vector<std::string> hidden;
  const std::vector<std::size_t> widths = fit_columns(columns, lines, indent, width, hidden);
  for (const std::vector<std::string>& cells : lines) {
    if (!out.ok()) break;
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (widths[c] == 0) continue;
      if (line.size() > indent) line.append(kGap, ' ');
      const std::string cell = shorten(cells[c], widths[c]);
      const std::string padding(widths[c] - display_width(cell), ' ');
      line += columns[c]->is_number ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out.write(line + "\n");
  }
  return hidden;
}

void print_hidden(const std::vector<std::string>& titles, Output& out) {
  if (!titles.empty())
    out.write(fmt::format("Not enough room for: {} (see --csv or --json)\n", fmt::join(titles, ", ")));
}

}  // namespace lacuna
