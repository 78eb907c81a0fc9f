#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// Finds the longest slice among indices [first, last) in O(log n), so that a pixel
/// that covers thousands of slices can show the colour of the longest.
///
/// A pyramid over blocks: level 0 holds for each block of kFanout slices the index of its longest,
/// level k for each block of kFanout entries of level k-1. Memory: about 4/15 bytes a slice.
class LongestIndex {
 public:
  static constexpr std::uint32_t kFanout = 16;

  LongestIndex() = default;
  explicit LongestIndex(std::span<const Nanos> durations);
  /// Returns the index of the longest slice of [first, last), the earliest of equal ones. first < last.
  std::uint32_t longest(std::uint32_t first, std::uint32_t last, const Nanos* durations) const;
  std::size_t memory_bytes() const;

 private:
  friend class TraceCodec;
  std::vector<std::vector<std::uint32_t>> levels_;
};

/// The same pyramid in memory owned elsewhere, for lanes that grow while other threads read them: an entry is
/// written once, when its block is complete, and read only by threads that see all slices of the block.
class GrowingLongest {
 public:
  /// The number of bytes for `slices` slices: 4/15 each.
  static std::size_t bytes_for(std::uint32_t slices);
  /// Stores the entries at `at`, which has bytes_for(slices) bytes, suitably aligned.
  void lie_at(std::uint32_t* at, std::uint32_t slices);
  /// Adds slice `i`, which must be the next one.
  void append(std::uint32_t i, const Nanos* durations) {
    if ((i + 1) % LongestIndex::kFanout == 0) complete(i + 1, durations);
  }
  std::uint32_t longest(std::uint32_t first, std::uint32_t last, const Nanos* durations) const;

 private:
  static constexpr std::size_t kMostLevels = 8;
  void complete(std::uint32_t count, const Nanos* durations);
  std::array<std::uint32_t*, kMostLevels> levels_{};
  std::size_t level_count_ = 0;
};

/// Walks up a pyramid whose entry levels[k][b] is an index within the block [b, b + 1) * kFanout^(k + 1) of a row:
/// calls take(index) for the few indices that represent all of [first, last). Skips entries whose blocks are not
/// entirely in the range, or are not below known(k).
template <std::uint32_t kFanout, class Levels, class Known, class Take>
void climb_levels(const Levels& levels, std::size_t level_count, std::uint32_t first, std::uint32_t last, Known&& known,
                  Take&& take) {
  std::uint32_t low = first;
  std::uint32_t high = last;
  for (std::size_t level = 0;; ++level) {
    const auto entry = [&](std::uint32_t k) { return level == 0 ? k : levels[level - 1][k]; };
    const std::uint32_t block_low = (low + kFanout - 1) / kFanout;
    const std::uint32_t block_high = level == level_count ? 0 : std::min(high / kFanout, known(level));
    if (block_low >= block_high) {
      for (std::uint32_t k = low; k < high; ++k) take(entry(k));
      return;
    }
    // Takes the entries outside whole blocks; the blocks inside are handled one level higher.
    for (std::uint32_t k = low; k < block_low * kFanout; ++k) take(entry(k));
    for (std::uint32_t k = block_high * kFanout; k < high; ++k) take(entry(k));
    low = block_low;
    high = block_high;
  }
}

/// longest() for pyramids that have all whole blocks of the row.
template <class Levels, class Durations>
std::uint32_t longest_of_levels(const Levels& levels, std::size_t level_count, std::uint32_t first, std::uint32_t last,
                                const Durations& durations) {
  std::uint32_t best = first;
  climb_levels<LongestIndex::kFanout>(
      levels, level_count, first, last, [](std::size_t) { return std::numeric_limits<std::uint32_t>::max(); },
      [&](std::uint32_t candidate) {
        if (durations[candidate] > durations[best] || (durations[candidate] == durations[best] && candidate < best))
          best = candidate;
      });
  return best;
}

/// One run of pixels of a lane: a slice, or several folded into one.
struct LaneRun {
  std::uint32_t first = 0;    ///< first slice index
  std::uint32_t last = 0;     ///< one past the last; last - first > 1 when slices were folded
  std::uint32_t longest = 0;  ///< the slice whose colour and label are shown
};

/// Walks the slices of a row that overlap `view` and folds those too small to be drawn one by one:
/// a slice of at least `fold_ns` is a run of its own; neighbours shorter than that are folded
/// together while they start within one cell of the fixed grid of width `fold_ns` that is anchored
/// at `grid_origin` (anchored, so that runs do not flicker while panning).
/// Calls visit(LaneRun) in ascending order, at most 2 * view/fold_ns + 3 times;
/// cost O(runs * log n), independent of the number of slices. fold_ns >= 1.
///
/// Row is a Lane, or any type that is sorted along time and has Lane's functions
/// start, duration, first_visible_from, first_starting_from and longest.
template <class Row, class Visit>
void for_each_run(const Row& row, TimeSpan view, Nanos fold_ns, Nanos grid_origin, Visit&& visit) {
  std::uint32_t i = row.first_visible_from(view.begin);
  const std::uint32_t end = row.first_starting_from(view.end, i);
  while (i < end) {
    if (row.duration(i) >= fold_ns) {
      visit(LaneRun{i, i + 1, i});
      ++i;
      continue;
    }
    // Fold up to the end of this slice's grid cell, but never over a slice that deserves a run.
    Nanos into_cell = saturating_sub(row.start(i), grid_origin) % fold_ns;
    if (into_cell < 0) into_cell += fold_ns;
    const Nanos cell_end = saturating_add(row.start(i), fold_ns - into_cell);
    std::uint32_t last = std::min(end, row.first_starting_from(cell_end, i + 1));
    // Only the last slice that starts in the cell can be longer than the cell.
    if (last - i > 1 && row.duration(last - 1) >= fold_ns) --last;
    visit(LaneRun{i, last, last - i == 1 ? i : row.longest(i, last)});
    i = last;
  }
}

}  // namespace lacuna
