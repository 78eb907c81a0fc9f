#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// One entry of an event's args, nested objects flattened to "outer.inner".
struct Argument {
  std::string key;
  std::string value;  ///< strings unescaped; numbers, lists, true/false/null as written
  bool is_string = false;
};

/// Reads the args of one slice from its source's bytes. O(size of the event).
/// Returns an empty vector for an event without args. kUnsupported if the source has no bytes;
/// kNotReadable if the file changed since it was opened.
Result<std::vector<Argument>> read_arguments(const Trace& trace, SliceId slice);
/// Reads the args of an event of any kind, which begins at `file_offset` in the bytes of its source.
Result<std::vector<Argument>> read_arguments(const TraceSource& source, std::uint64_t file_offset);

/// Returns the whole event at `file_offset` as written (for "copy as JSON"). Same errors.
Result<std::string> read_event_json(const TraceSource& source, std::uint64_t file_offset);

}  // namespace lacuna
