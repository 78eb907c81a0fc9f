#include "app/cli/torch_stats.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/group_stats.h"
#include "app/cli/json_writer.h"
#include "app/cli/text_table.h"
#include "app/tables/csv.h"
#include "model/help/column_help.h"

namespace lacuna {
namespace {

bool is_stats_key(std::string_view text) {
  return is_stats_sort_key(text) || is_group_sort_key(text);
}

std::string stats_keys() {
  std::vector<std::string> keys;
  for (const auto& [key, column] : stats_sort_keys())
    if (!is_group_sort_key(key)) keys.push_back(key);
  return fmt::format("{}, {}", fmt::join(keys, ", "), group_sort_keys());
}

std::string torch_keys() {
  return fmt::format("{}", fmt::join(torch_sort_keys(), ", "));
}

/// Where a column is shown.
std::string place_of(const ColumnHelp& column) {
  const bool is_table = column.table == "statistics" || column.table == "torch";
  if (is_table) return fmt::format("--table {}", column.table);
  return column.table == "report" ? std::string("report") : fmt::format("window, {}", column.table);
}

/// Prints the definitions and ends the parsing.
void explain(const std::string& text) {
  const auto found = explain_column(text);
  if (found.empty()) {
    std::vector<std::string> titles;
    for (const ColumnHelp& column : column_help())
      if (std::ranges::find(titles, column.title) == titles.end()) titles.emplace_back(column.title);
    throw CLI::ValidationError("--explain",
                               fmt::format("no table has a column '{}'; there are: {}", text, fmt::join(titles, ", ")));
  }
  for (const ColumnHelp* column : found)
    fmt::print("{} ({})\n  {}\n  Names: {}\n  Source: {}\n", column->title, place_of(*column), column->definition,
               column->keys, column->source);
  throw CLI::Success();
}

Nanos nanos(double us) {
  return std::llround(us * 1000);
}

/// What JSON and CSV say of one row, by column.
Json row_facts(const TorchTable& table, const TorchTotals& totals, const TorchRow& row) {
  const auto percent = [](double part, double whole) -> Json {
    if (whole == 0) return nullptr;
    return std::round(part / whole * 1e6) / 1e4;
  };
  const std::string& device = table.device_name;
  Json json = {{"name", row.name},
               {"device", row.is_on_gpu ? device : "CPU"},
               {"annotation", row.is_annotation},
               {"async", row.is_async},
               {"topLevel", !row.is_inside},
               {"count", row.count},
               {"selfCpuNs", nanos(row.self_cpu)},
               {"selfCpuPercent", percent(row.self_cpu, totals.self_cpu)},
               {"cpuTotalNs", nanos(row.cpu_total)},
               {"cpuTotalPercent", row.is_async ? Json(0) : percent(row.cpu_total, totals.self_cpu)},
               {"cpuAvgNs", nanos(row.cpu_average())}};
  if (!device.empty()) {
    json["selfDeviceNs"] = nanos(row.self_device);
    json["selfDevicePercent"] = percent(row.self_device, totals.self_device);
    json["deviceTotalNs"] = nanos(row.device_total);
    json["deviceAvgNs"] = nanos(row.device_average());
  }
  if (table.has_covered) {
    json["cpuCoveredNs"] = row.cpu_covered;
    json["cpuOverlapNs"] = nanos(row.cpu_total) - row.cpu_covered;
    if (!device.empty()) {
      json["selfDeviceCoveredNs"] = row.self_device_covered;
      json["selfDeviceOverlapNs"] = nanos(row.self_device) - row.self_device_covered;
      json["deviceCoveredNs"] = row.device_covered;
      json["deviceOverlapNs"] = nanos(row.device_total) - row.device_covered;
    }
  }
  if (table.has_memory) {
    json["cpuMemoryBytes"] = row.cpu_memory;
    json["selfCpuMemoryBytes"] = row.self_cpu_memory;
    if (!device.empty()) {
      json["deviceMemoryBytes"] = row.device_memory;
      json["selfDeviceMemoryBytes"] = row.self_device_memory;
    }
  }
  return json;
}

/// Calls write(row) for the rows to show.
template <class Write>
void for_each_row(const TorchTable& table, const TorchStatsOptions& options, Output& out, Write&& write) {
  const bool is_all = !options.has_row_limit || options.row_limit < 0;
  std::size_t left = is_all ? table.rows.size() : static_cast<std::size_t>(options.row_limit);
  for (const TorchRow& row : table.rows) {
    if (left == 0 || !out.ok()) return;
    if (options.top_level_only && row.is_inside) continue;
    --left;
    write(row);
  }
}

void print_torch_json(const TorchTable& table, const TorchStatsOptions& options, Output& out) {
  const TorchTotals totals = torch_totals(table);
  const TorchTableOptions& grouping = options.grouping;
  JsonWriter json(out);
  json.begin_list("rows");
  for_each_row(table, options, out, [&](const TorchRow& row) {
    Json facts = row_facts(table, totals, row);
    if (grouping.group_by_input_shape) facts["inputShapes"] = row.input_shapes;
    if (grouping.group_by_stack_n > 0) facts["stack"] = row.stack;
    json.element(facts);
  });
  json.end();
  json.member("rowCount", table.rows.size());
  json.member("deviceName", table.device_name.empty() ? Json(nullptr) : Json(table.device_name));
  json.member("selfCpuTotalNs", nanos(totals.self_cpu));
  json.member("selfDeviceTotalNs", nanos(totals.self_device));
  if (table.has_covered) {
    json.member("cpuCoveredNs", table.cpu_covered);
    json.member("deviceCoveredNs", table.device_covered);
  }
  json.finish();
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? csv_field(value.get<std::string>()) : to_text(value);
}

void print_torch_csv(const TorchTable& table, const TorchStatsOptions& options, Output& out) {
  const TorchTotals totals = torch_totals(table);
  const TorchTableOptions& grouping = options.grouping;
  std::string header;
  const Json names = row_facts(table, totals, TorchRow{});
  for (const auto& [key, value] : names.items()) header += (header.empty() ? "" : ",") + csv_name(key);
  if (grouping.group_by_input_shape) header += ",input_shapes";
  if (grouping.group_by_stack_n > 0) header += ",stack";
  out.write(header + "\n");
  for_each_row(table, options, out, [&](const TorchRow& row) {
    std::string line;
    const Json facts = row_facts(table, totals, row);
    for (const Json& value : facts) line.append(line.empty() ? "" : ",").append(csv_cell(value));
    if (grouping.group_by_input_shape) line += "," + csv_field(row.input_shapes);
    if (grouping.group_by_stack_n > 0) line += "," + csv_field(fmt::format("{}", fmt::join(row.stack, ";")));
    out.write(line + "\n");
  });
}

}  // namespace

std::string check_any_sort_key(const std::string& text) {
  if (is_stats_key(text) || parse_torch_sort_key(text) != TorchSortKey::kNone) return {};
  return fmt::format("'{}' is not one of {}; with --table torch: {}", text, stats_keys(), torch_keys());
}

void TorchStatsOptions::add_to(CLI::App& stats) {
  CLI::Option* which =
      stats.add_option("--table", table, "statistics (default), or torch: what key_averages().table() prints")
          ->check(CLI::IsMember({"statistics", "torch"}))
          ->type_name("TABLE");
  stats.add_option("--row-limit", row_limit, "torch: rows; -1 = all (default: 100; with --json or --csv all)")
      ->check(CLI::Range(-1L, 999999999L))
      ->type_name("N")
      ->needs(which)
      ->each([this](const std::string&) { has_row_limit = true; });
  stats.add_flag("--group-by-input-shape", grouping.group_by_input_shape, "torch: a row per shapes of inputs")
      ->needs(which);
  stats.add_option("--group-by-stack-n", grouping.group_by_stack_n, "torch: a row per N innermost stack frames")
      ->check(CLI::Range(0, 1000))
      ->type_name("N")
      ->needs(which);
  stats.add_option("--time", time, "torch: sum (default), or union: time covered, overlap counted once")
      ->check(CLI::IsMember({"sum", "union"}))
      ->type_name("HOW")
      ->needs(which);
  stats.add_option("--time-unit", time_unit, "torch: s, ms or us for all times (default: auto)")
      ->check(CLI::IsMember({"auto", "s", "ms", "us"}))
      ->type_name("UNIT")
      ->needs(which);
  stats.add_option("--max-name-width", max_name_width, "torch: longest name shown, or none (default: 55)")
      ->check([](const std::string& text) {
        return text == "none" ? std::string{} : CLI::Range(1, 100000)(std::string(text));
      })
      ->type_name("N")
      ->needs(which);
  stats.add_flag("--top-level-events-only", top_level_only, "torch: only events that are in no other")->needs(which);
  stats.add_flag("--include-python-functions", grouping.include_python_functions, "torch: rows for Python frames")
      ->needs(which);
  stats
      .add_option_function<std::string>("--explain", explain,
                                        "Print what a column means, and by whose definition; no TRACE needed")
      ->type_name("COLUMN")
      ->trigger_on_parse();
  stats.parse_complete_callback([this, &stats] {
    if (is_chosen() && stats.count("--limit") > 0)
      throw CLI::ValidationError("--limit", "with --table torch it is --row-limit");
    const CLI::Option* sort = stats.get_option("--sort-by");
    if (sort->count() == 0) return;
    const auto key = sort->as<std::string>();
    if (is_chosen() ? parse_torch_sort_key(key) == TorchSortKey::kNone : !is_stats_key(key))
      throw CLI::ValidationError(
          "--sort-by", fmt::format("--table {} sorts by {}", table, is_chosen() ? torch_keys() : stats_keys()));
  });
}

Result<void> print_torch_stats(const Trace& trace, const TorchStatsOptions& options, std::string_view sort_key,
                               StatsFormat format, Output& out) {
  TorchTableOptions grouping = options.grouping;
  grouping.covered = options.time == "union";
  Result<TorchTable> table = compute_torch_table(trace, grouping);
  if (!table) return tl::make_unexpected(table.error());
  sort_torch_rows(table->rows, parse_torch_sort_key(sort_key), grouping.covered);
  if (format != StatsFormat::kText) {
    format == StatsFormat::kJson ? print_torch_json(*table, options, out) : print_torch_csv(*table, options, out);
    return {};
  }
  if (table->rows.empty()) {
    out.write("no events of torch in this trace\n");
    return {};
  }
  for (TorchRow& row : table->rows) {
    row.name = printable(row.name);
    row.input_shapes = printable(row.input_shapes);
    for (std::string& frame : row.stack) frame = printable(frame);
  }
  TorchTextOptions text;
  text.row_limit = std::nullopt;
  if (options.row_limit >= 0) text.row_limit = static_cast<std::size_t>(options.row_limit);
  if (options.max_name_width == "none")
    text.max_name_column_width = std::nullopt;
  else if (!options.max_name_width.empty())
    text.max_name_column_width = std::stoul(options.max_name_width);
  text.top_level_events_only = options.top_level_only;
  text.covered = grouping.covered;
  if (options.time_unit == "s") text.time_unit = TorchTimeUnit::kSeconds;
  if (options.time_unit == "ms") text.time_unit = TorchTimeUnit::kMilliseconds;
  if (options.time_unit == "us") text.time_unit = TorchTimeUnit::kMicroseconds;
  out.write(torch_table_text(*table, text));
  return {};
}

std::string_view torch_stats_help() {
  return R"help(--table torch: what torch.profiler prints with key_averages().table(), by the rules of torch 2.15
  and to its last digit, from the file alone. --sort-by takes torch's keys, cuda, xpu or device alike:
  self_cpu_time_total, cuda_time_total, cpu_time, count, self_cuda_memory_usage, ...; without it rows
  come in order of first appearance. Not in the file, so not reproduced: FLOPs, overload names,
  asynchronous events that ended on another thread, names that are not ASCII.
  --time union adds what overlaps once: CPU covered, Self CUDA, CUDA covered, and torch's sums above it.
  lacuna stats --explain "CPU total %" says what a column means.
JSON keys of --table torch --json:
  rows[]        sorted, at most --row-limit
    name, device ("CPU", "CUDA", "XPU"), annotation, async, topLevel, count
    selfCpuNs, cpuTotalNs, cpuAvgNs, selfCpuPercent, cpuTotalPercent   percentages null where torch prints NaN
    selfDeviceNs, selfDevicePercent, deviceTotalNs, deviceAvgNs        in traces with a GPU
    cpuCoveredNs, cpuOverlapNs, selfDeviceCoveredNs, selfDeviceOverlapNs, deviceCoveredNs, deviceOverlapNs
                                                                       with --time union
    cpuMemoryBytes, selfCpuMemoryBytes, deviceMemoryBytes, selfDeviceMemoryBytes   with profile_memory
    inputShapes, stack                                                 where grouped by them
  rowCount, deviceName, selfCpuTotalNs, selfDeviceTotalNs, cpuCoveredNs, deviceCoveredNs
Columns of --csv: the same in snake_case)help";
}

}  // namespace lacuna
