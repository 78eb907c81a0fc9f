#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lacuna {

/// Searches a text for many parts at once (Aho and Corasick, 1975): one step per character, however many parts.
/// ASCII letters compare case-insensitively. A part that begins with '^' matches at the text's beginning only,
/// one that ends with '$' at its end only.
///
/// Of the parts that end at one character only the longest counts: a part "fbgemm" hides "gemm" inside it.
///
/// Keeps no reference to its input. About 90 bytes per character of the parts. Immutable; any thread.
class PartFinder {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit PartFinder(std::span<const std::string_view> parts);

  /// Returns the lowest index of a part that `text` contains; kNone if there is none. O(text).
  std::size_t first(std::string_view text) const;

 private:
  /// a … z, 0 … 9, '_', ':', '<', beginning, end, and one for all others.
  static constexpr std::size_t kSymbols = 42;
  static constexpr std::uint8_t kBegin = 39, kEnd = 40, kOther = 41;
  static std::uint8_t symbol(char c);

  struct Node {
    std::array<std::uint16_t, kSymbols> next{};
    std::uint16_t part = 0;  ///< index + 1 of the longest part that ends here; 0: none
  };
  std::vector<Node> nodes_;
};

}  // namespace lacuna
