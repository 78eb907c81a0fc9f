#include "model/steps/growing_steps.h"

#include <algorithm>
#include <span>

#include "model/trace/tracks_of.h"

namespace lacuna {

/// Adds what `found` does not have: of each lane all slices, or those sealed.
void GrowingSteps::look(OfTrack& found, const Trace& trace, const Track& track, NameMemo& is_step, bool sealed_only) {
  for (const Lane& lane : trace.lanes_of(track)) {
    const auto is_known = [&](const OfLane& known) { return known.nest == lane.nest && known.depth == lane.depth; };
    auto known = std::ranges::find_if(found.lanes, is_known);
    if (known == found.lanes.end()) known = found.lanes.insert(known, {lane.nest, lane.depth, 0});
    const std::uint32_t last = sealed_only ? lane.sealed : lane.size();
    for (std::uint32_t i = known->counted; i < last; ++i) {
      if (!is_step(lane.name(i)) || !may_mark_step(trace.category_class(lane.category(i)))) continue;
      ++found.marks;
      const auto number = number_of_step(trace.text(lane.name(i)));
      if (!number) continue;
      const auto [it, is_new] = found.spans.try_emplace(*number, lane.span(i));
      if (!is_new) it->second = it->second.unite(lane.span(i));
    }
    known->counted = std::max(known->counted, last);
  }
}

std::vector<Step> GrowingSteps::update(const Trace& trace) {
  if (const auto wanted = wanted_steps(trace); wanted && wanted != StepsFrom::kProfiler) return find_steps(trace);
  // Of this trace alone: a name that only runs yet has an id which it need not keep.
  NameMemo is_step(trace.strings(), is_profiler_step);
  bool has_steps = false;
  for (std::uint32_t id = 0; id < trace.strings().size() && !has_steps; ++id) has_steps = is_step(StringId{id});
  if (!has_steps) return has_other_steps(trace) ? find_steps(trace) : std::vector<Step>{};
  tracks_.resize(std::max(tracks_.size(), trace.tracks().size()));
  std::vector<OfTrack> most(trace.sources().size());  // of each source, the thread with most steps
  for (const Track& track : tracks_of(trace, TrackKind::kThread)) {
    OfTrack& sealed = tracks_[track.id.value];
    const std::span<const Lane> lanes = trace.lanes_of(track);
    const auto growing = std::ranges::find_if(lanes, [](const Lane& lane) { return lane.sealed > 0; });
    if (growing == lanes.end() || growing->generation != sealed.generation) sealed = {};
    if (growing != lanes.end()) {
      sealed.generation = growing->generation;
      look(sealed, trace, track, is_step, true);
    }
    OfTrack all = sealed;
    look(all, trace, track, is_step, false);
    OfTrack& of_source = most[trace.process(track.process).source.value];
    if (all.marks > of_source.marks) of_source = std::move(all);
  }
  std::map<std::int64_t, TimeSpan> spans;
  for (const OfTrack& found : most)
    for (const auto& [number, span] : found.spans) {
      const auto [it, is_new] = spans.try_emplace(number, span);
      if (!is_new) it->second = it->second.unite(span);
    }
  std::vector<Step> steps;
  steps.reserve(spans.size());
  for (const auto& [number, span] : spans) steps.push_back({number, span});
  return steps;
}

}  // namespace lacuna
