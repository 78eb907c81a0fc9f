#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/seeded_hash.h"

namespace lacuna {

/// Numbers the texts of a JobRank while it is filled: equal texts get equal numbers; 0 is the empty text.
class FactTexts {
 public:
  /// `texts` is appended to and must outlive this.
  explicit FactTexts(std::vector<std::string>& texts) : texts_(texts) {
    for (std::uint32_t i = 0; i < texts_.size(); ++i) numbers_.emplace(texts_[i], i);
  }

  std::uint32_t add(std::string_view text) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.emplace_back(text);
    return at->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::uint32_t, SeededHash> numbers_;
};

}  // namespace lacuna
