#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Collects the characters in texts for which the window's own fonts may have no glyphs: all but Latin, Greek and
/// Cyrillic letters and common punctuation. O(bytes); ASCII text costs next to nothing. Invalid UTF-8 bytes
/// are skipped. Not thread-safe.
class UncommonCharacters {
 public:
  /// Most characters kept: a texture has no room for all of Unicode.
  static constexpr std::size_t kMost = 4000;

  void add(std::string_view text);
  /// Returns the characters, ascending, without duplicates.
  std::u32string sorted() const;

 private:
  std::vector<bool> known_;  // by character; empty = none found yet
  std::u32string found_;
};

}  // namespace lacuna
