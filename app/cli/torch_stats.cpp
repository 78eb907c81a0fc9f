#include "app/cli/torch_stats.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/group_stats.h"
#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/base/ascii.h"
#include "model/causes/gap_cause.h"
#include "model/help/column_help.h"
#include "model/help/glossary.h"
#include "model/query/query_rows.h"

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

/// Prints what `text` means, a column, a word of the window or a cause of a gap ("all": each of them), and ends the
/// parsing.
void explain(const std::string& text) {
  const bool is_all = to_lower(text) == "all";
  std::vector<const ColumnHelp*> columns = explain_column(text);
  if (is_all)
    for (const ColumnHelp& column : column_help()) columns.push_back(&column);
  const GlossaryEntry* word = find_in_glossary(text);
  std::vector<GapCause> causes;
  for (const GapCause cause : all_gap_causes())
    if (is_all || to_lower(cause_name(cause)) == to_lower(text) || cause_key(cause) == to_lower(text))
      causes.push_back(cause);
  if (columns.empty() && causes.empty() && word == nullptr) {
    std::vector<std::string> titles;
    for (const ColumnHelp& column : column_help())
      if (std::ranges::find(titles, column.title) == titles.end()) titles.emplace_back(column.title);
    throw CLI::ValidationError(
        "--explain", fmt::format("'{}' is neither a column, a cause of gaps nor a word of the glossary (all: lists "
                                 "these); columns are: {}",
                                 text, fmt::join(titles, ", ")));
  }
  for (const GlossaryEntry& entry : glossary())
    if (is_all || &entry == word) fmt::print("{} (glossary)\n  {}\n", entry.word, entry.meaning);
  for (const GapCause cause : causes)
    fmt::print("{} (cause of a gap)\n  {}\n", cause_name(cause), cause_definition(cause));
  for (const ColumnHelp* column : columns)
    fmt::print("{} ({})\n  {}\n  Names: {}\n  Source: {}\n", column->title, place_of(*column), column->definition,
               column->keys, column->source);
  throw CLI::Success();
}

Nanos nanos(double us) {
  return std::llround(us * 1000);
}

/// The rows to show, in their order.
std::vector<const TorchRow*> chosen_rows(const TorchTable& table, const TorchStatsOptions& options) {
  std::vector<const TorchRow*> rows;
  const bool is_all = !options.has_row_limit || options.row_limit < 0;
  const std::size_t most = is_all ? table.rows.size() : static_cast<std::size_t>(options.row_limit);
  for (const TorchRow& row : table.rows)
    if (rows.size() < most && !(options.top_level_only && row.is_inside)) rows.push_back(&row);
  return rows;
}

/// What JSON, CSV and Arrow say of `rows`. A stack is a list, in CSV one text.
Table torch_values(const TorchTable& torch, const TorchTotals& totals, std::span<const TorchRow* const> rows,
                   const TorchTableOptions& grouping, bool is_csv) {
  TableOf<const TorchRow*> table(rows);
  const auto add = [&](const char* key, auto get) {
    table.value(key, [get](const TorchRow* row) { return std::invoke(get, *row); });
  };
  const auto time = [&](const char* key, auto get) {
    add(key, [get](const TorchRow& row) { return nanos(std::invoke(get, row)); });
  };
  const auto percent = [&](const char* key, double TorchRow::*part, double whole) {
    add(key, [part, whole, is_total = part == &TorchRow::cpu_total](const TorchRow& row) {
      if (is_total && row.is_async) return Cell::of(0);
      return whole == 0 ? Cell::null() : Cell::of_real(std::round(row.*part / whole * 1e6) / 1e4);
    });
  };
  const auto covered = [&](const char* key, const char* overlap_key, double TorchRow::*sum, Nanos TorchRow::*held) {
    add(key, held);
    add(overlap_key, [sum, held](const TorchRow& row) { return nanos(row.*sum) - row.*held; });
  };
  const bool has_device = !torch.device_name.empty();
  add("name", &TorchRow::name);
  add("device", [&torch](const TorchRow& row) { return row.is_on_gpu ? torch.device_name : "CPU"; });
  add("annotation", &TorchRow::is_annotation);
  add("async", &TorchRow::is_async);
  add("topLevel", [](const TorchRow& row) { return !row.is_inside; });
  add("count", &TorchRow::count);
  time("selfCpuNs", &TorchRow::self_cpu);
  percent("selfCpuPercent", &TorchRow::self_cpu, totals.self_cpu);
  time("cpuTotalNs", &TorchRow::cpu_total);
  percent("cpuTotalPercent", &TorchRow::cpu_total, totals.self_cpu);
  time("cpuAvgNs", &TorchRow::cpu_average);
  if (has_device) {
    time("selfDeviceNs", &TorchRow::self_device);
    percent("selfDevicePercent", &TorchRow::self_device, totals.self_device);
    time("deviceTotalNs", &TorchRow::device_total);
    time("deviceAvgNs", &TorchRow::device_average);
  }
  if (torch.has_covered) {
    covered("cpuCoveredNs", "cpuOverlapNs", &TorchRow::cpu_total, &TorchRow::cpu_covered);
    if (has_device) {
      covered("selfDeviceCoveredNs", "selfDeviceOverlapNs", &TorchRow::self_device, &TorchRow::self_device_covered);
      covered("deviceCoveredNs", "deviceOverlapNs", &TorchRow::device_total, &TorchRow::device_covered);
    }
  }
  if (torch.has_memory) {
    add("cpuMemoryBytes", &TorchRow::cpu_memory);
    add("selfCpuMemoryBytes", &TorchRow::self_cpu_memory);
    if (has_device) {
      add("deviceMemoryBytes", &TorchRow::device_memory);
      add("selfDeviceMemoryBytes", &TorchRow::self_device_memory);
    }
  }
  if (grouping.group_by_input_shape) add("inputShapes", &TorchRow::input_shapes);
  if (grouping.group_by_stack_n > 0)
    table
        .value("stack",
               [is_csv](const TorchRow* row) {
                 return is_csv ? fmt::format("{}", fmt::join(row->stack, ";")) : to_text(row->stack);
               })
        .is_json = !is_csv;
  return table;
}

Result<TorchTable> sorted_table(const Trace& trace, const TorchStatsOptions& options, std::string_view sort_key) {
  TorchTableOptions grouping = options.grouping;
  grouping.covered = options.time == "union";
  Result<TorchTable> table = compute_torch_table(trace, grouping);
  if (table) sort_torch_rows(table->rows, parse_torch_sort_key(sort_key), grouping.covered);
  return table;
}

void print_torch_json(const TorchTable& table, const TorchTotals& totals, const Table& rows, Output& out) {
  JsonWriter json(out);
  write_json_rows(rows, "rows", json, out);
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
      .add_option_function<std::string>(
          "--explain", explain,
          "Print what a column, a cause of gaps or a word means (all: each of them); no TRACE needed")
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
  Result<TorchTable> table = sorted_table(trace, options, sort_key);
  if (!table) return tl::make_unexpected(table.error());
  if (format != StatsFormat::kText) {
    const TorchTotals totals = torch_totals(*table);
    const std::vector<const TorchRow*> chosen = chosen_rows(*table, options);
    const bool is_csv = format == StatsFormat::kCsv;
    const Table rows = torch_values(*table, totals, chosen, options.grouping, is_csv);
    is_csv ? write_csv(rows, out) : print_torch_json(*table, totals, rows, out);
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
  text.covered = table->has_covered;
  if (options.time_unit == "s") text.time_unit = TorchTimeUnit::kSeconds;
  if (options.time_unit == "ms") text.time_unit = TorchTimeUnit::kMilliseconds;
  if (options.time_unit == "us") text.time_unit = TorchTimeUnit::kMicroseconds;
  out.write(torch_table_text(*table, text));
  return {};
}

Result<QueryRows> torch_stats_rows(const Trace& trace, const TorchStatsOptions& options, std::string_view sort_key) {
  const Result<TorchTable> table = sorted_table(trace, options, sort_key);
  if (!table) return tl::make_unexpected(table.error());
  const std::vector<const TorchRow*> chosen = chosen_rows(*table, options);
  return query_rows(torch_values(*table, torch_totals(*table), chosen, options.grouping, false));
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

namespace {

/// Rows that text shows unless --limit says otherwise; JSON and CSV then show all.
constexpr std::size_t kTextStatsRows = 30;

struct StatsCommand {
  bool json = false;
  bool csv = false;
  std::string sort_key = "share";
  std::optional<std::size_t> limit;
  TorchStatsOptions torch;
  GroupStatsOptions groups;
  std::size_t width = 0;

  void add_to(CLI::App& app) {
    std::vector<std::string> keys;
    for (const auto& [key, column] : stats_sort_keys()) keys.push_back(key);
    app.add_option("--sort-by", sort_key, fmt::format("{} (default: {})", fmt::join(keys, ", "), sort_key))
        ->check(check_any_sort_key)
        ->type_name("KEY");
    torch.add_to(app);
    groups.add_to(app);
    app.add_option("--limit", limit,
                   fmt::format("Rows; 0 = all (default: {}; with --json or --csv all)", kTextStatsRows))
        ->check(is_count)
        ->type_name("N");
    add_json_flag(app, json);
    app.add_flag("--csv", csv, "Write CSV to standard output")->excludes("--json");
  }
};

Result<void> print_any_stats(const Trace& trace, const StatsCommand& command, Output& out) {
  StatsOptions options;
  options.format = command.json ? StatsFormat::kJson : command.csv ? StatsFormat::kCsv : StatsFormat::kText;
  if (command.torch.is_chosen()) {
    const Result<TimeSpan> range = chosen_range(trace, command.groups);
    if (!range) return tl::make_unexpected(range.error());
    TorchStatsOptions torch = command.torch;
    torch.grouping.range = *range;
    return print_torch_stats(trace, torch, command.sort_key, options.format, out);
  }
  for (const auto& [key, column] : stats_sort_keys())
    if (key == command.sort_key) options.sort_by = column;
  options.limit = command.limit.value_or(options.format == StatsFormat::kText ? kTextStatsRows : 0);
  options.width = command.width;
  if (command.groups.is_used || !is_stats_sort_key(command.sort_key))
    return print_group_stats(trace, command.groups, command.sort_key, options.format, options.limit, options.width,
                             out);
  print_stats(trace, options, out);
  return {};
}

}  // namespace

Command stats_command(CommandContext& context) {
  return trace_command(context, "stats", "Statistics by name: count, total, self, avg, min, max",
                       fmt::format("{}\n{}\n{}", stats_help(), group_stats_help(), torch_stats_help()),
                       print_any_stats);
}

}  // namespace lacuna
