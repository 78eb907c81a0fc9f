#include "render/timeline_layout.h"

#include "render/arrow_layout.h"
#include "render/counter_layout.h"
#include "render/gap_layout.h"
#include "render/header_layout.h"
#include "render/instant_layout.h"
#include "render/layout_context.h"
#include "render/match_ticks.h"
#include "render/slice_layout.h"
#include "render/ticks.h"

namespace lacuna {
namespace {

void layout_ticks(const TimelineInput& input, TimelineDrawList& out) {
  const TimelineMetrics& m = input.metrics;
  TickStyle style;
  style.min_label_px = double{m.min_tick_px} * double{m.scale};
  style.glyph_px = double{m.glyph_px} * double{m.scale};
  style.min_minor_px *= double{m.scale};
  make_ticks(input.camera, input.width_px, input.time_origin, style, out.ticks);
}

}  // namespace

void layout_timeline(const TimelineInput& input, const VerticalLayout& vertical,
                     TimelineDrawList& out) {
  out.clear();
  out.content_height = vertical.height;
  if (input.trace == nullptr || input.palette == nullptr || input.width_px <= 0) return;
  const LayoutContext context(input, vertical);
  layout_ticks(input, out);

  // Both lists are ascending and free of overlap: start at the first that ends below the top.
  const float top = input.scroll_y;
  const float bottom = input.scroll_y + input.height_px;
  const auto process = std::ranges::upper_bound(vertical.processes, top, {},
                                                &VerticalLayout::ProcessPlace::bottom);
  for (auto it = process; it != vertical.processes.end() && it->y0 < bottom; ++it)
    layout_process_header(context, *it, out);

  const auto track = std::ranges::upper_bound(vertical.tracks, top, {}, &TrackPlace::y1);
  for (auto it = track; it != vertical.tracks.end() && it->y0 < bottom; ++it) {
    const TrackPlace& place = *it;
    layout_track_header(context, place, (it - vertical.tracks.begin()) % 2 == 1, out);
    if (place.is_extra() || context.trace.track(place.track).kind == TrackKind::kCounter) {
      layout_counter(context, place, out);
      continue;
    }
    if (input.show_gaps) layout_gaps(context, place, out);
    layout_slices(context, place, out);
    layout_instants(context, place, out);
  }
  layout_arrows(context, out);
  layout_match_ticks(context, out);
}

}  // namespace lacuna
