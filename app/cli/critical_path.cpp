#include "app/cli/critical_path.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/group_stats.h"
#include "app/cli/json_writer.h"
#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/base/stable_sort.h"
#include "model/path/critical_path.h"
#include "model/path/hta_path.h"
#include "model/path/path_table.h"
#include "model/report/time_use.h"
#include "model/steps/measured_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kTextPathRows = 30;

double micros_of(Nanos t) {
  return static_cast<double>(t) / 1000;
}

Json in_micros(const std::map<std::string, Nanos>& times) {
  Json object = Json::object();
  for (const auto& [key, time] : times) object[key] = micros_of(time);
  return object;
}

Result<void> print_hta_path(const Trace& trace, SourceId source, const CriticalPathOptions& options, Output& out) {
  const Result<HtaPath> path =
      hta_critical_path(trace, source, {.annotation = options.annotation, .instance = options.instance});
  if (!path) return tl::make_unexpected(path.error());
  if (options.json) {
    JsonWriter json(out);
    json.member("annotation", options.annotation);
    json.member("instance", options.instance);
    json.member("nodes", path->nodes);
    json.member("edges", path->edges);
    json.member("events", path->events);
    json.member("graphNodes", path->graph_nodes);
    json.member("graphEdges", path->graph_edges);
    json.member("totalUs", micros_of(path->total));
    json.member("byBound", in_micros(path->by_bound));
    json.member("byType", in_micros(path->by_type));
    Json top = Json::object();
    for (const auto& [name, time] : path->by_name) top[name] = micros_of(time);
    json.member("byName", top);
    json.finish();
    return {};
  }
  out.write(fmt::format(
      "Critical path of {} instance {}, as Holistic Trace Analysis: {} \xC2\xB5s in {} edges, {} nodes of {} "
      "events\n",
      options.annotation.empty() ? "the whole trace" : printable(options.annotation), options.instance,
      micros_of(path->total), path->edges, path->nodes, path->events));
  const auto print_times = [&](const char* title, const auto& times, bool are_names) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, time] : times)
      rows.push_back({name.empty() ? "(no time of its own)" : name, fmt::format("{}", micros_of(time))});
    Table table = table_of_texts({{{title}, false, are_names}, {{"Time (\xC2\xB5s)"}, true}}, rows);
    if (are_names) table.limit(options.limit.value_or(kTextPathRows));
    print_table(table, options.width, out, 2);
  };
  print_times("Bound by", path->by_bound, false);
  print_times("Kind of edge", path->by_type, false);
  print_times("Name", path->by_name, true);
  return {};
}

void write_path_json(const Trace& trace, const CriticalPath& path, Output& out) {
  JsonWriter json(out);
  json.member("startNs", path.range.begin);
  json.member("endNs", path.range.end);
  json.member("wallNs", path.wall());
  json.begin_list("parts");
  for (const PathPart& part : path.parts) {
    if (!out.ok()) break;
    json.element({{"name", path_name(trace, part)},
                  {"category", path_category(trace, part)},
                  {"lane", path_lane(trace, part)},
                  {"startNs", part.span.begin},
                  {"durationNs", part.span.duration()}});
  }
  json.end();
  json.finish();
}

void print_path(const Trace& trace, const CriticalPath& path, const CriticalPathOptions& options, Output& out) {
  using Key = std::tuple<std::string_view, std::string_view, std::string>;
  struct Sum {
    Nanos time = 0;
    std::size_t parts = 0;
  };
  using Row = std::pair<Key, Sum>;
  std::map<Key, Sum> sums;
  std::map<std::uint32_t, std::string> lanes;
  for (const PathPart& part : path.parts) {
    std::string& lane = lanes[part.track.value];
    if (lane.empty()) lane = path_lane(trace, part);
    Sum& sum = sums[{path_name(trace, part), path_category(trace, part), lane}];
    sum.time += part.span.duration();
    ++sum.parts;
  }
  std::vector<Row> rows(sums.begin(), sums.end());
  sort_stably(rows, [](const Row& a, const Row& b) { return a.second.time > b.second.time; });
  out.write(fmt::format("Critical path: {} in {} part{}\n", format_duration(path.wall()),
                        format_count(path.parts.size()), path.parts.size() == 1 ? "" : "s"));
  TableOf<Row> table(rows);
  table.duration({"Time"}, [](const Row& row) { return row.second.time; });
  table.number({"Share"},
               [&path](const Row& row) { return format_percent(TimeUse::part(row.second.time, path.wall())); });
  table.count({"Parts"}, [](const Row& row) { return row.second.parts; });
  table.name({"Name"}, [](const Row& row) { return std::get<0>(row.first); });
  table.text({"Category", {}, 1}, [](const Row& row) { return std::get<1>(row.first); });
  table.name({"Lane"}, [](const Row& row) { return std::get<2>(row.first); });
  table.limit(options.limit.value_or(kTextPathRows));
  print_table(table, options.width, out, 2);
  if (table.rows < rows.size())
    out.write(fmt::format("  {} of {} rows listed\n", format_count(table.rows), format_count(rows.size())));
}

}  // namespace

void CriticalPathOptions::add_to(CLI::App& command) {
  command.add_option("--step,--steps", steps, "Of this ProfilerStep (3), or of several (3..5), with their GPU work")
      ->type_name("N");
  command.add_option("--from-us", from_us, "Of what lies after: a ts of the file, or time since its start")
      ->type_name("A")
      ->check(is_microseconds);
  command.add_option("--to-us", to_us, "… and before")->type_name("B")->check(is_microseconds);
  command.add_option("--rank", rank, "Of this rank (default: the one that ends last)")->type_name("R");
  command.add_flag("--hta", hta, "By the definition of Holistic Trace Analysis, in microseconds");
  command.add_option("--annotation", annotation, "With --hta: what the annotation's name contains; \"\": all")
      ->type_name("NAME");
  command.add_option("--instance", instance, "With --hta: which of them (default: 0)")->type_name("N");
  command.add_option("--limit", limit, fmt::format("Rows of text; 0 = all (default: {})", kTextPathRows))
      ->check(is_count)
      ->type_name("N");
  command.add_flag("--json", json, "Write JSON to standard output");
}

Result<std::optional<SourceId>> source_of_rank(const Trace& trace, std::optional<std::int64_t> rank) {
  if (!rank) return std::optional<SourceId>{};
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s)
    if (trace.sources()[s].rank == rank) return std::optional(SourceId{s});
  return fail(ErrorCode::kInvalidArgument, fmt::format("there is no rank {}", *rank));
}

Result<void> print_critical_path(const Trace& trace, const CriticalPathOptions& options, Output& out) {
  const Result<std::optional<SourceId>> source = source_of_rank(trace, options.rank);
  if (!source) return tl::make_unexpected(source.error());
  if (options.hta) return print_hta_path(trace, source->value_or(SourceId{0}), options, out);
  GroupStatsOptions what;
  what.steps = options.steps;
  what.from_us = options.from_us;
  what.to_us = options.to_us;
  const Result<TimeSpan> range = chosen_range(trace, what, find_step_windows);
  if (!range) return tl::make_unexpected(range.error());
  const PathOptions wanted = path_options(trace, *range, *source);
  const CriticalPath path = find_critical_path(trace, wanted);
  if (options.json)
    write_path_json(trace, path, out);
  else
    print_path(trace, path, options, out);
  return {};
}

constexpr const char* kCriticalPathHelp =
    R"help(Starts at the end of the range and goes back to what each part depended on. From a call that waited for the GPU it
goes to the activity that the call waited for. From a GPU activity it goes to what came last of three: its launch, the
activity before it on the stream, and the activity that an event made it wait for. From a thread without operators it
goes to the thread that worked meanwhile. The parts cover the range without holes.

JSON: startNs, endNs, wallNs, and parts, in order of time, which add up to wallNs: name, category, lane, startNs,
durationNs. Categories are those of the file, and "launch_latency" (issued, not started), "queue" (held back by
the part before it), "idle" (nothing recorded).

JSON of --hta: annotation, instance, nodes, edges, events, graphNodes, graphEdges, totalUs, byBound, byType, byName
(names shortened as HTA does). With several steps HTA leaves out the last one; it needs no ProfilerStep. HTA's path
starts and ends with work that was launched, so it can miss much of the annotation's time (9.8 of 14.5 ms of a DLRM
step). It gives no time to a call that waits for the GPU, and does not see waits for which the file has no cuda_sync
events. Lacuna's path accounts for every moment of the range.)help";

Command critical_path_command(CommandContext& context) {
  return trace_command(context, "critical-path", "What the end of a step or range depended on, to the nanosecond",
                       kCriticalPathHelp, print_critical_path);
}

}  // namespace lacuna
