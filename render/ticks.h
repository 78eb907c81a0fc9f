#pragma once

#include <string>

#include "model/base/time.h"
#include "render/camera.h"
#include "render/draw_list.h"

namespace lacuna {

/// The space that a tick label needs. Layout has no fonts, so the caller describes its own.
struct TickStyle {
  double min_label_px = 90;  ///< least distance between two major ticks
  double glyph_px = 7.5;     ///< widest digit of the label font
  bool is_clock = false;     ///< labels are times of day
  double min_minor_px = 8;   ///< least distance between two minor ticks; closer ones are not drawn
};

/// Returns the distance between major ticks: 1, 2 or 5 times a power of ten nanoseconds up to 10 s, then
/// 15 s, 30 s, 1, 2, 5, 10, 15, 30 min, 1, 2, 3, 6, 12 h and days. The least of these that is at least
/// `at_least_ns`.
Nanos nice_step(double at_least_ns);

/// Appends the label of the tick at `offset` from the origin, with ticks `step` apart: in the
/// unit that suits the offset, with the decimals that the step needs, so neighbours always differ
/// and a tick keeps its label while panning. "0", "250 ns", "1.25 ms", "2 min 03.5 s", "-1 h 05 min".
void append_tick_label(std::string& out, Nanos offset, Nanos step);

/// Lays out ruler ticks for the visible range: major ticks at multiples of a nice step from `origin`, far enough
/// apart for their labels; minor ticks between them. Ascending in x, both kinds mixed.
/// May include one tick on either side of the view, so that its label scrolls in smoothly.
/// Appends to `out`, `left_px` further to the right.
void append_ticks(const Camera& camera, double width_px, Nanos origin, const TickStyle& style, float left_px,
                  Recycled<DrawTick>& out);

}  // namespace lacuna
