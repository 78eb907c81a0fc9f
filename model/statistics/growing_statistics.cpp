#include "model/statistics/growing_statistics.h"

#include <algorithm>
#include <array>
#include <span>

namespace lacuna {

GrowingStatistics::Row& GrowingStatistics::OfTrack::row(StringId name, CategoryId category, Place place) {
  const auto [it, is_new] =
      index.try_emplace(std::uint64_t{name.value} << 32 | category.value, static_cast<std::uint32_t>(rows.size()));
  if (is_new) {
    Row& made = rows.emplace_back();
    made.name = name;
    made.category = category;
    made.first = made.longest = place;
  }
  return rows[it->second];
}

GrowingStatistics::OfLane& GrowingStatistics::OfTrack::lane(const Lane& lane) {
  const auto found = std::ranges::find_if(
      lanes, [&](const OfLane& known) { return known.nest == lane.nest && known.depth == lane.depth; });
  if (found != lanes.end()) return *found;
  OfLane& made = lanes.emplace_back();
  made.nest = lane.nest;
  made.depth = lane.depth;
  return made;
}

/// Adds what `counted` does not have: of each lane all slices, or those sealed.
void GrowingStatistics::count(OfTrack& counted, const Trace& trace, const Track& track, bool sealed_only) {
  const bool nests = traits_of(track.kind).nests;
  const std::span<const Lane> lanes = trace.lanes_of(track);
  for (const Lane& lane : lanes) (void)counted.lane(lane);  // no more are made below: references stay
  std::array<std::uint32_t, 256> guesses{};                 // rows of some names, not to look each one up
  const auto row_of = [&](StringId name, CategoryId category, Place place) -> Row* {
    std::uint32_t& guess = guesses[(name.value ^ category.value << 5) % guesses.size()];
    Row* row = guess < counted.rows.size() ? &counted.rows[guess] : nullptr;
    if (row == nullptr || row->name != name || row->category != category) {
      row = &counted.row(name, category, place);
      guess = static_cast<std::uint32_t>(row - counted.rows.data());
    }
    return row;
  };
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Lane& lane = lanes[k];
    OfLane& known = counted.lane(lane);
    OfLane* const above = nests && lane.depth > 0 && k > 0 ? &counted.lane(lanes[k - 1]) : nullptr;
    const std::uint32_t last = sealed_only ? lane.sealed : lane.size();
    for (std::uint32_t i = known.counted; i < last; ++i) {
      const Place place{lane.nest, lane.depth, i};
      const Nanos duration = lane.duration(i);
      Row* const row = row_of(lane.name(i), lane.category(i), place);
      if (row->count++ == 0 || duration > row->max || (duration == row->max && place < row->longest)) {
        row->max = duration;
        row->longest = place;
      }
      row->first = std::min(row->first, place);
      row->min = std::min(row->min, duration);
      row->total = saturating_add(row->total, duration);
      row->self = saturating_add(row->self, duration);
      if (known.orphans.time != 0 && known.orphans.parent == i) {
        row->self = saturating_sub(row->self, known.orphans.time);
        known.orphans = {};
      }
      if (above == nullptr || lane.parent(i) == Lane::kNoParent) continue;
      const std::uint32_t parent = lane.parent(i);
      // Lanes are counted from the outermost in: a parent that is not counted is not sealed.
      if (parent >= above->counted) {
        above->orphans.parent = parent;
        above->orphans.time = saturating_add(above->orphans.time, duration);
        continue;
      }
      const Lane& parents = lanes[k - 1];
      Row* const of_parent = row_of(parents.name(parent), parents.category(parent), {});
      of_parent->self = saturating_sub(of_parent->self, duration);
    }
    known.counted = std::max(known.counted, last);
  }
}

Statistics GrowingStatistics::update(const Trace& trace) {
  Statistics out;
  std::unordered_map<std::uint64_t, std::uint32_t> index;
  tracks_.resize(std::max(tracks_.size(), trace.tracks().size()));
  for (const Track& track : trace.tracks()) {
    OfTrack& sealed = tracks_[track.id.value];
    const std::span<const Lane> lanes = trace.lanes_of(track);
    // A track whose places were given up has none that is sealed, or is another generation, and starts over.
    const auto growing = std::ranges::find_if(lanes, [](const Lane& lane) { return lane.sealed > 0; });
    if (growing == lanes.end() || growing->generation != sealed.generation) sealed = {};
    if (growing != lanes.end()) {
      sealed.generation = growing->generation;
      count(sealed, trace, track, true);
    }
    OfTrack all = sealed;
    count(all, trace, track, false);
    std::ranges::sort(all.rows, {}, &Row::first);
    for (const Row& row : all.rows) {
      const auto [it, is_new] = index.try_emplace(std::uint64_t{row.name.value} << 32 | row.category.value,
                                                  static_cast<std::uint32_t>(out.rows.size()));
      if (is_new) {
        StatisticsRow& made = out.rows.emplace_back();
        made.name = row.name;
        made.category = row.category;
      }
      StatisticsRow& to = out.rows[it->second];
      if (to.count == 0 || row.max > to.max) {
        const auto lane = std::ranges::find_if(
            lanes, [&](const Lane& l) { return l.nest == row.longest.nest && l.depth == row.longest.depth; });
        to.max = row.max;
        to.longest = {LaneId{track.first_lane.value + static_cast<std::uint32_t>(lane - lanes.begin())},
                      row.longest.index};
      }
      to.count += row.count;
      to.total = saturating_add(to.total, row.total);
      to.self = saturating_add(to.self, row.self);
      to.min = std::min(to.min, row.min);
      out.count(trace, track.kind, to, row.self);
    }
  }
  return out;
}

}  // namespace lacuna
