#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/steps/steps.h"
#include "model/trace/trace.h"
#include "render/time_axis.h"

namespace lacuna {

/// What times are counted from.
enum class TimeUnit : std::uint8_t {
  kStart,     ///< the trace's start
  kAbsolute,  ///< time of day (UTC) where the file says when it began, else the file's own times
  kMarker,    ///< a marker
  kSteps,     ///< "step 12 + 3.21 ms"; the ruler counts from the trace's start
};

/// The axis for a unit. `marker`: where the marker is; used by kMarker alone.
TimeAxis axis_for(const Trace& trace, TimeUnit unit, Nanos marker);

/// A time as the unit has it. `steps` ascending; times in no step are said relative to the nearest step
/// before ("step 12 + 3.21 ms"), or after ("step 10 - 1.2 ms"). `resolution`: the step of append_offset().
std::string time_in_unit(const TimeAxis& axis, TimeUnit unit, const std::vector<Step>& steps, Nanos t,
                         Nanos resolution = 0);

}  // namespace lacuna
