#include "render/result_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/query/result_track.h"
#include "render/timeline_layout.h"

namespace lacuna {
namespace {

/// Narrower ones share a rectangle with those that begin on the same pixel.
constexpr float kLeastAlonePx = 2;

}  // namespace

void layout_result(const ResultTrack& track, const TimelineViewport& view, std::vector<ResultRect>& out) {
  out.clear();
  const TimeSpan shown = view.visible();
  const auto clipped = [&](Nanos t) {
    return static_cast<float>(std::clamp(view.x_of(t), -10.0, static_cast<double>(view.width_px) + 10));
  };
  for (std::uint32_t l = 0; l < track.lanes.size(); ++l) {
    const auto& lane = track.lanes[l];
    // Items of a lane do not overlap: their ends ascend, too.
    const auto first = std::ranges::partition_point(
        lane, [&](const ResultTrack::Item& item) { return std::max(item.end, item.begin) < shown.begin; });
    for (auto at = first; at != lane.end() && at->begin <= shown.end;) {
      ResultRect& rect = out.emplace_back();
      rect.lane = l;
      rect.item = static_cast<std::uint32_t>(at - lane.begin());
      rect.x0 = clipped(at->begin);
      rect.x1 = clipped(at->end);
      auto next = at + 1;
      if (rect.x1 - rect.x0 < kLeastAlonePx) {
        const Nanos pixel_end = view.time_at(std::floor(static_cast<double>(rect.x0)) + 1);
        next = std::partition_point(next, lane.end(),
                                    [&](const ResultTrack::Item& item) { return item.begin < pixel_end; });
        // Only the last of them may reach further.
        const auto last = next - 1;
        const float end = clipped(last->end);
        if (end - rect.x0 >= kLeastAlonePx && last != at) rect.item = static_cast<std::uint32_t>(last - lane.begin());
        rect.x1 = std::max(rect.x0 + 1, end);
        rect.folded = static_cast<std::uint32_t>(next - at);
      }
      at = next;
    }
  }
}

const ResultRect* result_at(const std::vector<ResultRect>& rects, std::uint32_t lane, float x, float reach) {
  const ResultRect* nearest = nullptr;
  float distance = reach;
  for (const ResultRect& rect : rects) {
    if (rect.lane != lane) continue;
    const float away = x < rect.x0 ? rect.x0 - x : x > rect.x1 ? x - rect.x1 : 0.0f;
    if (away > distance || (away == distance && nearest != nullptr)) continue;
    distance = away;
    nearest = &rect;
  }
  return nearest;
}

}  // namespace lacuna
