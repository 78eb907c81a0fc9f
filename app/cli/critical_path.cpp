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
#include "model/path/path_table.h"
#include "model/report/time_use.h"
#include "model/steps/measured_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kTextPathRows = 30;

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
  out.write(fmt::format("Critical path: {} in {}\n", format_duration(path.wall()), counted(path.parts.size(), "part")));
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
the part before it), "idle" (nothing recorded).)help";

Command critical_path_command(CommandContext& context) {
  return trace_command(context, "critical-path", "What the end of a step or range depended on, to the nanosecond",
                       kCriticalPathHelp, print_critical_path);
}

}  // namespace lacuna
