#include "app/gui/models/area/snap.h"

#include <cmath>

namespace lacuna {
namespace {

/// Keeps the nearest of the edges it is told of.
class Nearest {
 public:
  Nearest(const TimelineInput& camera, double x_px, double reach_px)
      : camera_(camera), x_px_(x_px), reach_px_(reach_px) {}
  void consider(Nanos time) {
    const double distance = std::fabs(camera_.view.x_of(time) - x_px_);
    if (distance > reach_px_ || (best_ && best_->distance_px <= distance)) return;
    best_ = SnapPoint{time, distance};
  }
  void consider(TimeSpan span) {
    consider(span.begin);
    consider(span.end);
  }
  const std::optional<SnapPoint>& best() const { return best_; }

 private:
  const TimelineInput& camera_;
  double x_px_, reach_px_;
  std::optional<SnapPoint> best_;
};

void consider_row(const TimelineInput& input, const TimelineDrawList& list, const DrawRow& row, Nearest& nearest) {
  for (std::uint32_t i = row.first; i < row.last; ++i) {
    const DrawSlice& slice = list.slices[i];
    if (slice.folded == 1) nearest.consider(input.data.trace->span(slice.slice));
  }
}

}  // namespace

std::optional<SnapPoint> find_snap(const TimelineInput& input, const TimelineDrawList& list, const Markers& markers,
                                   double x_px, float y_px, double reach_px) {
  if (input.data.trace == nullptr) return std::nullopt;
  Nearest nearest(input, x_px, reach_px);
  TrackId track;
  for (const DrawHeader& h : list.headers)
    if (h.kind == DrawHeader::Kind::kTrack && y_px >= h.y0 && y_px < h.y1) track = h.track;
  for (const DrawRow& row : list.rows)
    if (y_px >= row.y0 && y_px < row.y1) consider_row(input, list, row, nearest);
  if (!nearest.best())
    for (const DrawRow& row : list.rows)
      if (track.valid() && row.track == track) consider_row(input, list, row, nearest);
  for (const DrawGap& gap : list.gaps)
    if (gap.folded == 1 && y_px >= gap.y0 && y_px < gap.y1) nearest.consider({gap.start, gap.end});
  if (!nearest.best())
    for (const Marker& marker : markers.all()) nearest.consider(marker.span);
  return nearest.best();
}

}  // namespace lacuna
