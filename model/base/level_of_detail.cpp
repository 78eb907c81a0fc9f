#include "model/base/level_of_detail.h"

#include <algorithm>

namespace lacuna {

void LongestIndex::enter(std::uint32_t i, Nanos duration, const Nanos* durations) {
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
  return longest_of_levels(levels_, levels_.size(), first, last, durations);
}

std::size_t GrowingLongest::bytes_for(std::uint32_t slices) {
  std::size_t entries = 0;
  for (std::size_t level = 0; level < kMostLevels && (slices /= LongestIndex::kFanout) > 0; ++level) entries += slices;
  return entries * sizeof(std::uint32_t);
}

void GrowingLongest::lie_at(std::uint32_t* at, std::uint32_t slices) {
  level_count_ = 0;
  while (level_count_ < kMostLevels && (slices /= LongestIndex::kFanout) > 0) {
    levels_[level_count_++] = at;
    at += slices;
  }
}

/// `count` slices are there, and complete a block at least.
void GrowingLongest::complete(std::uint32_t count, const Nanos* durations) {
  for (std::size_t level = 0; level < level_count_ && count % LongestIndex::kFanout == 0; ++level) {
    const std::uint32_t first = count - LongestIndex::kFanout;
    std::uint32_t best = level == 0 ? first : levels_[level - 1][first];
    for (std::uint32_t k = first + 1; k < count; ++k) {
      const std::uint32_t candidate = level == 0 ? k : levels_[level - 1][k];
      if (durations[candidate] > durations[best]) best = candidate;
    }
    count /= LongestIndex::kFanout;
    levels_[level][count - 1] = best;
  }
}

std::uint32_t GrowingLongest::longest(std::uint32_t first, std::uint32_t last, const Nanos* durations) const {
  return longest_of_levels(levels_, level_count_, first, last, durations);
}

std::size_t LongestIndex::memory_bytes() const {
  std::size_t sum = 0;
  for (const auto& level : levels_) sum += level.capacity() * sizeof(std::uint32_t);
  return sum;
}

}  // namespace lacuna
