#pragma once

#include <string>

#include "app/gui/core/document.h"
#include "app/gui/models/gaps/gap_list.h"
#include "app/gui/models/navigation/selection.h"
#include "model/base/result.h"

namespace lacuna {

/// What is copied of a slice, a gap or an instant. All read the trace's bytes where they need args.

/// One fact a line: "Name: …", category, track, start and duration in ns.
std::string slice_as_text(const Trace& trace, SliceId slice);
std::string gap_as_text(const Document& document, GapRef gap);
std::string instant_as_text(const Trace& trace, InstantRef instant);
/// "key: value", one a line; empty when it has no args. Errors: those of read_arguments.
Result<std::string> arguments_as_text(const Trace& trace, SliceId slice);
/// The args as an indented JSON object, "{}" when it has none. Errors: those of read_event_json;
/// kInvalidArgument when the event is damaged.
Result<std::string> arguments_as_json(const Trace& trace, SliceId slice);
/// The whole event as it is written in the file.
Result<std::string> slice_as_json(const Trace& trace, SliceId slice);

}  // namespace lacuna
