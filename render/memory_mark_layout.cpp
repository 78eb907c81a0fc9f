#include "render/memory_mark_layout.h"

#include <algorithm>

#include "model/holders/memory_marks.h"
#include "model/memory/out_of_memory.h"
#include "model/shown/shown_rows.h"

namespace lacuna {
namespace {

constexpr std::ptrdiff_t kMostLookedAt = 64;  // of those in one pixel

}  // namespace

void layout_memory_marks(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  const MemoryMarks* marks = context.input.data.memory;
  const Track& track = context.trace.track(place.track);
  const ShownRows* shown = context.input.data.shown;
  if (marks == nullptr || place.is_overview || context.input.arrangement.is_collapsed(track.id)) return;
  if (shown != nullptr && shown->changes(track.id)) return;
  const TimelineMetrics& metrics = context.input.view.metrics;
  const float gap = place.row_px >= 3 ? metrics.px(1) : 0.0f;
  const auto ends_by = [](Nanos t, const MemoryMarks::Mark& mark) {
    return t < std::max(mark.span.end, mark.span.begin + 1);
  };
  for (std::uint32_t row = 0; row < track.lane_count; ++row) {
    const std::span<const MemoryMarks::Mark> on = marks->on_lane(LaneId{track.first_lane.value + row});
    const float y0 = context.scrolled(place.lanes_y0 + static_cast<float>(row + 1) * place.row_px);
    const float y1 = y0 + place.row_px - gap;
    if (on.empty() || !context.is_in_view(y0, y1)) continue;
    auto mark = std::upper_bound(on.begin(), on.end(), context.view.begin, ends_by);
    while (mark != on.end() && mark->span.begin < context.view.end) {
      DrawMemoryMark& drawn = out.memory_marks.add();
      drawn.x0 = static_cast<float>(context.clip(context.x_of(mark->span.begin)));
      drawn.x1 = std::max(drawn.x0 + static_cast<float>(context.min_px),
                          static_cast<float>(context.clip(context.x_of(mark->span.end))));
      drawn.y0 = y0;
      drawn.y1 = y1;
      drawn.index = marks->index_of(*mark);
      // What begins in the same pixel is in the rectangle already; the largest stands for them.
      const Nanos from = context.input.view.time_at(static_cast<double>(drawn.x1));
      auto next = std::max(mark + 1, std::lower_bound(mark, on.end(), from, [](const MemoryMarks::Mark& m, Nanos t) {
                             return m.span.begin < t;
                           }));
      drawn.folded = static_cast<std::uint32_t>(next - mark);
      const auto looked_at = std::min(next, mark + kMostLookedAt);
      for (auto other = mark; other != looked_at; ++other)
        if (marks->piece(*other).bytes > marks->piece((*marks)[drawn.index]).bytes)
          drawn.index = marks->index_of(*other);
      if (drawn.folded == 1 && drawn.x1 - drawn.x0 >= metrics.label_min_px * metrics.scale) {
        drawn.label += '+';
        drawn.label += describe_size(marks->piece(*mark).bytes);
      }
      mark = next;
    }
  }
}

}  // namespace lacuna
