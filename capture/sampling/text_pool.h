#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "model/base/seeded_hash.h"

namespace lacuna {

/// Interned texts with stable addresses for the life of the pool: equal texts have the same address. One thread adds;
/// other threads may read the texts that it returned.
class TextPool {
 public:
  std::string_view add(std::string_view text) {
    if (const auto found = texts_.find(text); found != texts_.end()) return *found;
    return *texts_.emplace(text).first;
  }

 private:
  struct Hash : SeededHash {
    using is_transparent = void;
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> texts_;
};

}  // namespace lacuna
