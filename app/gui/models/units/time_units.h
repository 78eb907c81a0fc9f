#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/steps/steps.h"
#include "model/trace/trace.h"
#include "render/time_axis.h"

namespace lacuna {

/// The origin of displayed times.
enum class TimeUnit : std::uint8_t {
  kStart,     ///< the trace's start
  kAbsolute,  ///< UTC time of day if the file says when it began, else the file's own times
  kMarker,    ///< a marker
  kSteps,     ///< "step 12 + 3.21 ms"; the ruler counts from the trace's start
};

/// Returns the axis for a unit. `marker`: the marker's time; used by kMarker only.
TimeAxis axis_for(const Trace& trace, TimeUnit unit, Nanos marker);

/// Formats a time in the unit. `steps` ascending; a time in no step is relative to the nearest step
/// before ("step 12 + 3.21 ms"), or after ("step 10 - 1.2 ms"). `resolution`: the step of append_offset().
std::string time_in_unit(const TimeAxis& axis, TimeUnit unit, const std::vector<Step>& steps, Nanos t,
                         Nanos resolution = 0);

}  // namespace lacuna
