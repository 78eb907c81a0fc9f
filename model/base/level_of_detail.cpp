#include "model/base/level_of_detail.h"

#include <algorithm>

namespace lacuna {

LongestIndex::LongestIndex(std::span<const Nanos> durations) {
  // A level is worth having when it has more than one block.
  for (std::size_t below = durations.size(); below > kFanout; below = levels_.back().size()) {
    std::vector<std::uint32_t> level;
    level.reserve((below + kFanout - 1) / kFanout);
    const auto entry = [&](std::size_t k) {
      return levels_.empty() ? static_cast<std::uint32_t>(k) : levels_.back()[k];
    };
    for (std::size_t first = 0; first < below; first += kFanout) {
      std::uint32_t best = entry(first);
      for (std::size_t k = first + 1; k < std::min(first + kFanout, below); ++k)
        if (durations[entry(k)] > durations[best]) best = entry(k);
      level.push_back(best);
    }
    levels_.push_back(std::move(level));
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
