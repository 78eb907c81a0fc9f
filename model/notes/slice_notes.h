#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/import/arguments.h"
#include "model/report/report_words.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A sentence or two that explain one slice to a newcomer: what it is, or what the slices in
/// it and the work that it launched say of it.
struct SliceNote {
  std::string_view
      key;  ///< "name", "compiled", "deadWindow", "wait", "attention", "bias", "roof", "copies", "occupancy"
  std::string text;
  SliceId place;  ///< another slice that it speaks of; invalid: none
};

/// What can be said of `slice`; nothing of most. `arguments`: its args (read_arguments). Reads the args of a few other
/// slices from the file; where that fails, less is said. O(slices inside it + work launched there). Any thread.
std::vector<SliceNote> notes_about(const Trace& trace, SliceId slice, std::span<const Argument> arguments,
                                   const ReportFormat& format);

}  // namespace lacuna
