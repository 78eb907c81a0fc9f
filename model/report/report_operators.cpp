#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/base/stable_sort.h"
#include "model/calls/graph_origins.h"
#include "model/causes/known_names.h"
#include "model/report/report_parts.h"
#include "model/statistics/statistics.h"
#include "model/trace/nearest_above.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// The innermost operator around `slice`, or an invalid id. Annotations that files of 2021 write
/// as operators do not count.
SliceId operator_around(const Trace& trace, NearestAbove& above, SliceId slice, NameMemo& is_annotation) {
  return above.of(trace.parent(slice), [&](SliceId s) {
    return trace.category_class(s) == CategoryClass::kCpuOperator && !is_annotation(trace.lane(s).name(s.index));
  });
}

/// An operator that graphs replay, and that a capture trace alone has calls of.
struct ReplayedOperator {
  std::uint64_t count = 0;  ///< of all replays
  SliceId longest;          ///< of the capture
};

struct OperatorTimes {
  std::vector<Nanos> of_name;  ///< GPU time in the window by name of the innermost operator around the launch
  std::map<StringId, ReplayedOperator> replayed;
};

/// What was captured in CUDA graphs counts as launched there.
OperatorTimes gpu_time_by_operator(const Trace& trace, Report& report, NameMemo& is_annotation) {
  const Result<GraphOrigins> found = GraphOrigins::find(trace, 1);
  const GraphOrigins graphs = found ? *found : GraphOrigins{};  // report_kernels() says why args cannot be read
  OperatorTimes result;
  std::vector<Nanos>& times = result.of_name;
  times.assign(trace.strings().size(), 0);
  std::set<std::pair<SliceId, SliceId>> replays;  // launch of a graph, and what it replays
  NearestAbove above(trace);
  SliceId launch, op;
  for (const LaunchLink& link : trace.links().launches()) {
    const Nanos time = trace.span(link.activity).intersect(report.window).duration();
    if (time == 0 || !belongs(trace, trace.track_of(link.activity), report.source)) continue;
    if (!(link.launch == launch)) {
      launch = link.launch;
      op = operator_around(trace, above, launch, is_annotation);
    }
    SliceId owner = op;
    if (graphs.contains(link.activity)) {
      const SliceId captured = graphs.captured_by(link.activity);
      report.graph_time = saturating_add(report.graph_time, time);
      if (captured.valid())
        owner = operator_around(trace, above, captured, is_annotation);
      else if (graphs.annotation(link.activity).empty())
        report.unattributed_time = saturating_add(report.unattributed_time, time);
    }
    if (!owner.valid()) continue;
    Nanos& sum = times[trace.lane(owner).name(owner.index).value];
    sum = saturating_add(sum, time);
    if (trace.track_of(owner).kind != TrackKind::kCaptured || !replays.insert({link.launch, owner}).second) continue;
    ReplayedOperator& replayed = result.replayed[trace.lane(owner).name(owner.index)];
    if (replayed.count++ == 0 || trace.span(owner).duration() > trace.span(replayed.longest).duration())
      replayed.longest = owner;
  }
  return result;
}

}  // namespace

void report_operators(const Trace& trace, Report& report) {
  StatisticsOptions options;
  options.range = report.window;
  for (const Track& track : tracks_of(trace, TrackKind::kThread, report.source))
    if (!report.cpu.is_known || track.process == report.cpu.process) options.tracks.push_back(track.id);
  if (options.tracks.empty()) return;
  NameMemo is_annotation(trace.strings(), is_annotation_name);
  const OperatorTimes times = gpu_time_by_operator(trace, report, is_annotation);
  constexpr std::uint32_t kNoRow = ~0u;
  std::vector<std::uint32_t> row_of(trace.strings().size(), kNoRow);
  for (const StatisticsRow& row : compute_statistics(trace, options).rows) {
    if (trace.category_class(row.category) != CategoryClass::kCpuOperator || is_annotation(row.name)) continue;
    // Two categories that both mean operators are one row here.
    std::uint32_t& at = row_of[row.name.value];
    if (at == kNoRow) {
      at = static_cast<std::uint32_t>(report.operators.size());
      ReportOperator& added = report.operators.emplace_back();
      added.name = row.name;
      added.gpu_time = times.of_name[row.name.value];
      added.longest = row.longest;
    }
    ReportOperator& found = report.operators[at];
    found.count += row.count;
    found.self_cpu = saturating_add(found.self_cpu, row.self);
    report.operator_self_cpu = saturating_add(report.operator_self_cpu, row.self);
  }
  for (const auto& [name, replayed] : times.replayed) {
    std::uint32_t& at = row_of[name.value];
    if (at == kNoRow) {
      at = static_cast<std::uint32_t>(report.operators.size());
      ReportOperator& added = report.operators.emplace_back();
      added.name = name;
      added.gpu_time = times.of_name[name.value];
      added.longest = replayed.longest;
    }
    report.operators[at].count += replayed.count;
  }
  sort_stably(report.operators, [](const ReportOperator& a, const ReportOperator& b) {
    return a.gpu_time != b.gpu_time ? a.gpu_time > b.gpu_time : a.self_cpu > b.self_cpu;
  });
}

}  // namespace lacuna
