#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// What may stand where the cursor is.
struct Completion {
  std::size_t begin = 0;  ///< of the word before the cursor, which a choice replaces
  std::size_t end = 0;
  std::vector<std::string> words;  ///< best first, at most kMost
  static constexpr std::size_t kMost = 12;
};

/// Tables, columns, functions and key words that begin as the word at `cursor` (a byte offset) does, columns of the
/// tables in the statement first; inside a text ('…) names of the trace. Empty where there is no word.
Completion complete_query(std::string_view sql, std::size_t cursor, const Trace* trace);

/// "line 2, column 8" of a byte of the text.
std::string place_text(std::string_view sql, std::size_t offset);
/// The line in which the byte lies and how many characters stand before it there.
struct QueryLine {
  std::string_view text;
  std::size_t characters_before = 0;
};
QueryLine line_at(std::string_view sql, std::size_t offset);
/// The same with some 100 bytes on either side of it at most, "…" where more were; a tab is a blank.
struct QueryExcerpt {
  std::string text;
  std::size_t characters_before = 0;
};
QueryExcerpt line_around(std::string_view sql, std::size_t offset);

}  // namespace lacuna
