#include "render/wait_layout.h"

#include <algorithm>

#include "model/causes/start_delay.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kLeastWaitPx = 2;
constexpr float kLeastDeadPx = 12;
constexpr Nanos kDeadPart = 10;  // a window of less than this part of its annotation is none to speak of

bool fits(const TimelineMetrics& m, const std::string& text, float px) {
  return (static_cast<float>(glyph_count(text)) + 1) * m.glyph_px * m.scale <= px;
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
    if (drawn.folded != 1 || drawn.is_gpu || drawn.is_dimmed || drawn.x1 - drawn.x0 < least) continue;
    const Lane& lane = context.trace.lane(drawn.slice);
    if (context.trace.category_class(lane.category(drawn.slice.index)) != CategoryClass::kCpuAnnotation) continue;
    // Python frames do not count: entering an annotation is one itself.
    const TimeSpan span = lane.span(drawn.slice.index);
    Nanos first = kMaxNanos;
    bool has_frames = false;
    context.trace.for_each_child(drawn.slice, [&](SliceId child) {
      const bool is_frame = context.trace.category_class(child) == CategoryClass::kPythonFunction;
      has_frames = has_frames || is_frame;
      if (!is_frame) first = std::min(first, context.trace.span(child).begin);
    });
    // What frames contain is not looked through: their own rows show it.
    if (first == kMaxNanos || has_frames) continue;
    const Nanos dead = first - span.begin;
    const double x0 = context.clip(context.x_of(span.begin)), x1 = context.clip(context.x_of(first));
    if (dead < span.duration() / kDeadPart || x1 - x0 < static_cast<double>(least)) continue;
    DrawDead& window = out.dead_windows.add();
    window.x0 = static_cast<float>(x0);
    window.x1 = static_cast<float>(x1);
    window.y0 = drawn.y1;
    window.y1 = drawn.y1 + (drawn.y1 - drawn.y0);
    append_duration(window.label, dead);
    if (!fits(m, window.label, window.x1 - window.x0)) {
      window.label.clear();
    } else if (std::string longer = window.label + " before the first operator";
               fits(m, longer, window.x1 - window.x0)) {
      window.label = longer;
    }
  }
}

}  // namespace lacuna
