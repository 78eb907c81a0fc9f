#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/import/arguments.h"
#include "model/report/report_words.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A sentence or two that explain one slice to a newcomer: what it is, or what its inner slices
/// and the work that it launched show.
struct SliceNote {
  std::string_view
      key;  ///< "name", "compiled", "deadWindow", "wait", "attention", "bias", "roof", "copies", "occupancy"
  std::string text;
  SliceId place;  ///< another slice that it refers to; invalid: none
};

/// Returns the notes on `slice`; none for most slices. `arguments`: its args (read_arguments). Reads the args of a few
/// other slices from the file; if that fails, notes are left out. O(slices inside + work launched there). Any thread.
std::vector<SliceNote> notes_about(const Trace& trace, SliceId slice, std::span<const Argument> arguments,
                                   const ReportFormat& format);

}  // namespace lacuna
