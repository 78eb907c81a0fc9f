#pragma once

#include <string>

#include "app/gui/core/document.h"
#include "app/gui/models/gaps/gap_list.h"
#include "app/gui/models/navigation/selection.h"
#include "model/base/result.h"

namespace lacuna {

/// Texts for copying a slice, a gap or an instant. Functions that need args read the trace's bytes.

/// Returns one fact per line: "Name: …", category, track, start and duration in ns.
std::string slice_as_text(const Trace& trace, SliceId slice);
std::string gap_as_text(const Document& document, GapRef gap);
std::string instant_as_text(const Trace& trace, InstantRef instant);
/// Returns "key: value", one per line; empty without args. Errors: those of read_arguments.
Result<std::string> arguments_as_text(const Trace& trace, SliceId slice);
/// Returns the args as an indented JSON object, "{}" without args. Errors: those of read_event_json;
/// kInvalidArgument when the event is damaged.
Result<std::string> arguments_as_json(const Trace& trace, SliceId slice);
/// Returns the whole event as written in the file.
Result<std::string> slice_as_json(const Trace& trace, SliceId slice);

}  // namespace lacuna
