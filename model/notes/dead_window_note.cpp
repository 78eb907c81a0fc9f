// Why an annotation takes long before anything begins in it.

#include <fmt/format.h>

#include "model/base/quantiles.h"
#include "model/causes/dead_windows.h"
#include "model/notes/note_parts.h"
#include "model/steps/measured_steps.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kMostInstances = 10'000;

/// The first operator or call that begins inside the annotation; invalid where there is none.
SliceId first_inside(const Trace& trace, SliceId annotation) {
  const TimeSpan span = trace.span(annotation);
  const Lane& own = trace.lane(annotation);
  const Track& track = trace.track(own.track);
  SliceId first;
  for (std::uint32_t l = annotation.lane.value + 1; l < track.first_lane.value + track.lane_count; ++l) {
    const Lane& lane = trace.lane(LaneId{l});
    if (lane.nest != own.nest) break;
    const Nanos until = first.valid() ? trace.span(first).begin : span.end;
    for (std::uint32_t i = lane.first_starting_from(span.begin); i < lane.size() && lane.start(i) < until; ++i) {
      const CategoryClass category = trace.category_class(lane.category(i));
      const bool is_operator = category == CategoryClass::kCpuOperator && !is_annotation_name(trace.text(lane.name(i)));
      if (!is_operator && category != CategoryClass::kRuntime) continue;
      first = {LaneId{l}, i};
      break;
    }
  }
  return first;
}

}  // namespace

void note_dead_window(const NoteFacts& facts) {
  const Trace& trace = facts.trace;
  if (facts.category() != CategoryClass::kCpuAnnotation && !is_annotation_name(facts.name())) return;
  const SliceId first = first_inside(trace, facts.slice);
  if (!first.valid()) return;
  const auto dead_in = [&](SliceId annotation, SliceId inside) {
    return trace.span(inside).begin - trace.span(annotation).begin;
  };
  const Nanos dead = dead_in(facts.slice, first);
  // Others of its kind, in its row.
  const Lane& lane = trace.lane(facts.slice);
  const bool is_step = is_profiler_step(facts.name());
  std::vector<Nanos> others;
  for (std::uint32_t i = 0; i < lane.size() && others.size() < kMostInstances; ++i) {
    const SliceId other{facts.slice.lane, i};
    if (i == facts.slice.index) continue;
    if (is_step ? !is_profiler_step(trace.name(other)) : lane.name(i) != lane.name(facts.slice.index)) continue;
    if (const SliceId inside = first_inside(trace, other); inside.valid()) others.push_back(dead_in(other, inside));
  }
  if (others.empty()) return;
  const Nanos median = median_of(std::move(others));
  if (dead < saturating_add(median, kDeadWindowExcessNs)) return;
  facts.add(
      "deadWindow",
      fmt::format(
          "{} pass in it before the first operator or call begins, {}; in the others of its kind it is {} (median). "
          "This dead window mostly is work that is done once: code and libraries are loaded, workspaces "
          "allocated, Python modules imported. Warm up before you measure.",
          facts.format.duration(dead), trace.name(first), facts.format.duration(median)),
      first);
}

}  // namespace lacuna
