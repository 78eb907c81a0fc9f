#pragma once

#include <cstddef>
#include <string_view>

namespace lacuna {

// Finds where a list of events may be split without parsing it from the start.
//
// A candidate is a '{' that begins an object after another one: "} , {" and then a quote, with any
// white space between. That is almost always the start of an event, except inside nested lists of
// objects ("args": {"list": [{…}, {…}]}) and after a string that happens to end in "},{": the
// user of a candidate must verify it by parsing what precedes it.

inline constexpr std::size_t kNoBoundary = static_cast<std::size_t>(-1);

/// Returns the position of the first candidate at or after `from`. Also reads the bytes before `from`.
std::size_t first_boundary(std::string_view text, std::size_t from);

/// Returns the position of the last candidate.
std::size_t last_boundary(std::string_view text);

/// Whether the object at the start of `text` has a key "ph" of its own (not in a nested value),
/// as far as `text` reaches. Distinguishes events from other objects; a guess for damaged text.
bool looks_like_event(std::string_view text);

}  // namespace lacuna
