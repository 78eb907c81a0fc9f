#include "model/base/level_of_detail.h"

#include <algorithm>

namespace lacuna {

void LongestIndex::append(std::uint32_t i, Nanos duration, const Nanos* durations) {
  std::uint32_t block = i;
  for (std::size_t level = 0;; ++level) {
    block /= kFanout;
    if (level == levels_.size()) {
      // A level is worth having once it has more than one block; its first entry then
      // summarises the whole level below.
      if (block == 0) return;
      levels_.emplace_back();
      std::uint32_t best = 0;
      for (std::uint32_t k = 0; k < kFanout; ++k) {
        const std::uint32_t candidate = level == 0 ? k : levels_[level - 1][k];
        if (durations[candidate] > durations[best]) best = candidate;
      }
      levels_[level].push_back(best);
    }
    auto& entries = levels_[level];
    if (block == entries.size()) {
      entries.push_back(i);
    } else if (duration > durations[entries[block]]) {
      entries[block] = i;
    }
  }
}

std::uint32_t LongestIndex::longest(std::uint32_t first, std::uint32_t last, const Nanos* durations) const {
  std::uint32_t best = first;
  const auto take = [&](std::uint32_t candidate) {
    if (durations[candidate] > durations[best] || (durations[candidate] == durations[best] && candidate < best)) {
      best = candidate;
    }
  };
  // At each level take the entries outside whole blocks, then climb with the blocks inside.
  std::uint32_t low = first;
  std::uint32_t high = last;
  for (std::size_t level = 0;; ++level) {
    const auto entry = [&](std::uint32_t k) { return level == 0 ? k : levels_[level - 1][k]; };
    const std::uint32_t block_low = (low + kFanout - 1) / kFanout;
    const std::uint32_t block_high = high / kFanout;
    if (level == levels_.size() || block_low >= block_high) {
      for (std::uint32_t k = low; k < high; ++k) take(entry(k));
      return best;
    }
    for (std::uint32_t k = low; k < block_low * kFanout; ++k) take(entry(k));
    for (std::uint32_t k = block_high * kFanout; k < high; ++k) take(entry(k));
    low = block_low;
    high = block_high;
  }
}

std::size_t LongestIndex::memory_bytes() const {
  std::size_t sum = 0;
  for (const auto& level : levels_) sum += level.capacity() * sizeof(std::uint32_t);
  return sum;
}

}  // namespace lacuna
