#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna {

/// An axis of numbers: its range and its ticks.
struct PlotAxis {
  double low = 0;
  double high = 1;  ///< > low
  double step = 1;  ///< between ticks, which are its multiples: 1, 2 or 5 times a power of ten

  /// Maps a value to its position: 0 at low, 1 at high.
  double part(double value) const { return (value - low) / (high - low); }
  std::vector<double> ticks() const;
};

/// How an axis ends: at a tick, including 0 if that takes up less than half of it; or at the values themselves.
enum class PlotEnds : std::uint8_t { kAtTicks, kAtValues };

/// Returns the axis for values between `least` and `most` (finite), with at most about `most_ticks` ticks.
PlotAxis plot_axis(double least, double most, int most_ticks, PlotEnds ends = PlotEnds::kAtTicks);

/// A point of a plot, in pixels from its upper left corner.
struct PlotPoint {
  float x = 0, y = 0;
  std::uint32_t row = 0;     ///< index of the value
  std::uint32_t folded = 1;  ///< number of values on the same pixel
};

/// Returns the points of values, in their order, without those that are not finite or beyond the axes. Of several on
/// one pixel the first represents all. Pure; O(values).
std::vector<PlotPoint> layout_plot(std::span<const double> xs, std::span<const double> ys, const PlotAxis& x_axis,
                                   const PlotAxis& y_axis, float width_px, float height_px);

/// Returns the point nearest to a position, at most `reach` away; null: there is none.
const PlotPoint* plot_point_at(std::span<const PlotPoint> points, float x, float y, float reach);

}  // namespace lacuna
