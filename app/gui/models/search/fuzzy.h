#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lacuna {

/// How well a text matches what the user typed.
struct FuzzyMatch {
  int score = 0;                         ///< higher is better
  std::vector<std::uint32_t> positions;  ///< bytes of the text that matched, ascending
};

/// Matches if the letters of `typed` occur in `text` in that order, ignoring case; blanks in `typed`
/// are skipped. Takes the best of several matches: beginnings of words and unbroken runs score higher
/// than scattered letters ("zi" finds "Zoom In" before "resizing"), and whole words highest ("zoom" finds "Normal
/// zoom" before "Zooming"). An empty `typed` matches everything with score 0. O(typed * text); uses only the first 64
/// characters of `typed` and 512 of `text`.
std::optional<FuzzyMatch> fuzzy_match(std::string_view typed, std::string_view text);

}  // namespace lacuna
