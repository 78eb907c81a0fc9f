#pragma once

#include <cstdint>
#include <vector>

namespace lacuna {

struct ResultTrack;
struct TimelineViewport;

/// One or more items of a lane of a ResultTrack. Coordinates in pixels from the left edge of the tracks.
struct ResultRect {
  float x0 = 0, x1 = 0;
  std::uint32_t lane = 0;
  std::uint32_t item = 0;    ///< index in the lane; of several the first, or the one that is drawn to its end
  std::uint32_t folded = 1;  ///< number of items in the rectangle, each too narrow to be drawn alone
};

/// Lays out the visible part of the track, lane by lane, ascending in x. Pure; cost O(lanes * pixels * log items).
void layout_result(const ResultTrack& track, const TimelineViewport& view, std::vector<ResultRect>& out);

/// Returns the rectangle at x of a lane, or within `reach` pixels of it, or null.
const ResultRect* result_at(const std::vector<ResultRect>& rects, std::uint32_t lane, float x, float reach);

}  // namespace lacuna
