#pragma once

#include <span>
#include <string_view>

namespace lacuna {

/// A word that the window uses, explained to a newcomer.
struct GlossaryEntry {
  std::string_view word;
  std::string_view meaning;  ///< two sentences at most
};

/// All of them, in the order of the alphabet. The one table from which the window and the command line take them.
std::span<const GlossaryEntry> glossary();
/// Null: the word is not in it. Case is ignored.
const GlossaryEntry* find_in_glossary(std::string_view word);

}  // namespace lacuna
