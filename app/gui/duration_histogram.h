#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/time.h"

namespace lacuna {

/// How often which duration occurs. Bins are [from, to), the last one includes its end; they are
/// equally wide, or, where the longest duration is more than kLogRatio times the shortest, equally
/// wide on a logarithmic scale.
struct DurationHistogram {
  static constexpr double kLogRatio = 20;

  struct Bin {
    Nanos from = 0;
    Nanos to = 0;
    std::uint64_t count = 0;
    Nanos total = 0;  ///< sum of the durations
  };
  /// One hump: the bins [first, last). Where two humps are, the name means two kinds of work.
  struct Mode {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t peak = 0;  ///< bin with the most slices
    std::uint64_t count = 0;
    Nanos total = 0;
  };

  std::vector<Bin> bins;
  std::vector<Mode> modes;  ///< ascending; together they cover all bins. Empty without durations
  std::uint64_t count = 0;
  std::uint64_t highest = 0;  ///< greatest count of a bin
  bool is_logarithmic = false;
};

/// Humps are parted at the lowest bin between two peaks where that is less than half of the lower
/// peak, and each has at least 5 % of the slices; counts are smoothed over three bins for that.
/// O(n + bins^2).
DurationHistogram make_histogram(const std::vector<Nanos>& durations, std::size_t bins = 40);

}  // namespace lacuna
