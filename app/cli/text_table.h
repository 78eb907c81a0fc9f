#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"

namespace lacuna {

/// Text of a trace made safe for a terminal: control characters (a name could hold escape
/// sequences) become visible as \n, \t or \x1b, those that reorder or break a line as \u202e. Other UTF-8 passes.
std::string printable(std::string_view text);

/// A command line for a terminal, which a shell splits into `words`. Those with control characters stand in $'…', as
/// bash, zsh and ksh read it.
std::string printable_words(const std::vector<std::string>& words);

/// Number of columns that UTF-8 `text` takes, one per code point.
std::size_t display_width(std::string_view text);

/// `text` cut to `width` columns with "…" in its middle, since both the start of a kernel's name and
/// its template arguments at the end tell it apart. Not cut inside a code point.
std::string shorten(std::string_view text, std::size_t width);

/// `text` in lines of at most `width` columns, broken at blanks; a longer word stays whole, and so
/// does a short text in square brackets.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Writes `text` in lines of at most `width` columns, `mark` before the first, the others indented as far.
void write_wrapped(std::string_view mark, const std::string& text, std::size_t width, Output& out);

/// The width of the terminal behind standard output, in columns; 120 if it is no terminal.
std::size_t terminal_width();

}  // namespace lacuna
