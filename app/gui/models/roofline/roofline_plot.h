#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/roofline/roofline.h"

namespace lacuna {

/// What a row is placed by: what the hardware has to do (OperatorWork::physical where there is one), so that the
/// distance to the roof is RooflineRow::roof_share. A copy computes nothing: it keeps the FLOP of the convention, which
/// move it along the memory's roof alone.
Work placed_work(const RooflineRow& row);

/// A row of a roofline in the plot.
struct RooflineDot {
  std::uint32_t row = 0;  ///< of those given
  double x = 0;           ///< log10 of FLOP per byte
  double y = 0;           ///< log10 of FLOP/s
};

/// What one kind of units can do at best, and the memory of the same GPU.
struct RooflineRoof {
  double tflops = 0;
  double gigabytes = 0;  ///< a second
  FlopType type = FlopType::kFp32;
  bool operator==(const RooflineRoof&) const = default;

  double top() const;    ///< log10 of FLOP/s
  double slope() const;  ///< log10 of the bytes a second: the memory's roof is y = x + this
  /// log10 of the FLOP per byte at which it takes over from the memory.
  double ridge() const { return top() - slope(); }
};

/// Where the dots and roofs of a log-log plot stand.
struct RooflinePlot {
  static constexpr std::size_t kMostDots = 2'000;

  std::vector<RooflineDot> dots;    ///< the most GPU time first
  std::vector<RooflineRoof> roofs;  ///< that rows with dots are under, each once, the highest first
  std::size_t without_place = 0;    ///< rows that compute or move nothing, or did not run on a GPU
  std::size_t left_out = 0;         ///< rows beyond kMostDots
  /// What the axes reach over, log10: all dots and roofs, with some room beside them.
  double x_low = -1, x_high = 3;
  double y_low = 9, y_high = 15;
};

/// `rows`: the most GPU time first. O(rows).
RooflinePlot plot_roofline(std::span<const RooflineRow> rows);

}  // namespace lacuna
