#include "render/gap_layout.h"

#include <cmath>

#include "render/format.h"
#include "render/run_placer.h"

namespace lacuna {
namespace {

/// The gaps of a stream as a row for for_each_run.
struct GapRow {
  const std::vector<Gap>& gaps;
  const StreamBusyIndex* index;  // may be null

  Nanos start(std::uint32_t i) const { return gaps[i].start; }
  Nanos duration(std::uint32_t i) const { return gaps[i].duration(); }
  Nanos end(std::uint32_t i) const { return gaps[i].end; }
  std::uint32_t first_visible_from(Nanos t) const {
    const auto found = std::ranges::upper_bound(gaps, t, {}, &Gap::end);
    return static_cast<std::uint32_t>(found - gaps.begin());
  }
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint) const {
    const auto found =
        std::ranges::lower_bound(gaps.begin() + hint, gaps.end(), t, {}, &Gap::start);
    return static_cast<std::uint32_t>(found - gaps.begin());
  }
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const {
    if (index != nullptr) return index->longest_gap(first, last);
    const auto found = std::max_element(
        gaps.begin() + first, gaps.begin() + last,
        [](const Gap& a, const Gap& b) { return a.duration() < b.duration(); });
    return static_cast<std::uint32_t>(found - gaps.begin());
  }
};

/// 1 for a gap as long as the view, 0 for a thousandth of it and below: a logarithm, because gaps
/// of interest differ by orders of magnitude.
float intensity(Nanos duration, Nanos view) {
  constexpr double kDecades = 3;
  const double part = static_cast<double>(duration) / static_cast<double>(std::max<Nanos>(1, view));
  return static_cast<float>(std::clamp(1.0 + std::log10(std::max(part, 1e-9)) / kDecades, 0.0, 1.0));
}

}  // namespace

void layout_gaps(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  const TimelineInput& input = context.input;
  const Track& track = context.trace.track(place.track);
  const std::uint32_t stream = context.stream_of(track);
  if (stream == LayoutContext::kNoStream || place.rows == 0) return;
  const float y0 = context.scrolled(place.lanes_y0);
  const float y1 = y0 + place.row_px - (place.row_px >= 3 ? input.metrics.px(1) : 0.0f);
  if (!context.is_in_view(y0, y1)) return;

  const StreamBusyIndex* index = context.busy_of(track);
  const GapRow row{(*input.streams)[stream].gaps, index};
  const std::size_t begin = out.gaps.size();
  RunPlacer placer(context.left, context.right, context.min_px);
  for_each_run(row, context.view, context.fold_ns, 0, [&](const LaneRun& run) {
    if (row.duration(run.longest) < input.min_gap_ns) return;
    const auto at = placer.place(context.x_of(row.start(run.first)), context.x_of(row.end(run.last - 1)));
    if (at.kind == RunPlacer::Place::Kind::kOutside) return;
    std::uint32_t longest = run.longest;
    if (at.kind == RunPlacer::Place::Kind::kMerge) {
      DrawGap& gap = out.gaps.back();
      if (row.duration(gap.gap) >= row.duration(longest)) longest = gap.gap;
      gap.x1 = static_cast<float>(at.x1);
      gap.folded = run.last - gap.first;
    } else {
      DrawGap& gap = out.gaps.emplace_back();
      gap.x0 = static_cast<float>(at.x0);
      gap.x1 = static_cast<float>(at.x1);
      gap.first = run.first;
      gap.folded = run.last - run.first;
    }
    out.gaps.back().gap = longest;
  });

  const float padding = input.metrics.px(4);
  const bool has_room = place.row_px >= input.metrics.px(input.metrics.row);
  const Nanos view_ns = context.view.duration();
  for (std::size_t i = begin; i < out.gaps.size(); ++i) {
    DrawGap& gap = out.gaps[i];
    gap.y0 = y0;
    gap.y1 = y1;
    gap.stream = stream;
    gap.start = row.start(gap.gap);
    gap.end = row.end(gap.gap);
    gap.intensity = intensity(gap.end - gap.start, view_ns);
    gap.is_selected = input.selected_gap_stream == stream && input.selected_gap >= gap.first &&
                      input.selected_gap - gap.first < gap.folded;
    if (gap.folded > 1 || !has_room) continue;
    append_duration(gap.label, gap.end - gap.start);
    const float visible = std::min(gap.x1, input.width_px) - std::max(gap.x0, 0.0f);
    const float needed = static_cast<float>(glyph_count(gap.label)) * input.metrics.glyph_px *
                         input.metrics.scale;
    if (needed + 2 * padding > visible) gap.label.clear();
  }
}

}  // namespace lacuna
