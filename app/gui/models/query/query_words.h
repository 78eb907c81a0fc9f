#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// The possible completions at the cursor.
struct Completion {
  std::size_t begin = 0;  ///< where the word before the cursor begins, which a completion replaces
  std::size_t end = 0;
  std::vector<std::string> words;  ///< best first, at most kMost
  static constexpr std::size_t kMost = 12;
};

/// Returns the tables, columns, functions and keywords that begin with the word at `cursor` (a byte offset), columns of
/// the statement's tables first; inside a string ('…) names of the trace. Empty if there is no word.
Completion complete_query(std::string_view sql, std::size_t cursor, const Trace* trace);

/// Returns "line 2, column 8" for a byte offset of the text.
std::string place_text(std::string_view sql, std::size_t offset);
/// The line of a byte, and the number of characters before the byte on that line.
struct QueryLine {
  std::string_view text;
  std::size_t characters_before = 0;
};
QueryLine line_at(std::string_view sql, std::size_t offset);
/// A line shortened to about 100 bytes on either side, with "…" where text is left out; tabs become blanks.
struct QueryExcerpt {
  std::string text;
  std::size_t characters_before = 0;
};
QueryExcerpt line_around(std::string_view sql, std::size_t offset);

}  // namespace lacuna
