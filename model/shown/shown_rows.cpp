#include "model/shown/shown_rows.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "model/build/nesting.h"

namespace lacuna {
namespace {

constexpr std::uint16_t kHiddenRow = 0xffffu;

/// Which slices are hidden, by id.
class HiddenSet {
 public:
  HiddenSet(const Trace& trace, const HiddenSlices& hidden)
      : categories_(trace.categories().size(), 0), names_(trace.strings().size(), 0) {
    for (const CategoryId id : hidden.categories)
      if (id.value < categories_.size()) categories_[id.value] = 1;
    for (const StringId id : hidden.names)
      if (id.value < names_.size()) names_[id.value] = 1;
  }
  bool has(const Lane& lane, std::uint32_t i) const {
    const CategoryId category = lane.category(i);
    return (category.value < categories_.size() && categories_[category.value] != 0) || names_[lane.name(i).value] != 0;
  }

 private:
  std::vector<std::uint8_t> categories_, names_;
};

std::uint64_t id_of(LaneId lane, std::uint32_t i) {
  return std::uint64_t{lane.value} << 32 | i;
}

/// Order along a track: by start, then as their ids.
bool comes_before(const Trace& trace, SliceId a, SliceId b) {
  const Nanos start_a = trace.span(a).begin;
  const Nanos start_b = trace.span(b).begin;
  return start_a != start_b ? start_a < start_b : a < b;
}

}  // namespace

ShownRows ShownRows::make(const Trace& trace, const HiddenSlices& hidden, const std::atomic<bool>* cancel) {
  ShownRows made;
  made.tracks_.resize(trace.tracks().size());
  made.row_of_.resize(trace.lanes().size());
  const HiddenSet set(trace, hidden);
  for (const Track& track : trace.tracks()) {
    std::uint64_t count = 0;
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i) count += set.has(lane, i) ? 1 : 0;
    if (cancel != nullptr && *cancel) return made;
    if (count == 0) continue;
    made.hidden_count_ += count;

    auto slices = std::make_shared<PageVector<SliceRecord>>();
    slices->reserve(static_cast<std::size_t>(track.slice_count - count));
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      made.row_of_[id.value].assign(lane.size(), kHiddenRow);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        if (set.has(lane, i)) continue;
        SliceRecord slice;
        slice.start = lane.start(i);
        slice.duration = lane.duration(i);
        slice.file_offset = id_of(id, i);
        slice.name = lane.name(i);
        slice.category = static_cast<std::uint16_t>(lane.category(i).value);
        slice.flags = lane.flags(i);
        slices->push_back(slice);
      }
    }
    std::sort(slices->begin(), slices->end(), lies_before);
    std::vector<SliceRun> runs(1);
    runs[0].slices = std::move(slices);
    const NestMode mode = traits_of(track.kind).nests ? NestMode::kNested : NestMode::kFlat;
    NestedRows nested = nest_slices(std::move(runs), mode, 1, cancel);
    if (cancel != nullptr && *cancel) return made;

    TrackRows& rows = made.tracks_[track.id.value];
    rows = {static_cast<std::uint32_t>(made.rows_.size()), static_cast<std::uint32_t>(nested.lanes.size()), true};
    for (std::uint32_t k = 0; k < nested.lanes.size(); ++k) {
      Lane& row = nested.lanes[k];
      row.track = track.id;
      for (std::uint32_t i = 0; i < row.size(); ++i) {
        const SliceId id = slice(row, i);
        made.row_of_[id.lane.value][id.index] = static_cast<std::uint16_t>(std::min<std::uint32_t>(k, kHiddenRow - 1u));
      }
      made.folds_.emplace_back(row);
      made.rows_.push_back(std::move(row));
    }
  }
  return made;
}

std::uint32_t ShownRows::row_of(SliceId slice) const {
  if (slice.lane.value >= row_of_.size() || slice.index >= row_of_[slice.lane.value].size()) return kNoRow;
  const std::uint16_t row = row_of_[slice.lane.value][slice.index];
  return row == kHiddenRow ? kNoRow : row;
}

std::uint32_t ShownRows::index_in(const Trace& trace, const Lane& row, SliceId slice) const {
  const Nanos start = trace.span(slice).begin;
  for (std::uint32_t i = row.first_starting_from(start); i < row.size() && row.start(i) == start; ++i)
    if (ShownRows::slice(row, i) == slice) return i;
  return Lane::kNoParent;
}

SliceId ShownRows::next_on_track(const Trace& trace, SliceId from) const {
  const TrackRows& rows = tracks_[trace.lane(from).track.value];
  SliceId best;
  for (const Lane& row : std::span(rows_).subspan(rows.first, rows.count)) {
    for (std::uint32_t i = row.first_starting_from(trace.span(from).begin); i < row.size(); ++i) {
      const SliceId candidate = slice(row, i);
      if (!comes_before(trace, from, candidate)) continue;  // among equal starts only
      if (!best.valid() || comes_before(trace, candidate, best)) best = candidate;
      break;
    }
  }
  return best;
}

SliceId ShownRows::previous_on_track(const Trace& trace, SliceId from) const {
  const TrackRows& rows = tracks_[trace.lane(from).track.value];
  const Nanos start = trace.span(from).begin;
  SliceId best;
  for (const Lane& row : std::span(rows_).subspan(rows.first, rows.count)) {
    std::uint32_t i = start == kMaxNanos ? row.size() : row.first_starting_from(start + 1);
    while (i-- > 0) {
      const SliceId candidate = slice(row, i);
      if (!comes_before(trace, candidate, from)) continue;
      if (!best.valid() || comes_before(trace, best, candidate)) best = candidate;
      break;
    }
  }
  return best;
}

SliceId ShownRows::parent(const Trace& trace, SliceId slice) const {
  SliceId up = trace.parent(slice);
  while (up.valid() && row_of(up) == kNoRow) up = trace.parent(up);
  return up;
}

SliceId ShownRows::first_child(const Trace& trace, SliceId parent) const {
  const TrackId track = trace.lane(parent).track;
  const std::uint32_t k = row_of(parent);
  if (k == kNoRow || k + 1 >= row_count(track)) return {};
  const Lane& own = row(track, k);
  const Lane& below = row(track, k + 1);
  const std::uint32_t index = index_in(trace, own, parent);
  if (index == Lane::kNoParent || below.nest != own.nest) return {};
  for (std::uint32_t i = below.first_starting_from(own.start(index));
       i < below.size() && below.start(i) <= own.end(index); ++i)
    if (below.parent(i) == index) return slice(below, i);
  return {};
}

}  // namespace lacuna
