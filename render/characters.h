#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// The characters of texts for which the window's own typefaces may have no glyphs: all beyond Latin, Greek and
/// Cyrillic letters and common punctuation. O(bytes); a text of ASCII alone costs next to nothing. Bytes that are no
/// UTF-8 are passed over. Not for several threads at once.
class UncommonCharacters {
 public:
  /// More are not kept: a texture has no room for all of Unicode.
  static constexpr std::size_t kMost = 4000;

  void add(std::string_view text);
  /// Ascending, each once.
  std::u32string sorted() const;

 private:
  std::vector<bool> known_;  // by character; empty = none was found yet
  std::u32string found_;
};

}  // namespace lacuna
