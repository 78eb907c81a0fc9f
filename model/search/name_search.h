#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/string_pool.h"

namespace lacuna {

/// The strings of a pool in lower case, in one buffer, so that searching all of them for a substring
/// runs at memory speed. As large as the pool's text. Immutable; any thread.
class NameSearch {
 public:
  NameSearch() = default;
  /// O(text).
  explicit NameSearch(const StringPool& strings);

  /// Returns by StringId: 1 if the string contains every word (given in lower case), else 0. No words:
  /// 1 everywhere. O(text).
  std::vector<std::uint8_t> containing(const std::vector<std::string>& words) const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size()); }

 private:
  void find_containing(std::string_view word, std::vector<std::uint8_t>& found) const;
  void keep_containing(std::string_view word, std::vector<std::uint8_t>& found) const;
  std::uint32_t holder_of(std::size_t at, std::size_t from) const;

  std::string text_;  // each string followed by a '\0'
  std::vector<std::uint64_t> begins_;
};

}  // namespace lacuna
