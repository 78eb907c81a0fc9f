#pragma once

#include <string>
#include <vector>

#include "app/cli/json_writer.h"
#include "app/cli/output.h"
#include "app/tables/table.h"

namespace lacuna {

class QueryRows;

/// The value as JSON; NaN and infinity become null.
Json cell_json(const Cell& cell);
/// What programs get of a row, as a JSON object.
Json json_row(const Table& table, std::size_t row);
/// All rows as a JSON list of objects.
Json json_rows(const Table& table);
/// Streams the same list, one object a line. Stops once the reader has closed its end.
void write_json_rows(const Table& table, std::string_view key, JsonWriter& json, const Output& out);
/// RFC 4180 with a header line; the lines end with \n.
void write_csv(const Table& table, Output& out);
/// For Arrow: true is 1, lists and objects are their JSON. A table without rows has no columns.
QueryRows query_rows(const Table& table);
/// Prints the table as text, fitted to `width`: long texts are shortened; where that is not enough, columns with the
/// highest `drop_order` are left out. Returns their titles.
std::vector<std::string> print_table(const Table& table, std::size_t width, Output& out, std::size_t indent = 0);
/// Prints "Not enough room for: Min, Max" unless `titles` is empty.
void print_hidden(const std::vector<std::string>& titles, Output& out);

}  // namespace lacuna
