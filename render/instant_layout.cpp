#include "render/instant_layout.h"

#include "model/index/moment_folds.h"

namespace lacuna {
void layout_instants(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  const Track& track = context.trace.track(place.track);
  if (track.instants.empty() || place.is_overview) return;
  const TimelineMetrics& metrics = context.input.view.metrics;
  const bool has_lanes = place.rows > 0;
  const float strip = metrics.px(metrics.instant_strip);
  const float y0 = context.scrolled(has_lanes ? place.lanes_y0 - strip : place.y0);
  const float y1 = context.scrolled(has_lanes ? place.lanes_y0 : place.y1);
  if (!context.is_in_view(y0, y1)) return;
  static const InstantFolds kNotFolded;
  const TrackFolds* folded = context.input.data.track_folds;
  const InstantFolds& folds = folded != nullptr ? folded->instants[place.track.value] : kNotFolded;
  const InstantRow row(track.instants);
  folds.for_each_run(row, context.view, context.fold_ns, [&](const InstantRow::Run& run, std::uint32_t last, Nanos) {
    const double x = context.x_of(run.start);
    if (x < context.left || x > context.right) return;
    DrawInstant& instant = out.instants.emplace_back();
    instant.x = static_cast<float>(x);
    instant.y0 = y0;
    instant.y1 = y1;
    instant.track = place.track;
    instant.index = run.first;
    instant.folded = last - run.first;
    const TimelineEmphasis& emphasis = context.input.emphasis;
    instant.is_selected = emphasis.selected_instant_track == place.track && emphasis.selected_instant >= run.first &&
                          emphasis.selected_instant < last;
  });
}

}  // namespace lacuna
