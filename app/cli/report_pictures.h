#pragma once

#include <string>
#include <string_view>

#include "model/report/report.h"

namespace lacuna {

// Inline SVG for the HTML report. Colours are CSS variables of the page (--kernel, --line …). Each
// returns nothing when there is nothing to draw.

/// Text of a trace made safe for HTML: markup and quotes escaped, control characters visible.
std::string html_escape(std::string_view text);

/// One bar per step, as long as the step, in the colours of its kinds of time; GPU busy beside it.
std::string picture_of_steps(const Trace& trace, const Report& report);
/// The window as one bar, with a legend.
std::string picture_of_time(const Report& report);
/// Idle time by cause, one picture per GPU.
std::string pictures_of_causes(const Trace& trace, const Report& report);
/// Allocated (and reserved) memory over time, one picture per device.
std::string pictures_of_memory(const Trace& trace, const Report& report);

}  // namespace lacuna
