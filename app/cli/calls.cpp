#include "app/cli/calls.h"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/json_writer.h"
#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/base/standard_error.h"
#include "model/causes/cause_ranking.h"
#include "model/job/late_waits.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::array<std::pair<std::string_view, CallMetric>, 4> kCallMetrics = {{{"cpu", CallMetric::kCpuTime},
                                                                                  {"gpu", CallMetric::kGpuTime},
                                                                                  {"idle", CallMetric::kIdleTime},
                                                                                  {"samples", CallMetric::kSamples}}};

CallMetric metric_of(std::string_view key) {
  for (const auto& [name, metric] : kCallMetrics)
    if (name == key) return metric;
  return CallMetric::kCpuTime;
}

std::vector<SliceId> slices_called(const Trace& trace, std::string_view wanted, TimeSpan range) {
  std::vector<SliceId> found;
  const StringId name = trace.strings().find(wanted);
  if (!name.valid()) return found;
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lane(LaneId{l});
    for (std::uint32_t i = lane.first_visible_from(range.begin); i < lane.size() && lane.start(i) < range.end; ++i)
      if (lane.name(i) == name) found.push_back({LaneId{l}, i});
  }
  return found;
}

/// Gaps of whole GPUs, or of the streams that were asked for, as `lacuna gaps --by-operator` takes them;
/// of them those that overlap the range.
std::vector<CausedGaps> gaps_to_charge(const Trace& trace, TimeSpan range, const std::vector<TrackId>& tracks) {
  const CauseIndex index(trace, late_ranks_or_none(trace));
  std::vector<CausedGaps> sets;
  const auto is_stream = [&](TrackId id) { return trace.track(id).kind == TrackKind::kGpuStream; };
  if (std::ranges::any_of(tracks, is_stream)) {
    for (StreamActivity& stream : analyze_streams(trace))
      if (std::ranges::find(tracks, stream.track) != tracks.end()) sets.push_back(add_causes(index, std::move(stream)));
  } else {
    sets = diagnose_devices(index);
  }
  for (CausedGaps& set : sets) {
    SharedVector<Gap> gaps;
    SharedVector<GapDiagnosis> diagnoses;
    for (std::size_t g = 0; g < set.gaps.size(); ++g) {
      if (!TimeSpan{set.gaps[g].start, set.gaps[g].end}.overlaps(range)) continue;
      gaps.push_back(set.gaps[g]);
      diagnoses.push_back(set.diagnoses[g]);
    }
    set.gaps = std::move(gaps);
    set.diagnoses = std::move(diagnoses);
  }
  return sets;
}

std::string percent_of(Nanos part, Nanos whole) {
  return whole <= 0 ? "-" : format_percent(static_cast<double>(part) / static_cast<double>(whole));
}

/// Rows of a tree in the order in which they are read, without what is too small or too deep.
template <class Row>
std::size_t for_each_call_row(const CallTree& tree, const CallsOptions& options, Row&& row) {
  std::size_t left_out = 0;
  std::vector<std::pair<std::uint32_t, std::size_t>> open{{0, 0}};  // node, depth
  const double least = static_cast<double>(tree.root().total) * options.min_percent / 100;
  while (!open.empty()) {
    const auto [index, depth] = open.back();
    open.pop_back();
    const CallNode& node = tree.nodes[index];
    row(node, depth);
    const auto below = tree.children(node);
    for (std::size_t i = below.size(); i-- > 0;) {
      if ((options.depth && depth >= *options.depth) || static_cast<double>(below[i].total) < least) {
        ++left_out;
      } else {
        open.emplace_back(tree.index_of(below[i]), depth + 1);
      }
    }
  }
  return left_out;
}

constexpr std::size_t kMostIndented =
    40;  // levels; text of rows that are deeper would grow with the square of the depth

/// Two blanks for each level; below the last that has them, how many more there are.
std::string call_indent(std::size_t depth) {
  if (depth <= kMostIndented) return std::string(2 * depth, ' ');
  return fmt::format("{:{}}+{} ", "", 2 * kMostIndented, depth - kMostIndented);
}

void print_call_text(const Trace& trace, const CallTree& tree, const CallsOptions& options, Output& out) {
  std::vector<std::vector<std::string>> rows;
  const bool is_estimate = metric_of(options.by) == CallMetric::kSamples;
  const auto time = [&](Nanos t) { return is_estimate ? marked_as_estimate(format_duration(t)) : format_duration(t); };
  const std::size_t left_out = for_each_call_row(tree, options, [&](const CallNode& node, std::size_t depth) {
    rows.push_back({time(node.total), percent_of(node.total, tree.root().total), time(node.self),
                    format_count(node.count), call_indent(depth) + call_label(trace, node.key)});
  });
  std::vector<Table::Column> columns;
  for (const char* title : {"Total", "Share", "Self", "Count"}) columns.push_back({{title}, true});
  columns.push_back({{"Frame"}, false, true});
  print_table(table_of_texts(std::move(columns), rows), options.width, out);
  if (left_out > 0)
    out.write(fmt::format("{} not shown: --min-percent, --depth\n",
                          left_out == 1
                              ? "1 frame, and what is below it, is"
                              : fmt::format("{} frames, and what is below them, are", format_count(left_out))));
  if (tree.root().total > 0 && metric_of(options.by) == CallMetric::kIdleTime)
    out.write("Idle time from the first to the last activity, as lacuna gaps --by-operator --whole has it\n");
  const auto is_sampled = [](const Track& track) { return track.kind == TrackKind::kStacks && track.slice_count > 0; };
  if (tree.root().total == 0 && !is_estimate && std::ranges::any_of(trace.tracks(), is_sampled))
    out.write("This trace has sampled stacks: --by samples\n");
}

void print_call_json(const Trace& trace, const CallTree& tree, const CallsOptions& options, Output& out) {
  JsonWriter json(out);
  json.member("by", options.by);
  json.member("bottomUp", options.bottom_up);
  json.member("totalNs", tree.root().total);
  json.member("frameCount", tree.nodes.size());
  json.begin_list("frames");
  for (std::uint32_t n = 0; n < tree.nodes.size() && out.ok(); ++n) {
    const CallNode& node = tree.nodes[n];
    Json row = {{"frame", n}, {"parent", n == 0 ? Json() : Json(node.parent)}, {"name", call_label(trace, node.key)}};
    if (node.key.kind == CallKind::kSlices || node.key.kind == CallKind::kModules)
      row["category"] = trace.category_name(node.key.category);
    row["totalNs"] = node.total;
    row["selfNs"] = node.self;
    row["count"] = node.count;
    json.element(row);
  }
  json.end();
  json.finish();
}

/// Frames of a stack that are written each: what is written grows with the square of the depth.
constexpr std::uint32_t kMostFolded = 2'000;

void print_call_stacks(const Trace& trace, const CallTree& tree, Output& out) {
  struct Deeper {
    std::uint32_t frames = 0;
    Nanos self = 0;
  };
  std::vector<std::uint32_t> depths(tree.nodes.size());
  std::vector<Deeper> deeper(tree.nodes.size());  // by the frame that they are folded into
  std::size_t folded = 0;
  for (std::uint32_t n = 1; n < tree.nodes.size(); ++n) depths[n] = depths[tree.nodes[n].parent] + 1;
  for (std::size_t n = tree.nodes.size(); n-- > 1;) {
    if (depths[n] <= kMostFolded) continue;
    Deeper& above = deeper[tree.nodes[n].parent];
    above.frames += deeper[n].frames + 1;
    above.self += deeper[n].self + tree.nodes[n].self;
    ++folded;
  }
  for (std::uint32_t n = 1; n < tree.nodes.size() && out.ok(); ++n) {
    const Nanos self = tree.nodes[n].self;
    if (depths[n] > kMostFolded || (self <= 0 && deeper[n].self <= 0)) continue;
    std::string line;
    for (const CallKey& key : tree.path_to(n)) {
      std::string label = printable(call_label(trace, key));
      std::ranges::replace(label, ';', ',');
      line.append(line.empty() ? "" : ";").append(label);
    }
    if (self > 0) out.write(fmt::format("{} {}\n", line, self));
    if (deeper[n].self > 0) out.write(fmt::format("{};[{} more frames] {}\n", line, deeper[n].frames, deeper[n].self));
  }
  if (folded > 0)
    to_standard_error(fmt::format("lacuna: frames below {} others are written as [N more frames]: {}\n",
                                  format_count(kMostFolded), format_count(folded)));
}

}  // namespace

void CallsOptions::add_to(CLI::App& calls) {
  calls.add_option("--by", by, "What adds up: cpu, gpu, idle or samples (default: cpu)")
      ->check([](const std::string& text) {
        const bool known = std::ranges::any_of(kCallMetrics, [&](const auto& m) { return m.first == text; });
        return known ? std::string{} : "'" + text + "' is not one of cpu, gpu, idle, samples";
      })
      ->type_name("WHAT");
  calls.add_flag("--bottom-up", bottom_up, "By frame, with its callers below it");
  calls.add_flag("--python", with_python,
                 "Python frames, too; without, only modules, and their time counts for what is around them");
  calls.add_option("--name", name, "Only what happens in the slices of this name")->type_name("NAME");
  what.add_range_to(calls);
  calls.add_option("--depth", depth, "Levels to show (text)")->check(CLI::PositiveNumber)->type_name("N");
  calls.add_option("--min-percent", min_percent, "Leave out frames with less of the whole (text; default: 1)")
      ->check(is_finite)
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("X");
  CLI::Option* stacks =
      calls.add_flag("--folded", folded, "One line per stack, \"a;b;c 123\" in ns: for flamegraph.pl, speedscope");
  calls.add_flag("--json", json, "Write JSON to standard output")->excludes(stacks);
}

Result<void> print_calls(const Trace& trace, const CallsOptions& options, Output& out) {
  const Result<TimeSpan> range = chosen_range(trace, options.what);
  if (!range) return tl::make_unexpected(range.error());
  const Result<std::vector<TrackId>> tracks = chosen_tracks(trace, options.what);
  if (!tracks) return tl::make_unexpected(tracks.error());
  CallTreeOptions tree_options;
  tree_options.metric = metric_of(options.by);
  tree_options.bottom_up = options.bottom_up;
  tree_options.hides_python = !options.with_python;
  tree_options.range = *range;
  tree_options.tracks = *tracks;
  tree_options.threads = std::max(1u, std::thread::hardware_concurrency());
  if (!options.name.empty()) {
    tree_options.places = slices_called(trace, options.name, *range);
    if (tree_options.places.empty())
      return fail(ErrorCode::kNotFound, fmt::format("no slice is called '{}' there", options.name));
  }
  std::vector<CausedGaps> gaps;
  if (tree_options.metric == CallMetric::kIdleTime) gaps = gaps_to_charge(trace, *range, *tracks);
  tree_options.gaps = gaps;
  const CallTree tree = build_call_tree(trace, tree_options);
  if (options.json) {
    print_call_json(trace, tree, options, out);
  } else if (options.folded) {
    print_call_stacks(trace, tree, out);
  } else {
    print_call_text(trace, tree, options, out);
  }
  return {};
}

constexpr const char* kCallsHelp =
    R"help(What calls what: slices with the same frames around them are one row, below the frame around them.
  cpu   self time of slices on CPU threads: the whole is cpuSelfNs of lacuna stats for the same range
  gpu   durations of kernels, copies and sets, below the calls that launched them: gpuTotalNs of lacuna
        stats; with --lanes that are threads: what those launched
  idle  idle time of whole GPUs (with --stream: of streams) from their first to their last activity, charged
        as lacuna gaps --by-operator --whole does it, to the innermost frame; gaps that overlap the range
        count whole
  samples  time of the frames of sampled stacks, an estimate: what programs without any annotation spend
        their time on
Total: a frame with all that is below it; Self: the frame alone. Count: slices of the frame; with gpu or idle, or
  bottom-up: activities, charges or slices counted in Total. All ProfilerSteps are one frame, and so are the modules
  of a class.
The names of frames more than 40 levels deep begin with how many more there are: "+3 name".
--bottom-up: each frame with its own time; below it who calls it, with the part of it called from there
  (256 callers above each other at most).
JSON: by, bottomUp, totalNs, frameCount, frames[] with frame, parent, name, category, totalNs, selfNs, count.
)help";

Command calls_command(CommandContext& context) {
  return trace_command(context, "calls", "Call tree by CPU time, GPU time launched or idle time charged", kCallsHelp,
                       print_calls);
}

}  // namespace lacuna
