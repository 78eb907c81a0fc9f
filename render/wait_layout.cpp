#include "render/wait_layout.h"

#include <algorithm>
#include <string_view>

#include "model/causes/start_delay.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kLeastWaitPx = 2;
constexpr float kLeastDeadPx = 12;
constexpr Nanos kDeadPart = 10;  // a window of less than this part of its annotation is none to speak of

constexpr std::string_view kDeadUntil = " before the first operator";

bool fits(const TimelineMetrics& m, std::size_t glyphs, float px) {
  return (static_cast<float>(glyphs) + 1) * m.glyph_px * m.scale <= px;
}

/// Not all of them: an annotation may have thousands.
SliceId first_child(const Trace& trace, SliceId slice) {
  const Lane& own = trace.lane(slice);
  const LaneId below{slice.lane.value + 1};
  if (below.value >= trace.lanes().size()) return {};
  const Lane& children = trace.lanes()[below.value];
  if (children.track != own.track || children.nest != own.nest) return {};
  for (std::uint32_t i = children.first_starting_from(own.start(slice.index));
       i < children.size() && children.start(i) <= own.end(slice.index); ++i)
    if (children.parent(i) == slice.index) return {below, i};
  return {};
}

}  // namespace

void layout_waits(const LayoutContext& context, TimelineDrawList& out) {
  const SliceId selected = context.input.emphasis.selected;
  if (!selected.valid() || context.trace.track_of(selected).kind != TrackKind::kGpuStream) return;
  float y0 = 0, y1 = 0;
  if (!find_slice_y(context.input, context.vertical, selected, y0, y1)) return;
  const std::optional<StartDelay> delay = start_delay(context.trace, selected);
  if (!delay) return;
  const auto part = [&](TimeSpan span, bool is_queued, std::string words) {
    const double x0 = context.clip(context.x_of(span.begin)), x1 = context.clip(context.x_of(span.end));
    if (x1 - x0 < static_cast<double>(kLeastWaitPx * context.input.view.metrics.scale)) return;
    DrawWait& wait = out.waits.add();
    wait.x0 = static_cast<float>(x0);
    wait.x1 = static_cast<float>(x1);
    wait.y0 = context.scrolled(y0);
    wait.y1 = context.scrolled(y1);
    wait.is_queued = is_queued;
    wait.label += words;
  };
  if (!delay->queued.empty()) part(delay->queued, true, queued_words(*delay, format_duration));
  if (!delay->latency.empty()) part(delay->latency, false, latency_words(context.trace, *delay, format_duration));
}

void layout_dead_windows(const LayoutContext& context, TimelineDrawList& out) {
  const TimelineMetrics& m = context.input.view.metrics;
  const float least = kLeastDeadPx * m.scale;
  for (const DrawSlice& drawn : out.slices) {
    if (drawn.x1 - drawn.x0 < least || drawn.folded != 1 || drawn.is_gpu || drawn.is_dimmed) continue;
    const Lane& lane = context.trace.lane(drawn.slice);
    if (context.trace.category_class(lane.category(drawn.slice.index)) != CategoryClass::kCpuAnnotation) continue;
    // Python frames do not count: entering an annotation is one itself. What they contain is not looked through, as
    // their own rows show it.
    const SliceId child = first_child(context.trace, drawn.slice);
    if (!child.valid() || context.trace.category_class(child) == CategoryClass::kPythonFunction) continue;
    const TimeSpan span = lane.span(drawn.slice.index);
    const Nanos first = context.trace.span(child).begin;
    const Nanos dead = first - span.begin;
    const double x0 = context.clip(context.x_of(span.begin)), x1 = context.clip(context.x_of(first));
    if (dead < span.duration() / kDeadPart || x1 - x0 < static_cast<double>(least)) continue;
    DrawDead& window = out.dead_windows.add();
    window.x0 = static_cast<float>(x0);
    window.x1 = static_cast<float>(x1);
    window.y0 = drawn.y1;
    window.y1 = drawn.y1 + (drawn.y1 - drawn.y0);
    append_duration(window.label, dead);
    const std::size_t glyphs = glyph_count(window.label);
    if (!fits(m, glyphs, window.x1 - window.x0)) {
      window.label.clear();
    } else if (fits(m, glyphs + kDeadUntil.size(), window.x1 - window.x0)) {
      window.label += kDeadUntil;
    }
  }
}

}  // namespace lacuna
