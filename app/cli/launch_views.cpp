#include "app/cli/launch_views.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/json_writer.h"
#include "app/cli/text_table.h"
#include "model/causes/dead_windows.h"
#include "model/causes/gap_evidence.h"
#include "model/causes/launch_delay.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::size_t rows_to_show(std::size_t rows, std::size_t limit) {
  return limit == 0 ? rows : std::min(limit, rows);
}

std::string group_name(const Trace& trace, const DeadWindowGroup& group) {
  return group.is_step ? "ProfilerStep#*" : std::string(trace.text(group.name));
}

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

void write_launches_json(const Trace& trace, const std::vector<LaunchDelayRow>& rows,
                         const std::vector<LaunchGroup>& groups, std::size_t shown, Output& out) {
  JsonWriter json(out);
  json.begin_list("rows");
  for (std::size_t r = 0; r < shown && out.ok(); ++r) {
    const LaunchDelayRow& row = rows[r];
    json.element({{"name", trace.text(row.name)},
                  {"isGraph", row.is_graph},
                  {"launches", row.launches},
                  {"activities", row.activities},
                  {"short", row.short_ones},
                  {"gpuTimeNs", row.gpu_time},
                  {"cpuTimeNs", row.cpu_time},
                  {"delayNs", row.delay},
                  {"delayP50Ns", row.delay_p50},
                  {"delayP99Ns", row.delay_p99},
                  {"delayMaxNs", row.delay_max},
                  {"slowestStartNs", trace.span(row.slowest.launch).begin}});
  }
  json.end();
  json.member("rowCount", rows.size());
  json.member("launches", groups.size());
  json.member("activities", trace.links().linked);
  json.member("short", std::ranges::count_if(groups, &LaunchGroup::is_short));
  json.begin_list("queues");
  for (const QueueDepth& queue : queue_depths(trace)) {
    const QueueFigures figures = figures_of(queue.depth);
    json.element({{"file", queue.source.value},
                  {"device", trace.text(queue.device)},
                  {"stream", trace.text(queue.stream)},
                  {"launches", queue.launches},
                  {"maxDepth", queue.depth.max},
                  {"meanDepth", figures.mean},
                  {"emptyNs", figures.empty},
                  {"spanNs", figures.span}});
  }
  json.end();
  json.finish();
}

void print_queues(const Trace& trace, std::size_t width, Output& out) {
  TextTable table({{.title = "Queue of stream"},
                   {.title = "Launches", .right_aligned = true},
                   {.title = "Max depth", .right_aligned = true},
                   {.title = "Mean depth", .right_aligned = true},
                   {.title = "Empty", .right_aligned = true},
                   {.title = "of", .right_aligned = true},
                   {.title = "File", .flexible = true, .drop_order = 1}});
  for (const QueueDepth& queue : queue_depths(trace)) {
    const QueueFigures figures = figures_of(queue.depth);
    table.add_row({fmt::format("{}:{}", trace.text(queue.device), trace.text(queue.stream)),
                   format_count(queue.launches),
                   fmt::format("{}{}", queue.depth.max, queue.depth.max >= kFullQueue ? " (full)" : ""),
                   fmt::format("{:.1f}", figures.mean), format_duration(figures.empty), format_duration(figures.span),
                   trace.sources().size() > 1 ? trace.sources()[queue.source.value].path : ""});
  }
  table.print(out, width);
}

}  // namespace

void print_dead_windows(const Trace& trace, const GapsOptions& options, Output& out) {
  const std::vector<DeadWindowGroup> groups = find_dead_windows(trace);
  const std::size_t shown = rows_to_show(groups.size(), options.limit);
  if (options.json) {
    JsonWriter json(out);
    json.begin_list("groups");
    for (std::size_t g = 0; g < shown && out.ok(); ++g) {
      const DeadWindowGroup& group = groups[g];
      Json instances = Json::array();
      for (const DeadWindow& window : group.instances) instances.push_back(instance_json(trace, window));
      json.element({{"name", group_name(trace, group)},
                    {"instanceCount", group.instances.size()},
                    {"totalNs", group.total},
                    {"medianNs", group.median},
                    {"longestNs", group.longest},
                    {"medianOnGpuNs", group.median_on_gpu},
                    {"outlierCount", group.outliers},
                    {"instances", std::move(instances)}});
    }
    json.end();
    json.finish();
    return;
  }
  if (groups.empty()) {
    out.write("no annotations (record_function, ProfilerStep) in this trace\n");
    return;
  }
  TextTable table({{.title = "Annotation", .flexible = true},
                   {.title = "Instances", .right_aligned = true},
                   {.title = "Dead", .right_aligned = true},
                   {.title = "Median", .right_aligned = true},
                   {.title = "Longest", .right_aligned = true},
                   {.title = "Median to GPU", .right_aligned = true, .drop_order = 1},
                   {.title = "Outliers", .right_aligned = true}});
  for (std::size_t g = 0; g < shown; ++g) {
    const DeadWindowGroup& group = groups[g];
    table.add_row({group_name(trace, group), format_count(group.instances.size()), format_duration(group.total),
                   format_duration(group.median), format_duration(group.longest), format_duration(group.median_on_gpu),
                   group.outliers == 0 ? "" : format_count(group.outliers)});
  }
  table.print(out, options.width);
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
  const std::size_t shown = rows_to_show(rows.size(), options.limit);
  if (options.json) {
    write_launches_json(trace, rows, groups, shown, out);
    return;
  }
  const auto short_ones = static_cast<std::uint64_t>(std::ranges::count_if(groups, &LaunchGroup::is_short));
  out.write(fmt::format("{} launches of {} GPU activities; {} took the CPU longer than the GPU\n",
                        format_count(groups.size()), format_count(trace.links().linked), format_count(short_ones)));
  TextTable table({{.title = "Launches", .right_aligned = true},
                   {.title = "Short", .right_aligned = true},
                   {.title = "Delay p50", .right_aligned = true},
                   {.title = "p99", .right_aligned = true},
                   {.title = "Max", .right_aligned = true},
                   {.title = "On the GPU", .right_aligned = true, .drop_order = 2},
                   {.title = "Calls", .right_aligned = true, .drop_order = 3},
                   {.title = "Activity", .flexible = true}});
  for (std::size_t r = 0; r < shown; ++r) {
    const LaunchDelayRow& row = rows[r];
    const std::string name(trace.text(row.name));
    table.add_row({format_count(row.launches), format_count(row.short_ones), format_duration(row.delay_p50),
                   format_duration(row.delay_p99), format_duration(row.delay_max), format_duration(row.gpu_time),
                   format_duration(row.cpu_time),
                   row.is_graph ? fmt::format("{} of {} activities", name, format_count(row.activities))
                                : short_kernel_name(name, 120)});
  }
  table.print(out, options.width);
  if (shown < rows.size())
    out.write(fmt::format("{} of {} rows listed\n", format_count(shown), format_count(rows.size())));
  out.write("\n");
  print_queues(trace, options.width, out);
}

}  // namespace lacuna
