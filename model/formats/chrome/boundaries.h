#pragma once

#include <cstddef>
#include <string_view>

namespace lacuna {

// Where a list of events may be cut without parsing it from the start.
//
// A candidate is a '{' that begins an object after another one: "} , {" and then a quote, with any
// blanks between. That is almost always the start of an event. It is not inside nested lists of
// objects ("args": {"list": [{…}, {…}]}) and after a string that happens to end in "},{": whoever
// uses a candidate verifies it by what was parsed before it.

inline constexpr std::size_t kNoBoundary = static_cast<std::size_t>(-1);

/// Position of the first candidate at or after `from`. The bytes before `from` are looked at too.
std::size_t first_boundary(std::string_view text, std::size_t from);

/// Position of the last candidate.
std::size_t last_boundary(std::string_view text);

/// True when the object at the start of `text` has a key "ph" of its own (not in a nested value),
/// as far as `text` reaches. Tells events from other objects; a guess on damaged text.
bool looks_like_event(std::string_view text);

}  // namespace lacuna
