#include "render/instant_layout.h"

namespace lacuna {
namespace {

/// Instants as a row of zero-length things for for_each_run.
struct InstantRow {
  const std::vector<Instant>& instants;

  Nanos start(std::uint32_t i) const { return instants[i].time; }
  Nanos duration(std::uint32_t) const { return 0; }
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint) const {
    // Gallop: mostly the next pixel is asked for, and that is near.
    std::size_t low = hint;
    std::size_t high = low;
    for (std::size_t step = 1; hint > 0 && high < instants.size() && instants[high].time < t; step *= 2) {
      low = high + 1;
      high += step;
    }
    if (hint == 0 || high > instants.size()) high = instants.size();
    const auto at = [this](std::size_t i) { return instants.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto found = std::ranges::lower_bound(at(low), at(high), t, {}, &Instant::time);
    return static_cast<std::uint32_t>(found - instants.begin());
  }
  std::uint32_t first_visible_from(Nanos t) const { return first_starting_from(t, 0); }
  std::uint32_t longest(std::uint32_t first, std::uint32_t) const { return first; }
};

}  // namespace

void layout_instants(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  const Track& track = context.trace.track(place.track);
  if (track.instants.empty() || place.is_overview) return;
  const TimelineMetrics& metrics = context.input.view.metrics;
  const bool has_lanes = place.rows > 0;
  const float strip = metrics.px(metrics.instant_strip);
  const float y0 = context.scrolled(has_lanes ? place.lanes_y0 - strip : place.y0);
  const float y1 = context.scrolled(has_lanes ? place.lanes_y0 : place.y1);
  if (!context.is_in_view(y0, y1)) return;
  for_each_run(InstantRow{track.instants}, context.view, context.fold_ns, 0, [&](const LaneRun& run) {
    const double x = context.x_of(track.instants[run.first].time);
    if (x < context.left || x > context.right) return;
    DrawInstant& instant = out.instants.emplace_back();
    instant.x = static_cast<float>(x);
    instant.y0 = y0;
    instant.y1 = y1;
    instant.track = place.track;
    instant.index = run.first;
    instant.folded = run.last - run.first;
  });
}

}  // namespace lacuna
