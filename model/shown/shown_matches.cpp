#include "model/shown/shown_matches.h"

#include <utility>

namespace lacuna {

ShownMatches ShownMatches::make(const Trace& trace, std::shared_ptr<const ShownRows> rows,
                                std::shared_ptr<const SliceMatches> matches) {
  ShownMatches made;
  made.rows_ = std::move(rows);
  made.matches_ = std::move(matches);
  made.by_row_.resize(made.rows_->row_total());
  std::vector<std::vector<bool>> is_found;  // by lane of the track, then by index
  for (const Track& track : trace.tracks()) {
    if (!made.rows_->changes(track.id)) continue;
    is_found.assign(track.lane_count, {});
    for (std::uint32_t l = 0; l < track.lane_count; ++l) {
      const LaneId lane{track.first_lane.value + l};
      is_found[l].assign(trace.lane(lane).size(), false);
      if (lane.value >= made.matches_->by_lane.size()) continue;
      for (const std::uint32_t i : made.matches_->by_lane[lane.value]) is_found[l][i] = true;
    }
    for (std::uint32_t k = 0; k < made.rows_->row_count(track.id); ++k) {
      const Lane& row = made.rows_->row(track.id, k);
      for (std::uint32_t i = 0; i < row.size(); ++i) {
        const SliceId id = ShownRows::slice(row, i);
        if (is_found[id.lane.value - track.first_lane.value][id.index])
          made.by_row_[made.rows_->row_number(track.id, k)].push_back(i);
      }
    }
  }
  return made;
}

}  // namespace lacuna
