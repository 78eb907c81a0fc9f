#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lacuna {

/// How well a text fits what the user typed.
struct FuzzyMatch {
  int score = 0;                         ///< higher is better
  std::vector<std::uint32_t> positions;  ///< bytes of the text that matched, ascending
};

/// Whether the letters of `typed` occur in `text` in that order, whatever their case; blanks in `typed`
/// are passed over. Of several ways the best is taken: beginnings of words and unbroken runs count more
/// than letters here and there ("zi" finds "Zoom In" before "resizing"), and whole words most ("zoom" finds "Normal
/// zoom" before "Zooming"). Nothing typed fits all with score 0. O(typed * text); at most the first 64 characters of
/// `typed` and 512 of `text` are looked at.
std::optional<FuzzyMatch> fuzzy_match(std::string_view typed, std::string_view text);

}  // namespace lacuna
