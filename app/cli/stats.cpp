#include "app/cli/stats.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "app/cli/table_writers.h"
#include "model/base/quantiles.h"
#include "model/causes/known_names.h"
#include "model/query/query_rows.h"
#include "model/steps/measured_steps.h"
#include "model/trace/engine_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// Sorted as the user asked.
Statistics sorted_statistics(const Trace& trace, const StatsOptions& options) {
  Statistics statistics = compute_statistics(trace);
  const bool is_text = options.sort_by == StatisticsColumn::kName || options.sort_by == StatisticsColumn::kCategory;
  sort_rows(trace, statistics, options.sort_by, !is_text);
  if (options.steps_in_a_line)
    std::erase_if(statistics.rows, [&](const StatisticsRow& row) { return is_profiler_step(trace.text(row.name)); });
  return statistics;
}

Table names_table(const Trace& trace, const Statistics& statistics, bool is_csv) {
  using Row = StatisticsRow;
  TableOf<Row> table(statistics.rows);
  const auto is_estimate = [&trace](const Row& row) { return is_sampled(trace, row.category); };
  const auto sum = [is_estimate](Nanos Row::*time) {
    return [is_estimate, time](const Row& row) {
      return is_estimate(row) ? marked_as_estimate(format_duration(row.*time)) : format_duration(row.*time);
    };
  };
  table.name({"Name", "name"}, [&trace](const Row& row) { return trace.text(row.name); });
  table.text({"Category", "category", 2}, [&trace](const Row& row) { return trace.category_name(row.category); });
  table.count({"Count", "count"}, &Row::count);
  table.number({"Total", "totalNs"}, &Row::total, sum(&Row::total));
  table.number({"Self", "selfNs"}, &Row::self, sum(&Row::self));
  table.duration({"Avg", "avgNs"}, &Row::average);
  table.duration({"Min", "minNs", 4}, &Row::min);
  table.duration({"Max", "maxNs", 3}, &Row::max);
  table.number(
      {"Share", "sharePercent"},
      [&trace, &statistics, is_csv](const Row& row) {
        // Rounded to what a table shows; more digits would be noise of the division.
        const double percent = std::round(100 * statistics.share(trace, row) * 1e4) / 1e4;
        // In CSV without ".0".
        return is_csv ? Cell::of_string(fmt::format("{}", percent)) : Cell::of_real(percent);
      },
      [&trace, &statistics](const Row& row) { return format_percent(statistics.share(trace, row)); });
  if (!is_csv) table.value("sampled", is_estimate);
  return table;
}

/// "decode: 4 steps, the median 424.0 us, 32 requests and 32 tokens on average." of an inference server.
void print_phase(const Trace& trace, const MeasuredSteps& steps, StepPhase phase, Output& out) {
  std::vector<Nanos> lengths;
  std::int64_t requests = 0, tokens = 0;
  for (const MeasuredStep& step : steps.steps) {
    const auto read = parse_engine_step(trace.text(step.name));
    if (!read || read->phase != phase) continue;
    lengths.push_back(step.length());
    requests += read->batch_size;
    tokens += read->tokens;
  }
  if (lengths.empty()) return;
  const auto mean = [&](std::int64_t sum) { return static_cast<double>(sum) / static_cast<double>(lengths.size()); };
  out.write(fmt::format("  {}: {}, the median {}; {:.3g} requests and {:.6g} tokens on average.\n",
                        step_phase_key(phase), counted(lengths.size(), "step"), format_duration(median_of(lengths)),
                        mean(requests), mean(tokens)));
}

/// "4 steps, the median 424.0 us; the first 1.20 s." of each file that has steps.
void print_steps(const Trace& trace, Output& out) {
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    const MeasuredSteps steps = find_measured_steps(trace, SourceId{s});
    if (!steps.has_steps()) continue;
    std::vector<Nanos> lengths;
    for (const MeasuredStep& step : steps.steps) lengths.push_back(step.length());
    out.write(fmt::format("{}, the median {}, the first {}.\n", counted(lengths.size(), "step"),
                          format_duration(median_of(lengths)), format_duration(lengths.front())));
    for (const StepPhase phase : {StepPhase::kPrefill, StepPhase::kDecode, StepPhase::kMixed})
      print_phase(trace, steps, phase, out);
  }
}

void print_names_text(const Trace& trace, const Statistics& all, const Table& table, const StatsOptions& options,
                      Output& out) {
  if (table.rows == 0) {
    out.write("no slices in this trace\n");
    return;
  }
  const std::vector<std::string> hidden = print_table(table, options.width, out);
  out.write(fmt::format("\n{} of {} rows. Share: of {} self time on CPU threads, or of {} GPU activity.\n",
                        format_count(table.rows), format_count(all.rows.size()), format_duration(all.cpu_self),
                        format_duration(all.gpu_total)));
  const auto shown = std::span(all.rows).first(table.rows);
  if (std::ranges::any_of(shown, [&](const StatisticsRow& row) { return is_sampled(trace, row.category); }))
    out.write(fmt::format("~ estimates from samples of stacks, not measured; Share there: of {} sampled time.\n",
                          format_duration(all.sampled_self)));
  if (options.steps_in_a_line) print_steps(trace, out);
  if (table.rows < all.rows.size()) out.write("All rows: --limit 0\n");
  print_hidden(hidden, out);
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
  const Statistics statistics = sorted_statistics(trace, options);
  Table table = names_table(trace, statistics, options.format == StatsFormat::kCsv);
  table.limit(options.limit);
  if (options.format == StatsFormat::kText) return print_names_text(trace, statistics, table, options, out);
  if (options.format == StatsFormat::kCsv) return write_csv(table, out);
  JsonWriter json(out);
  write_json_rows(table, "rows", json, out);
  json.member("rowCount", statistics.rows.size());
  json.member("cpuSelfNs", statistics.cpu_self);
  json.member("gpuTotalNs", statistics.gpu_total);
  json.member("sampledSelfNs", statistics.sampled_self);
  json.finish();
}

QueryRows stats_rows(const Trace& trace) {
  const Statistics statistics = sorted_statistics(trace, {});
  return query_rows(names_table(trace, statistics, false));
}

std::string_view stats_help() {
  return R"help(One row per (name, category), CPU and GPU alike.
  total   sum of the durations of all slices of that name; nested ones each count; avg: total / count
  self    total less the time inside direct children on the same track; of GPU streams: the total
  share   of all GPU activity; on CPU threads of all self time; of sampled frames (~) of all sampled time, an
          estimate; 0 for thread states, async slices and GPU annotations, whose time is counted elsewhere
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
