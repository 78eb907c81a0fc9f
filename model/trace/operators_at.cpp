#include "model/trace/operators_at.h"

#include <algorithm>

namespace lacuna {

const std::vector<OperatorsAt::Nest>& OperatorsAt::nests_of(TrackId id) {
  const auto [found, is_new] = nests_.try_emplace(id.value);
  std::vector<Nest>& nests = found->second;
  if (!is_new) return nests;
  const Track& track = trace_.track(id);
  for (std::uint32_t l = track.first_lane.value; l < track.first_lane.value + track.lane_count; ++l) {
    const Lane& lane = trace_.lane(LaneId{l});
    if (nests.empty() || lane.depth == 0 || trace_.lane(LaneId{l - 1}).nest != lane.nest) {
      nests.push_back({l, l + 1, true});
      continue;
    }
    nests.back().end = l + 1;
    for (std::uint32_t i = 0; i < lane.size(); ++i) nests.back().is_whole &= lane.parent(i) != Lane::kNoParent;
  }
  return nests;
}

std::uint32_t OperatorsAt::running(std::uint32_t l, Nanos time) const {
  const Lane& lane = trace_.lane(LaneId{l});
  const std::uint32_t next = time == kMaxNanos ? lane.size() : lane.first_starting_from(time + 1);
  if (next == 0 || (lane.end(next - 1) <= time && lane.start(next - 1) != time)) return kNoIndex;
  return next - 1;
}

SliceId OperatorsAt::innermost(TrackId track, Nanos time) {
  SliceId best;
  const auto take = [&](std::uint32_t l) {
    const SliceId slice{LaneId{l}, running(l, time)};
    if (slice.index == kNoIndex) return;
    if (!best.valid() || trace_.span(slice).begin >= trace_.span(best).begin) best = slice;
  };
  for (const Nest& nest : nests_of(track)) {
    if (!nest.is_whole) {
      for (std::uint32_t l = nest.first; l < nest.end; ++l) take(l);
      continue;
    }
    std::uint32_t low = nest.first, high = nest.end;  // rows before low run, those from high on do not
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (running(middle, time) != kNoIndex)
        low = middle + 1;
      else
        high = middle;
    }
    if (low > nest.first) take(low - 1);
  }
  return best;
}

}  // namespace lacuna
