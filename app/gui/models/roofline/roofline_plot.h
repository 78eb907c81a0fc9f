#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/roofline/roofline.h"

namespace lacuna {

/// Returns the work that places a row: the hardware's work (OperatorWork::physical if known), so that the distance to
/// the roof is RooflineRow::roof_share. A copy computes nothing: it keeps the FLOP of the convention, which move it
/// only along the memory's roof.
Work placed_work(const RooflineRow& row);

/// A row of a roofline in the plot.
struct RooflineDot {
  std::uint32_t row = 0;  ///< index in the given rows
  double x = 0;           ///< log10 of FLOP per byte
  double y = 0;           ///< log10 of FLOP/s
};

/// The peak rate of one kind of compute unit, and the memory bandwidth of the same GPU.
struct RooflineRoof {
  double tflops = 0;
  double gigabytes = 0;  ///< GB per second
  FlopType type = FlopType::kFp32;
  bool operator==(const RooflineRoof&) const = default;

  double top() const;    ///< log10 of FLOP/s
  double slope() const;  ///< log10 of bytes/s: the memory roof is y = x + slope
  /// Returns the log10 of the FLOP per byte where compute roof and memory roof meet.
  double ridge() const { return top() - slope(); }
};

/// The positions of dots and roofs in a log-log plot.
struct RooflinePlot {
  static constexpr std::size_t kMostDots = 2'000;

  std::vector<RooflineDot> dots;    ///< most GPU time first
  std::vector<RooflineRoof> roofs;  ///< the roofs above rows with dots, each once, highest first
  std::size_t without_place = 0;    ///< rows not drawn as they compute or move nothing, or did not run on a GPU
  std::size_t left_out = 0;         ///< rows beyond kMostDots
  /// Range of the axes, log10: contains all dots and roofs, with some margin.
  double x_low = -1, x_high = 3;
  double y_low = 9, y_high = 15;
};

/// `rows`: most GPU time first. O(rows).
RooflinePlot plot_roofline(std::span<const RooflineRow> rows);

}  // namespace lacuna
