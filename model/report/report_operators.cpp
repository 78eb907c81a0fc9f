#include <algorithm>

#include "model/causes/known_names.h"
#include "model/report/report_parts.h"
#include "model/statistics.h"

namespace lacuna {
namespace {

bool belongs(const Trace& trace, const Track& track, SourceId source) {
  return trace.process(track.process).source == source;
}

/// The innermost operator around `slice`, or an invalid id. Annotations that files of 2021 write
/// as operators do not count.
SliceId operator_around(const Trace& trace, SliceId slice, NameMemo& is_annotation) {
  for (slice = trace.parent(slice); slice.valid(); slice = trace.parent(slice))
    if (trace.category_class(slice) == CategoryClass::kCpuOperator &&
        !is_annotation(trace.lane(slice).name(slice.index)))
      return slice;
  return {};
}

/// GPU time in the window by name of the innermost operator around the launch.
std::vector<Nanos> gpu_time_by_operator(const Trace& trace, const Report& report,
                                        NameMemo& is_annotation) {
  std::vector<Nanos> times(trace.strings().size(), 0);
  SliceId launch, op;
  for (const LaunchLink& link : trace.links().launches()) {
    const Nanos time = trace.span(link.activity).intersect(report.window).duration();
    if (time == 0 || !belongs(trace, trace.track_of(link.activity), report.source)) continue;
    if (!(link.launch == launch)) {
      launch = link.launch;
      op = operator_around(trace, launch, is_annotation);
    }
    if (!op.valid()) continue;
    Nanos& sum = times[trace.lane(op).name(op.index).value];
    sum = saturating_add(sum, time);
  }
  return times;
}

/// Fills in the longest call in the window of each of `rows`.
void find_longest(const Trace& trace, const Report& report, std::vector<ReportOperator>& rows) {
  std::vector<std::uint32_t> row_of(trace.strings().size(), 0xffffffffu);
  for (std::uint32_t r = 0; r < rows.size(); ++r) row_of[rows[r].name.value] = r;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kThread || !belongs(trace, track, report.source)) continue;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = lane.first_visible_from(report.window.begin);
           i < lane.size() && lane.start(i) < report.window.end; ++i) {
        const std::uint32_t r = row_of[lane.name(i).value];
        if (r == 0xffffffffu ||
            trace.category_class(lane.category(i)) != CategoryClass::kCpuOperator)
          continue;
        SliceId& longest = rows[r].longest;
        if (!longest.valid() || lane.duration(i) > trace.span(longest).duration())
          longest = {id, i};
      }
    }
  }
}

}  // namespace

void report_operators(const Trace& trace, Report& report) {
  StatisticsOptions options;
  options.range = report.window;
  for (const Track& track : trace.tracks())
    if (track.kind == TrackKind::kThread && belongs(trace, track, report.source))
      options.tracks.push_back(track.id);
  if (options.tracks.empty()) return;
  NameMemo is_annotation(trace.strings(), is_annotation_name);
  const std::vector<Nanos> gpu_times = gpu_time_by_operator(trace, report, is_annotation);
  for (const StatisticsRow& row : compute_statistics(trace, options).rows) {
    if (trace.category_class(row.category) != CategoryClass::kCpuOperator ||
        is_annotation(row.name))
      continue;
    // Two categories that both mean operators are one row here.
    auto found = std::ranges::find(report.operators, row.name, &ReportOperator::name);
    if (found == report.operators.end()) {
      found = report.operators.emplace(found);
      found->name = row.name;
      found->gpu_time = gpu_times[row.name.value];
    }
    found->count += row.count;
    found->self_cpu = saturating_add(found->self_cpu, row.self);
    report.operator_self_cpu = saturating_add(report.operator_self_cpu, row.self);
  }
  std::ranges::stable_sort(report.operators, [](const ReportOperator& a, const ReportOperator& b) {
    return a.gpu_time != b.gpu_time ? a.gpu_time > b.gpu_time : a.self_cpu > b.self_cpu;
  });
  find_longest(trace, report, report.operators);
}

}  // namespace lacuna
