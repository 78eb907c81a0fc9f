#pragma once

#include <span>
#include <string_view>

namespace lacuna {

/// A word that the window uses, explained to a newcomer.
struct GlossaryEntry {
  std::string_view word;
  std::string_view meaning;  ///< at most two sentences
};

/// Returns all entries, in alphabetical order. The only such table, used by the window and the command line.
std::span<const GlossaryEntry> glossary();
/// Returns the entry of a word, ignoring case; null if it is not in the glossary.
const GlossaryEntry* find_in_glossary(std::string_view word);

}  // namespace lacuna
