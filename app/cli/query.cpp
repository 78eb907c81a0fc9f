#include "app/cli/query.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/option_values.h"
#include "app/cli/query_server.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "app/tables/csv.h"
#include "model/base/plural.h"
#include "model/query/exported_tables.h"
#include "model/query/query_database.h"
#include "model/query/query_rows.h"

namespace lacuna {
namespace {

/// Rows that text shows unless --limit says otherwise.
constexpr std::size_t kTextQueryRows = 1000;
constexpr std::size_t kLongestSql = std::size_t{4} << 20;

Result<std::string> read_sql(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, "the file of the query cannot be read", path);
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    return fail(ErrorCode::kNotFound, "a folder where the file of the query should be", path);
  // What never ends is read to the limit alone.
  std::string text(kLongestSql + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return fail(ErrorCode::kNotReadable, "the file of the query cannot be read", path);
  if (text.size() > kLongestSql) return fail(ErrorCode::kLimit, "the query is longer than 4 MiB", path);
  return text;
}

/// The error with its place in words: "line 2, column 8: no such column: nme".
Error placed(Error error, std::string_view sql, const std::string& file) {
  if (!error.offset || *error.offset > sql.size()) return error;
  const std::string_view before = sql.substr(0, static_cast<std::size_t>(*error.offset));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto last_line = before.rfind('\n');
  const std::size_t column = before.size() - (last_line == std::string_view::npos ? 0 : last_line + 1) + 1;
  error.file = file.empty() ? "query" : file;
  error.cause = fmt::format("line {}, column {}: {}", line, column, error.cause);
  return error;
}

/// What can be done about a query that was given up.
Error advised(Error error, std::uint64_t most_steps) {
  if (error.code == ErrorCode::kLimit && most_steps != 0 && error.cause.ends_with(" steps"))
    error.cause += ": --steps N allows more, --steps 0 any number";
  return error;
}

Table schema_table(const QueryTable& of) {
  TableOf<QueryColumn> table(of.columns);
  table.text({"Column", "name"}, &QueryColumn::name);
  table.text({"Type", "type"}, &QueryColumn::type);
  table.name({"Meaning", "meaning"}, &QueryColumn::help);
  return table;
}

void print_schema(const QueryDatabase& database, bool json, std::size_t width, Output& out) {
  if (json) {
    JsonWriter writer(out);
    writer.begin_list("tables");
    for (const QueryTable* table : database.tables()) {
      if (table->name.starts_with("_")) continue;
      writer.begin_element_object();
      writer.member("name", table->name);
      writer.member("meaning", table->help);
      write_json_rows(schema_table(*table), "columns", writer, out);
      writer.end();
    }
    writer.end();
    writer.finish();
    return;
  }
  for (const QueryTable* table : database.tables()) {
    if (table->name.starts_with("_")) continue;
    out.write(fmt::format("{}: {}\n", table->name, table->help));
    print_table(schema_table(*table), width, out, 2);
    out.write("\n");
  }
  out.write(
      "Views, as in Perfetto: track, thread_track, process_track, counter_track, process_counter_track, "
      "thread_counter_track,\n"
      "counters, instant, sched, cpu, thread_slice, process_slice, thread_or_process_slice.\n"
      "Table functions: ancestor_slice(id), descendant_slice(id), following_flow(id), preceding_flow(id),\n"
      "directly_connected_flow(id).\n"
      "Functions: extract_arg(set, key), trace_start(), trace_end(), trace_dur(), slice_is_ancestor(a, b), "
      "to_timecode(ns),\n"
      "regexp(pattern, text), regexp_extract(text, pattern), demangle(name), str_split(text, by, n), time_to_ms(ns) "
      "and the\n"
      "like, median(x), percentile(x, p), stddev(x), concat(…), string_agg(x, by), and SQLite's own.\n"
      "Regular expressions are RE2's (github.com/google/re2/wiki/Syntax): no back-references, no look-around.\n");
}

}  // namespace

void QueryCommand::add_to(CLI::App& command) {
  command.add_option("TRACE", words, "Trace files, folders or quoted patterns, and last the SQL")->type_name("... SQL");
  command.add_option("-f,--file", file, "Read the SQL from a file; all words are then traces")->type_name("FILE");
  command.add_flag("--schema", schema, "Write every table and column with its meaning");
  command
      .add_option("--limit", limit,
                  fmt::format("Rows; 0 = all (default: {}; with --json or --csv all)", kTextQueryRows))
      ->type_name("N")
      ->check(is_count);
  command
      .add_option("--steps", steps,
                  fmt::format("Steps of SQLite until it is given up; 0 = none (default: {} thousand million)",
                              kMostQuerySteps / 1'000'000'000))
      ->type_name("N")
      ->check(is_large_count);
  command.add_flag("--json", json, "Write JSON to standard output");
  CLI::Option* as_csv = command.add_flag("--csv", csv, "Write CSV to standard output")->excludes("--json");
  CLI::Option* as_arrow =
      command.add_flag("--arrow", arrow, "Write an Arrow IPC stream to standard output")->excludes("--json");
  as_arrow->excludes(as_csv);
  command.add_flag("--stdio", stdio, "Answer requests on standard input (all words are traces): see below")
      ->excludes(as_arrow)
      ->excludes(as_csv)
      ->excludes("--json");
  load.add_options_to(command);
}

constexpr const char* kQueryHelp =
    R"(PerfettoSQL: what runs in Perfetto's trace processor runs here, with the same numbers; several statements may stand
in one query, the rows of the last one are written. Times are ns. Beside Perfetto's tables there are gap, launch,
operator, step, stream, gpu_kernel and roofline: lacuna query --schema.
Nothing can be written but tables of the query itself, which vanish with it.
--stdio is what the Python package talks to: each line of input is a JSON request, {"sql": text} (with "limit": rows and
"steps": as --steps), {"table": name of lacuna export}, {"report": {}} or {"report": {"table": one of its lists}},
{"torch": {}} (with "sort_by", "group_by_input_shape", "group_by_stack_n", "top_level_events_only",
"include_python_functions") or {"stats": {}}; the answer is
a line of JSON, {"kind": "arrow" or "json"} or {"error": words}, then pieces, each behind its size
(4 bytes, little-endian; 0: no more), then a line {"rows": n} or {"error": words}. The first line says that the trace
is loaded, or why not.

JSON: {"columns": [name], "rows": [[value]], "rowCount": n, "hasMore": bool}
)";

Result<void> run_query(const QueryCommand& command, std::size_t width, Output& out) {
  if (command.schema) {
    const Trace empty;
    QuerySource source(empty);
    const auto database = QueryDatabase::open(source);
    if (!database) return tl::make_unexpected(database.error());
    print_schema(**database, command.json, width, out);
    return {};
  }
  std::vector<std::string> paths = command.words;
  std::string sql;
  if (!command.file.empty()) {
    auto read = read_sql(command.file);
    if (!read) return tl::make_unexpected(read.error());
    sql = std::move(*read);
  } else if (!command.stdio) {
    if (paths.size() < 2)
      return fail(ErrorCode::kInvalidArgument, "lacuna query TRACE 'SQL', or lacuna query TRACE -f FILE");
    sql = paths.back();
    paths.pop_back();
    std::error_code error;
    if (std::filesystem::is_regular_file(sql, error))
      return fail(ErrorCode::kInvalidArgument, "a file where the SQL stands: lacuna query TRACE 'SQL', or -f FILE",
                  sql);
  }
  if (paths.empty()) return fail(ErrorCode::kInvalidArgument, "no trace given");
  if (command.stdio) return serve_queries(paths, command.load.import, command.steps, stdin, out);
  const Result<Trace> trace = load_traces(paths, command.load.import);
  if (!trace) return tl::make_unexpected(trace.error());
  print_warnings(*trace, stderr);
  QuerySource source(*trace, command.load.import.threads);
  auto database = QueryDatabase::open(source);
  if (!database) return tl::make_unexpected(database.error());

  QueryDatabase::Options options;
  const bool is_text = !command.json && !command.csv && !command.arrow;
  options.most_steps = command.steps;
  if (command.arrow) {
    options.most_rows = command.limit.value_or(0);
    if (auto done = write_query_arrow(**database, sql, options, out); !done)
      return tl::make_unexpected(placed(advised(done.error(), command.steps), sql, command.file));
    return {};
  }
  options.most_rows = command.limit.value_or(is_text ? kTextQueryRows : 0);
  std::vector<std::string> names;
  std::vector<bool> are_numbers;
  std::vector<std::vector<std::string>> rows;  // of text alone, which needs all to be aligned
  std::optional<JsonWriter> json;
  std::string line;
  const auto columns = [&](std::span<const std::string> given) {
    names.assign(given.begin(), given.end());
    are_numbers.assign(names.size(), true);
    if (command.csv) {
      line.clear();
      for (const std::string& name : names) line.append(line.empty() ? "" : ",").append(csv_field(name));
      out.write(line + "\n");
    }
    if (command.json) {
      json.emplace(out);
      json->member("columns", Json(names));
      json->begin_list("rows");
    }
  };
  const auto row = [&](std::span<const Cell> cells) {
    if (command.csv) {
      line.clear();
      for (std::size_t i = 0; i < cells.size(); ++i)
        line.append(i == 0 ? "" : ",").append(csv_field(cell_text(cells[i])));
      out.write((line.empty() ? "\"\"" : line) + "\n");  // no empty line, which readers pass over
    } else if (command.json) {
      Json values = Json::array();
      for (const Cell& cell : cells) values.push_back(cell_json(cell));
      json->element(values);
    } else {
      std::vector<std::string>& texts = rows.emplace_back();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        texts.push_back(cells[i].kind == Cell::Kind::kNull ? "NULL" : cell_text(cells[i]));
        if (cells[i].kind == Cell::Kind::kText) are_numbers[i] = false;
      }
    }
    return out.ok();
  };
  const auto done = (*database)->run(sql, options, columns, row);
  if (!done) return tl::make_unexpected(placed(advised(done.error(), command.steps), sql, command.file));
  if (command.json) {
    if (!json) columns({});
    json->end();
    json->member("rowCount", done->rows);
    json->member("hasMore", done->has_more);
    json->finish();
  } else if (is_text && !names.empty()) {
    std::vector<Table::Column> heads;
    for (std::size_t i = 0; i < names.size(); ++i) heads.push_back({{names[i]}, are_numbers[i], !are_numbers[i]});
    print_table(table_of_texts(std::move(heads), rows), width, out);
    out.write(done->has_more
                  ? fmt::format("{} {}, and more: --limit 0 writes all\n", done->rows, noun_after(done->rows, "row"))
                  : fmt::format("{} {}\n", done->rows, noun_after(done->rows, "row")));
  }
  return {};
}

Command query_command(CommandContext&) {
  const auto run = [](const QueryCommand& command) {
    return answer([&](Output& out) { return run_query(command, terminal_width(), out); });
  };
  return make_command("query", "SQL over traces: Perfetto's tables and dialect, and our own tables", kQueryHelp,
                      std::make_shared<QueryCommand>(), run);
}

}  // namespace lacuna
