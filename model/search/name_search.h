#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/string_pool.h"

namespace lacuna {

/// The strings of a pool in lower case, in one piece, so that looking for a part of a name in all of
/// them runs at the speed of memory. As large as the pool's text. Immutable; any thread.
class NameSearch {
 public:
  NameSearch() = default;
  /// O(text).
  explicit NameSearch(const StringPool& strings);

  /// By StringId: 1 where the string contains every word (which are in lower case), else 0. No words:
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
