#include "app/cli/launch_views.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/causes/dead_windows.h"
#include "model/causes/gap_evidence.h"
#include "model/causes/launch_delay.h"
#include "render/format.h"

namespace lacuna {
namespace {

Json instance_json(const Trace& trace, const DeadWindow& window) {
  const auto name = [&](SliceId s) { return s.valid() ? Json(trace.name(s)) : Json(); };
  return {{"startNs", trace.span(window.annotation).begin},
          {"deadNs", window.dead},
          {"firstChild", name(window.first_child)},
          {"deadOnGpuNs", window.first_activity.valid() ? Json(window.dead_on_gpu) : Json()},
          {"firstActivity", name(window.first_activity)},
          {"outlier", window.is_outlier},
          {"outlierOnGpu", window.is_outlier_on_gpu}};
}

/// Time-weighted figures of a queue between its first and its last change.
struct QueueFigures {
  Nanos span = 0;
  Nanos empty = 0;
  double mean = 0;
};

QueueFigures figures_of(const CounterSeries& depth) {
  QueueFigures figures;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < depth.times.size(); ++i) {
    const Nanos length = depth.times[i + 1] - depth.times[i];
    sum += depth.values[i] * static_cast<double>(length);
    if (depth.values[i] == 0) figures.empty += length;
    figures.span += length;
  }
  if (figures.span > 0) figures.mean = sum / static_cast<double>(figures.span);
  return figures;
}

Table launches_table(const Trace& trace, std::span<const LaunchDelayRow> rows) {
  using Row = LaunchDelayRow;
  TableOf<Row> table(rows);
  table.name(
      {"Activity", "name"}, [&trace](const Row& row) { return trace.text(row.name); },
      [&trace](const Row& row) {
        return row.is_graph ? fmt::format("{} of {} activities", trace.text(row.name), format_count(row.activities))
                            : short_kernel_name(trace.text(row.name), 120);
      });
  table.value("isGraph", &Row::is_graph);
  table.count({"Launches", "launches"}, &Row::launches);
  table.value("activities", &Row::activities);
  table.count({"Short", "short"}, &Row::short_ones);
  table.duration({"On the GPU", "gpuTimeNs", 2}, &Row::gpu_time);
  table.duration({"Calls", "cpuTimeNs", 3}, &Row::cpu_time);
  table.value("delayNs", &Row::delay);
  table.duration({"Delay p50", "delayP50Ns"}, &Row::delay_p50);
  table.duration({"p99", "delayP99Ns"}, &Row::delay_p99);
  table.duration({"Max", "delayMaxNs"}, &Row::delay_max);
  table.value("slowestStartNs", [&trace](const Row& row) { return trace.span(row.slowest.launch).begin; });
  table.shown = {"Launches", "Short", "Delay p50", "p99", "Max", "On the GPU", "Calls", "Activity"};
  return table;
}

Table queues_table(const Trace& trace, std::span<const QueueDepth> queues) {
  using Row = QueueDepth;
  TableOf<Row> table(queues);
  table.name(
      {"File", "file", 1}, [](const Row& row) { return row.source.value; },
      [&trace](const Row& row) {
        return trace.sources().size() > 1 ? trace.sources()[row.source.value].path : std::string();
      });
  table.value("device", [&trace](const Row& row) { return trace.text(row.device); });
  table.add(
      {"Queue of stream", "stream"}, [&trace](const Row& row) { return trace.text(row.stream); },
      [&trace](const Row& row) { return fmt::format("{}:{}", trace.text(row.device), trace.text(row.stream)); });
  table.count({"Launches", "launches"}, &Row::launches);
  table.number(
      {"Max depth", "maxDepth"}, [](const Row& row) { return row.depth.max; },
      [](const Row& row) { return fmt::format("{}{}", row.depth.max, row.depth.max >= kFullQueue ? " (full)" : ""); });
  table.number(
      {"Mean depth", "meanDepth"}, [](const Row& row) { return figures_of(row.depth).mean; },
      [](const Row& row) { return fmt::format("{:.1f}", figures_of(row.depth).mean); });
  table.duration({"Empty", "emptyNs"}, [](const Row& row) { return figures_of(row.depth).empty; });
  table.duration({"of", "spanNs"}, [](const Row& row) { return figures_of(row.depth).span; });
  table.shown = {"Queue of stream", "Launches", "Max depth", "Mean depth", "Empty", "of", "File"};
  return table;
}

Table dead_windows_table(const Trace& trace, std::span<const DeadWindowGroup> groups) {
  using Row = DeadWindowGroup;
  TableOf<Row> table(groups);
  table.name({"Annotation", "name"}, [&trace](const Row& row) { return row.label(trace); });
  table.count({"Instances", "instanceCount"}, [](const Row& row) { return row.instances.size(); });
  table.duration({"Dead", "totalNs"}, &Row::total);
  table.duration({"Median", "medianNs"}, &Row::median);
  table.duration({"Longest", "longestNs"}, &Row::longest);
  table.duration({"Median to GPU", "medianOnGpuNs", 1}, &Row::median_on_gpu);
  table.number({"Outliers", "outlierCount"}, &Row::outliers,
               [](const Row& row) { return row.outliers == 0 ? std::string() : format_count(row.outliers); });
  table.value("instances", [&trace](const Row& row) {
    Json instances = Json::array();
    for (const DeadWindow& window : row.instances) instances.push_back(instance_json(trace, window));
    return JsonText{to_text(instances)};
  });
  return table;
}

}  // namespace

void print_dead_windows(const Trace& trace, const GapsOptions& options, Output& out) {
  const std::vector<DeadWindowGroup> groups = find_dead_windows(trace);
  Table table = dead_windows_table(trace, groups);
  table.limit(options.limit);
  if (options.json) {
    JsonWriter json(out);
    write_json_rows(table, "groups", json, out);
    json.finish();
    return;
  }
  if (groups.empty()) {
    out.write("no annotations (record_function, ProfilerStep) in this trace\n");
    return;
  }
  print_table(table, options.width, out);
  const std::size_t shown = table.rows;
  for (std::size_t g = 0; g < shown; ++g) {
    const DeadWindowGroup& group = groups[g];
    for (const DeadWindow& window : group.instances) {
      const std::string_view name = trace.name(window.annotation);
      const std::string at = format_duration(saturating_sub(trace.span(window.annotation).begin, trace.span().begin));
      if (window.is_outlier)
        out.write(printable(fmt::format("outlier: {} at {}: {} to its first child, median {}", name, at,
                                        format_duration(window.dead), format_duration(group.median))) +
                  "\n");
      if (window.is_outlier_on_gpu)
        out.write(printable(fmt::format("outlier: {} at {}: {} to its first GPU activity, median {}", name, at,
                                        format_duration(window.dead_on_gpu), format_duration(group.median_on_gpu))) +
                  "\n");
    }
  }
  if (shown < groups.size())
    out.write(fmt::format("{} of {} names listed\n", format_count(shown), format_count(groups.size())));
}

void print_launches(const Trace& trace, const GapsOptions& options, Output& out) {
  const std::vector<LaunchGroup> groups = launch_groups(trace);
  const std::vector<LaunchDelayRow> rows = summarise_launches(trace, groups);
  const std::vector<QueueDepth> queues = queue_depths(trace);
  Table table = launches_table(trace, rows);
  table.limit(options.limit);
  const auto short_ones = static_cast<std::uint64_t>(std::ranges::count_if(groups, &LaunchGroup::is_short));
  if (options.json) {
    JsonWriter json(out);
    write_json_rows(table, "rows", json, out);
    json.member("rowCount", rows.size());
    json.member("launches", groups.size());
    json.member("activities", trace.links().linked);
    json.member("short", short_ones);
    write_json_rows(queues_table(trace, queues), "queues", json, out);
    json.finish();
    return;
  }
  out.write(fmt::format("{} of {}; {} took the CPU longer than the GPU\n", counted(groups.size(), "launch"),
                        counted(trace.links().linked, "GPU activity"), format_count(short_ones)));
  print_table(table, options.width, out);
  if (table.rows < rows.size())
    out.write(fmt::format("{} of {} rows listed\n", format_count(table.rows), format_count(rows.size())));
  out.write("\n");
  print_table(queues_table(trace, queues), options.width, out);
}

}  // namespace lacuna
