#include "app/cli/stats.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "app/cli/json_writer.h"
#include "app/cli/text_table.h"
#include "app/tables/csv.h"
#include "model/base/quantiles.h"
#include "model/causes/known_names.h"
#include "model/steps/measured_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// A table that is sorted and cut as the user asked.
struct Selection {
  Statistics statistics;
  std::span<const StatisticsRow> rows;
};

Selection select(const Trace& trace, const StatsOptions& options) {
  Selection selection{compute_statistics(trace), {}};
  const bool is_text = options.sort_by == StatisticsColumn::kName || options.sort_by == StatisticsColumn::kCategory;
  sort_rows(trace, selection.statistics, options.sort_by, !is_text);
  if (options.steps_in_a_line)
    std::erase_if(selection.statistics.rows,
                  [&](const StatisticsRow& row) { return is_profiler_step(trace.text(row.name)); });
  selection.rows = selection.statistics.rows;
  if (options.limit != 0) selection.rows = selection.rows.first(std::min(options.limit, selection.rows.size()));
  return selection;
}

/// Rounded to what a table shows; more digits would be noise of the division.
double share_percent(const Trace& trace, const Statistics& statistics, const StatisticsRow& row) {
  const double percent = 100 * statistics.share(trace, row);
  return static_cast<double>(static_cast<std::int64_t>(percent * 1e4 + 0.5)) / 1e4;
}

void print_names_json(const Trace& trace, const Selection& selection, Output& out) {
  JsonWriter json(out);
  json.begin_list("rows");
  for (const StatisticsRow& row : selection.rows) {
    if (!out.ok()) break;
    json.element({{"name", trace.text(row.name)},
                  {"category", trace.category_name(row.category)},
                  {"count", row.count},
                  {"totalNs", row.total},
                  {"selfNs", row.self},
                  {"avgNs", row.average()},
                  {"minNs", row.min},
                  {"maxNs", row.max},
                  {"sharePercent", share_percent(trace, selection.statistics, row)},
                  {"sampled", is_sampled(trace, row.category)}});
  }
  json.end();
  json.member("rowCount", selection.statistics.rows.size());
  json.member("cpuSelfNs", selection.statistics.cpu_self);
  json.member("gpuTotalNs", selection.statistics.gpu_total);
  json.member("sampledSelfNs", selection.statistics.sampled_self);
  json.finish();
}

void print_names_csv(const Trace& trace, const Selection& selection, Output& out) {
  out.write("name,category,count,total_ns,self_ns,avg_ns,min_ns,max_ns,share_percent\n");
  for (const StatisticsRow& row : selection.rows) {
    if (!out.ok()) break;
    out.write(fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_field(trace.text(row.name)),
                          csv_field(trace.category_name(row.category)), row.count, row.total, row.self, row.average(),
                          row.min, row.max, share_percent(trace, selection.statistics, row)));
  }
}

/// "4 steps, the median 424.0 us; the first 1.20 s." of each file that has steps.
void print_steps(const Trace& trace, Output& out) {
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    const MeasuredSteps steps = find_measured_steps(trace, SourceId{s});
    if (!steps.has_steps()) continue;
    std::vector<Nanos> lengths;
    for (const MeasuredStep& step : steps.steps) lengths.push_back(step.length());
    out.write(fmt::format("{} steps, the median {}, the first {}.\n", format_count(lengths.size()),
                          format_duration(lower_median(lengths)), format_duration(lengths.front())));
  }
}

void print_names_text(const Trace& trace, const Selection& selection, const StatsOptions& options, Output& out) {
  if (selection.rows.empty()) {
    out.write("no slices in this trace\n");
    return;
  }
  TextTable table({{.title = "Name", .flexible = true},
                   {.title = "Category", .drop_order = 2},
                   {.title = "Count", .right_aligned = true},
                   {.title = "Total", .right_aligned = true},
                   {.title = "Self", .right_aligned = true},
                   {.title = "Avg", .right_aligned = true},
                   {.title = "Min", .right_aligned = true, .drop_order = 4},
                   {.title = "Max", .right_aligned = true, .drop_order = 3},
                   {.title = "Share", .right_aligned = true}});
  bool any_sampled = false;
  for (const StatisticsRow& row : selection.rows) {
    const bool sampled = is_sampled(trace, row.category);
    const auto sum = [&](Nanos t) { return sampled ? marked_as_estimate(format_duration(t)) : format_duration(t); };
    any_sampled |= sampled;
    table.add_row({std::string(trace.text(row.name)), std::string(trace.category_name(row.category)),
                   format_count(row.count), sum(row.total), sum(row.self), format_duration(row.average()),
                   format_duration(row.min), format_duration(row.max),
                   format_percent(selection.statistics.share(trace, row))});
  }
  table.print(out, options.width);
  const Statistics& all = selection.statistics;
  out.write(fmt::format("\n{} of {} rows. Share: of {} self time on CPU threads, or of {} GPU activity.\n",
                        format_count(selection.rows.size()), format_count(all.rows.size()),
                        format_duration(all.cpu_self), format_duration(all.gpu_total)));
  if (any_sampled)
    out.write(fmt::format("~ estimates from samples of stacks, not measured; Share there: of {} sampled time.\n",
                          format_duration(all.sampled_self)));
  if (options.steps_in_a_line) print_steps(trace, out);
  if (selection.rows.size() < all.rows.size()) out.write("All rows: --limit 0\n");
  if (!table.hidden().empty())
    out.write(fmt::format("Not enough room for: {} (see --csv or --json)\n", fmt::join(table.hidden(), ", ")));
}

}  // namespace

const std::vector<std::pair<std::string, StatisticsColumn>>& stats_sort_keys() {
  static const std::vector<std::pair<std::string, StatisticsColumn>> keys{
      {"name", StatisticsColumn::kName},   {"category", StatisticsColumn::kCategory},
      {"count", StatisticsColumn::kCount}, {"total", StatisticsColumn::kTotal},
      {"self", StatisticsColumn::kSelf},   {"avg", StatisticsColumn::kAverage},
      {"min", StatisticsColumn::kMin},     {"max", StatisticsColumn::kMax},
      {"share", StatisticsColumn::kShare}};
  return keys;
}

bool is_stats_sort_key(std::string_view key) {
  return std::ranges::any_of(stats_sort_keys(), [&](const auto& k) { return k.first == key; });
}

void print_stats(const Trace& trace, const StatsOptions& options, Output& out) {
  const Selection selection = select(trace, options);
  switch (options.format) {
    case StatsFormat::kText:
      print_names_text(trace, selection, options, out);
      break;
    case StatsFormat::kJson:
      print_names_json(trace, selection, out);
      break;
    case StatsFormat::kCsv:
      print_names_csv(trace, selection, out);
      break;
  }
}

std::string_view stats_help() {
  return R"help(One row per (name, category), CPU and GPU alike.
  total   sum of the durations of all slices of that name; nested ones each count
  self    total less the time inside direct children on the same track;
          on a GPU stream self = total, since overlapping kernels run side by side
  avg     total / count
  share   GPU activity: total as part of all GPU activity of the trace;
          CPU slices: self time as part of all self time on CPU threads;
          sampled frames (~): self time as part of all sampled time, an estimate;
          0 for thread states, async slices and GPU annotations, whose time is counted elsewhere
JSON keys of --json:
  rows[]        sorted by --sort-by, at most --limit
    name, category   as in the file; category "" when there is none
    count            number of slices
    totalNs, selfNs, avgNs, minNs, maxNs   integer nanoseconds
    sharePercent     0 to 100
    sampled          the times are estimates from samples of stacks (categories *_sample)
  rowCount      number of rows before --limit
  cpuSelfNs     100 % of the share of CPU rows
  gpuTotalNs    100 % of the share of GPU rows
  sampledSelfNs 100 % of the share of sampled rows
Columns of --csv (RFC 4180, with a header line):
  name,category,count,total_ns,self_ns,avg_ns,min_ns,max_ns,share_percent)help";
}

}  // namespace lacuna
