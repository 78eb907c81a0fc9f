#pragma once

#include <string_view>

namespace lacuna {

/// Synonyms for a command, as users of other programs and newcomers say them; separated by blanks, in
/// small letters. Empty: none. `id` as in commands().
std::string_view command_words(std::string_view id);

/// Whether each word of `typed` (at least three letters, whatever their case) begins one of these words.
bool fits_words(std::string_view typed, std::string_view words);

}  // namespace lacuna
