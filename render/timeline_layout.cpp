#include "render/timeline_layout.h"

#include <fmt/format.h>

#include "render/arrow_layout.h"
#include "render/counter_layout.h"
#include "render/format.h"
#include "render/gap_layout.h"
#include "render/header_layout.h"
#include "render/instant_layout.h"
#include "render/layout_context.h"
#include "render/match_ticks.h"
#include "render/memory_mark_layout.h"
#include "render/path_layout.h"
#include "render/slice_layout.h"
#include "render/ticks.h"
#include "render/wait_layout.h"

namespace lacuna {
namespace {

/// The ticks of a time that is drawn without a break between x0 and x1. `shift`: folded time less time.
void layout_ticks(const TimelineInput& input, double x0, double x1, Nanos shift, TimelineDrawList& out) {
  const TimelineMetrics& m = input.view.metrics;
  TickStyle style;
  style.min_label_px = double{m.min_tick_px} * double{m.scale};
  style.glyph_px = double{m.glyph_px} * double{m.scale};
  style.min_minor_px *= double{m.scale};
  style.is_clock = input.view.axis.is_clock;
  const Camera& camera = input.view.camera;
  const Camera moved = Camera::at(saturating_sub(camera.begin(), shift), camera.begin_fraction(), camera.ns_per_px());
  append_ticks(moved.panned(x0), x1 - x0, input.view.axis.origin, style, static_cast<float>(x0), out.ticks);
}

/// Folded stretches in view, and the ticks between them.
void layout_time(const LayoutContext& context, TimelineDrawList& out) {
  const TimelineInput& input = context.input;
  const double width = input.view.width_px;
  if (input.view.time_folds == nullptr) return layout_ticks(input, 0, width, 0, out);
  const double least_px = 40 * double{input.view.metrics.scale};
  const auto between = [&](double x0, double x1, Nanos shift) {
    if (x1 - x0 < least_px) return;
    const std::size_t first = out.ticks.size();
    layout_ticks(input, x0, x1, shift, out);
    // Labels that reach into the stretch that follows go; ticks beyond the border lie on it, unnamed.
    for (std::size_t i = first; i < out.ticks.size(); ++i) {
      DrawTick& tick = out.ticks[i];
      const float label_px =
          (static_cast<float>(tick.label.size()) + 1) * input.view.metrics.glyph_px * input.view.metrics.scale;
      if (static_cast<double>(tick.x + label_px) > x1 && x1 < width) tick.label.clear();
      const bool is_left = x0 > 0 && static_cast<double>(tick.x) < x0;
      const bool is_right = x1<width&& static_cast<double>(tick.x)> x1;
      if (!is_left && !is_right) continue;
      tick.x = static_cast<float>(is_left ? x0 : x1);
      tick.is_major = false;
      tick.label.clear();
    }
  };
  double from = 0;
  Nanos shift = 0;  // folded time less time, of what is left of the next stretch
  const auto in_view = input.view.time_folds->in(context.view);
  if (const auto all = input.view.time_folds->stretches(); !all.empty()) {
    // What stretches left of the view have removed.
    const Nanos t = context.view.begin;
    shift = saturating_sub(input.view.time_folds->fold(t), t);
    if (!in_view.empty() && in_view.front().span.begin <= t)
      shift = in_view.front().folded_begin - in_view.front().span.begin;
  }
  double last_x1 = context.left;
  for (const TimeFolds::Stretch& stretch : in_view) {
    const double x0 = context.clip(context.x_of(stretch.span.begin));
    const double x1 = context.clip(context.x_of(stretch.span.end));
    between(from, x0, shift);
    from = x1;
    shift = stretch.folded_end() - stretch.span.end;
    if (x1 <= last_x1 || x1 - x0 < 0.5) continue;
    DrawTimeFold& drawn = out.time_folds.add();
    drawn.x0 = static_cast<float>(std::max(x0, last_x1));
    drawn.x1 = static_cast<float>(x1);
    last_x1 = x1;
    drawn.span = stretch.span;
    append_duration(drawn.label, stretch.span.duration());
    const float needed =
        (static_cast<float>(glyph_count(drawn.label)) + 1) * input.view.metrics.glyph_px * input.view.metrics.scale;
    if (needed > drawn.x1 - drawn.x0) drawn.label.clear();
  }
  between(from, width, shift);
}

/// Steps in view that are wide enough to be told apart, with their number where it fits.
void layout_steps(const LayoutContext& context, TimelineDrawList& out) {
  const TimelineInput& input = context.input;
  if (input.data.steps == nullptr) return;
  const double least_px = 3 * double{input.view.metrics.scale};
  double last_x1 = context.left;
  for (const StepSpan& step : *input.data.steps) {
    if (!step.span.overlaps(context.view)) continue;
    const double x0 = context.clip(context.x_of(step.span.begin));
    const double x1 = context.clip(context.x_of(step.span.end));
    if (x1 - x0 < least_px || x0 < last_x1 - 0.5) continue;
    last_x1 = x1;
    DrawStep& drawn = out.steps.add();
    drawn.x0 = static_cast<float>(x0);
    drawn.x1 = static_cast<float>(x1);
    drawn.label += fmt::format("#{}", step.number);
    const float needed =
        (static_cast<float>(drawn.label.size()) + 1) * input.view.metrics.glyph_px * input.view.metrics.scale;
    if (needed > drawn.x1 - drawn.x0) drawn.label.clear();
  }
}

}  // namespace

void layout_timeline(const TimelineInput& input, const VerticalLayout& vertical, TimelineDrawList& out) {
  out.clear();
  out.content_height = vertical.height;
  if (input.data.trace == nullptr || input.palette == nullptr || input.view.width_px <= 0) return;
  const LayoutContext context(input, vertical);
  layout_time(context, out);
  layout_steps(context, out);

  // Both lists are ascending and free of overlap: start at the first that ends below the top.
  const float top = input.view.scroll_y;
  const float bottom = input.view.scroll_y + input.view.height_px;
  for (const VerticalLayout::GroupPlace& group : vertical.groups)  // a handful
    layout_group_header(context, group, out);
  const auto process = std::ranges::upper_bound(vertical.processes, top, {}, &VerticalLayout::ProcessPlace::bottom);
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
    if (input.emphasis.show_gaps) layout_gaps(context, place, out);
    layout_slices(context, place, out);
    layout_memory_marks(context, place, out);
    layout_instants(context, place, out);
  }
  if (input.emphasis.show_gaps) add_causes(input, out);
  layout_dead_windows(context, out);
  layout_waits(context, out);
  layout_path(context, out);
  layout_arrows(context, out);
  layout_match_ticks(context, out);
}

}  // namespace lacuna
