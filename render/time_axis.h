#pragma once

#include <string>

#include "model/base/time.h"

namespace lacuna {

/// How times are written: as the distance from an origin, or as the time of day.
struct TimeAxis {
  Nanos origin = 0;       ///< what is called 0; of a clock: a midnight (UTC)
  bool is_clock = false;  ///< "14:03:12.250" instead of "12.5 ms"

  bool operator==(const TimeAxis&) const = default;
};

/// Appends `offset` from a midnight as a time of day, with the decimals that a multiple of `step` can
/// have (1: all nine). A day later goes on counting: "25:00:00".
void append_clock(std::string& out, Nanos offset, Nanos step);

/// The finest power of ten of nanoseconds that a pixel tells apart: how exactly a time in view is worth saying.
Nanos time_step(double ns_per_px);

/// Appends a distance to multiples of `step` (a power of ten), with three significant digits at least:
/// "130.811 ms" where 131 ms would not tell two neighbours apart. 0: three digits.
void append_offset(std::string& out, Nanos offset, Nanos step);

/// Appends the time `t`: a distance as by append_offset(), all digits of a time of day.
void append_time(std::string& out, const TimeAxis& axis, Nanos t, Nanos step = 0);
std::string format_time(const TimeAxis& axis, Nanos t, Nanos step = 0);

}  // namespace lacuna
