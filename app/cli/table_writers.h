#pragma once

#include <string>
#include <vector>

#include "app/cli/json_writer.h"
#include "app/cli/output.h"
#include "app/tables/table.h"

namespace lacuna {

class QueryRows;

/// Numbers that JSON does not have are written as null.
Json cell_json(const Cell& cell);
/// What programs get of all rows: a list of objects.
Json json_rows(const Table& table);
/// The same while it is written, a line each. Stops once the reader has closed its end.
void write_json_rows(const Table& table, std::string_view key, JsonWriter& json, const Output& out);
/// RFC 4180 with a header line; the lines end with \n.
void write_csv(const Table& table, Output& out);
/// For Arrow: true is 1, lists and objects are their JSON. A table without rows has no columns.
QueryRows query_rows(const Table& table);
/// What people get, fitted to a width. Returns the titles for which there was no room.
std::vector<std::string> print_table(const Table& table, std::size_t width, Output& out, std::size_t indent = 0);
/// "Not enough room for: Min, Max", where there was none.
void print_hidden(const std::vector<std::string>& titles, Output& out);

}  // namespace lacuna
