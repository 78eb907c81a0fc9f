#pragma once

#include <string>

#include "model/base/time.h"

namespace lacuna {

/// How times are displayed: as the distance from an origin, or as the time of day.
struct TimeAxis {
  Nanos origin = 0;       ///< the time shown as 0; for times of day: a midnight (UTC)
  bool is_clock = false;  ///< "14:03:12.250" instead of "12.5 ms"

  bool operator==(const TimeAxis&) const = default;
};

/// Appends `offset` from a midnight as a time of day, with as many decimals as multiples of `step` can
/// have (1: all nine). The hours continue after a day: "25:00:00".
void append_clock(std::string& out, Nanos offset, Nanos step);

/// Returns the finest power of ten of nanoseconds that a pixel resolves: the useful precision of times in view.
Nanos time_step(double ns_per_px);

/// Appends a distance rounded to multiples of `step` (a power of ten), with at least three significant digits:
/// "130.811 ms" if 131 ms would not distinguish two neighbours. 0: three digits.
void append_offset(std::string& out, Nanos offset, Nanos step);

/// Appends the time `t`: a distance like append_offset(), or a time of day with all digits.
void append_time(std::string& out, const TimeAxis& axis, Nanos t, Nanos step = 0);
std::string format_time(const TimeAxis& axis, Nanos t, Nanos step = 0);

}  // namespace lacuna
