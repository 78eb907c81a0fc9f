#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lacuna {

/// Looks for many parts in a text at once (Aho and Corasick, 1975): one step a character, however many parts there are.
/// ASCII letters are equal whatever their case. A part that begins with '^' is found at the text's beginning only,
/// one that ends with '$' at its end only.
///
/// Of the parts that end at one character only the longest counts: a part "fbgemm" keeps "gemm" from being found in it.
///
/// Keeps nothing of what it was built of. About 90 bytes a character of the parts. Immutable; any thread.
class PartFinder {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit PartFinder(std::span<const std::string_view> parts);

  /// The lowest index of a part that `text` contains; kNone where it has none. O(text).
  std::size_t first(std::string_view text) const;

 private:
  /// a … z, 0 … 9, '_', ':', '<', beginning, end, and all others as one.
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
