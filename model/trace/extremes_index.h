#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna {

/// Finds the greatest (least) value among indices [first, last) in O(log n), so that a
/// pixel over thousands of counter samples still shows the peak.
///
/// A pyramid over blocks, like LongestIndex. An index over fewer values than the query's (even an empty
/// one) gives the same answers and only costs more. NaN never wins over a number.
class ExtremesIndex {
 public:
  /// Adds the values beyond those added before.
  void extend(std::span<const double> values);
  /// Requires first < last <= values.size(); of equal values the earliest.
  std::uint32_t greatest(std::uint32_t first, std::uint32_t last, std::span<const double> values) const;
  std::uint32_t least(std::uint32_t first, std::uint32_t last, std::span<const double> values) const;

 private:
  static constexpr std::uint32_t kFanout = 16;
  /// levels[k][b]: index of the winner among the values [b, b + 1) * kFanout^(k + 1).
  /// Complete blocks only.
  using Levels = std::vector<std::vector<std::uint32_t>>;

  template <class Wins>
  static void extend(Levels& levels, std::span<const double> values, Wins wins);
  template <class Wins>
  static std::uint32_t find(const Levels& levels, std::uint32_t first, std::uint32_t last,
                            std::span<const double> values, Wins wins);

  Levels greatest_;
  Levels least_;
};

}  // namespace lacuna
