#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"

namespace lacuna {

/// Text of a trace made safe for a terminal: control characters (a name could hold escape
/// sequences) become visible as \n, \t or \x1b. UTF-8 passes.
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

/// Rows in aligned columns, fitted to a width:
/// flexible columns are shortened down to kMinFlexible; if that is not enough, the columns with the
/// highest `drop_order` disappear first, and hidden() names them so that the caller can say so.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right_aligned = false;
    bool flexible = false;  ///< long text: may be shortened
    int drop_order = 0;     ///< 0 = never dropped
  };
  static constexpr std::size_t kMinFlexible = 24;
  static constexpr std::size_t kGap = 2;  ///< spaces between columns

  explicit TextTable(std::vector<Column> columns, std::size_t indent = 0)
      : columns_(std::move(columns)), indent_(indent) {}

  /// One cell per column; passes through printable().
  void add_row(std::vector<std::string> cells);
  /// Writes the header line and all rows, fitted to `width` as far as possible.
  void print(Output& out, std::size_t width);
  /// Titles of the columns that print() left out.
  const std::vector<std::string>& hidden() const { return hidden_; }

 private:
  std::vector<std::size_t> fit(std::size_t width);
  void print_line(Output& out, const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> hidden_;
  std::size_t indent_ = 0;
};

}  // namespace lacuna
