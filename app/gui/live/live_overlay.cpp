#include "app/gui/live/live_overlay.h"

#include <algorithm>

#include "app/gui/same_tracks.h"
#include "capture/session/recording_spool.h"

namespace lacuna {
namespace {

float x_of_now(const TimelineInput& input, Nanos now) {
  return static_cast<float>(std::clamp(input.x_of(now), 0.0, double{input.width_px}));
}

void grow(DrawSlice& slice, const TimelineInput& input, float now_x) {
  slice.x1 = std::max(slice.x1, now_x);
  slice.label_x1 = std::max(slice.label_x1, now_x);
  slice.has_label = slice.x1 - slice.x0 >= input.metrics.px(input.metrics.label_min_px);
  slice.is_unfinished = false;  // it runs: its end is not missing
}

}  // namespace

void grow_unfinished(TimelineDrawList& list, const TimelineInput& input, Nanos now) {
  const float now_x = x_of_now(input, now);
  for (DrawSlice& slice : list.slices)
    if (slice.is_unfinished) grow(slice, input, now_x);
}

const TimelineLayer* LiveOverlay::layout(const TimelineView& view, const Trace& document, const LiveTailPtr& tail,
                                         Nanos now) {
  list_.clear();
  tail_ = tail;
  if (!tail) return nullptr;
  const TimelineInput& under = view.input();
  input_.trace = &tail->trace;
  input_.hues = &tail->hues;
  input_.folds = &tail->folds;
  input_.palette = under.palette;
  input_.camera = under.camera;
  input_.width_px = under.width_px;
  input_.height_px = under.height_px;
  input_.scroll_y = under.scroll_y;
  input_.metrics = under.metrics;
  input_.axis = under.axis;
  input_.time_folds = under.time_folds;
  input_.show_gaps = input_.show_arrows = false;
  input_.tracks.assign(tail->trace.tracks().size(), {});
  vertical_.tracks.clear();
  vertical_.height = view.vertical().height;
  const SameTracks same(tail->trace, document);
  for (const Track& track : tail->trace.tracks()) {
    const TrackId in_document = same.track(track.id);
    const TrackPlace* place = in_document.valid() ? view.vertical().find(in_document) : nullptr;
    if (place == nullptr || track.lane_count == 0) continue;
    input_.tracks[track.id.value].is_collapsed = under.is_collapsed(in_document);
    TrackPlace& own = vertical_.tracks.emplace_back(*place);
    own.track = track.id;
    own.rows = std::min(own.rows, track.lane_count);
  }
  std::ranges::sort(vertical_.tracks, {}, &TrackPlace::y0);
  layout_timeline(input_, vertical_, list_);
  const float now_x = x_of_now(input_, now);
  for (DrawSlice& slice : list_.slices)
    if (slice.is_unfinished || tail->trace.lane(slice.slice).file_offset(slice.slice.index) == RecordingSpool::kRunning)
      grow(slice, input_, now_x);
  return &layer_;
}

}  // namespace lacuna
