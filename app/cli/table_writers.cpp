#include "app/cli/table_writers.h"

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
  std::vector<TextTable::Column> looks;
  for (const Table::Column* column : columns)
    looks.push_back({.title = column->title,
                     .right_aligned = column->is_number,
                     .flexible = column->is_flexible,
                     .drop_order = column->drop_order});
  TextTable text(std::move(looks), indent);
  for (std::size_t row = 0; row < table.rows; ++row) {
    std::vector<std::string> cells;
    for (const Table::Column* column : columns) cells.push_back(column->text(row));
    text.add_row(std::move(cells));
  }
  text.print(out, width);
  return text.hidden();
}

void print_hidden(const std::vector<std::string>& titles, Output& out) {
  if (!titles.empty())
    out.write(fmt::format("Not enough room for: {} (see --csv or --json)\n", fmt::join(titles, ", ")));
}

}  // namespace lacuna
