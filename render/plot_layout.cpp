#include "render/plot_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace lacuna {
namespace {

double nice_number_step(double at_least) {
  const double power = std::pow(10.0, std::floor(std::log10(at_least)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= at_least * (1 - 1e-9)) return times * power;
  return 10 * power;
}

}  // namespace

std::vector<double> PlotAxis::ticks() const {
  constexpr double kMost = 1000;
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  // Steps below the doubles' own at that size have no ticks.
  if (!(last - first < kMost)) return out;
  for (double i = first; i <= last; ++i) out.push_back(i * step);
  return out;
}

PlotAxis plot_axis(double least, double most, int most_ticks, PlotEnds ends) {
  PlotAxis axis;
  if (least > most) std::swap(least, most);
  const bool at_ticks = ends == PlotEnds::kAtTicks;
  if (at_ticks && least > 0 && least < most / 2) least = 0;
  if (at_ticks && most < 0 && most > least / 2) most = 0;
  if (least == most) {
    const double room = least == 0 ? 1 : std::fabs(least) * 0.5;
    least -= room;
    most += room;
  }
  // Halves first: the whole may be beyond the doubles.
  const double half = most / 2 - least / 2;
  axis.step = nice_number_step(std::max(half / std::max(1, most_ticks - 1) * 2, 1e-300));
  axis.low = std::floor(least / axis.step) * axis.step;
  axis.high = std::ceil(most / axis.step) * axis.step;
  if (!at_ticks || !(axis.low < axis.high) || !std::isfinite(axis.high - axis.low)) {
    axis.low = least;
    axis.high = most;
  }
  return axis;
}

std::vector<PlotPoint> layout_plot(std::span<const double> xs, std::span<const double> ys, const PlotAxis& x_axis,
                                   const PlotAxis& y_axis, float width_px, float height_px) {
  std::vector<PlotPoint> points;
  std::unordered_map<std::uint64_t, std::size_t> taken;
  const std::size_t count = std::min(xs.size(), ys.size());
  for (std::size_t row = 0; row < count; ++row) {
    const double across = x_axis.part(xs[row]);
    const double up = y_axis.part(ys[row]);
    if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1)) continue;
    PlotPoint point;
    point.x = static_cast<float>(across) * width_px;
    point.y = (1 - static_cast<float>(up)) * height_px;
    point.row = static_cast<std::uint32_t>(row);
    const std::uint64_t pixel = static_cast<std::uint64_t>(point.x) << 32 | static_cast<std::uint32_t>(point.y);
    const auto place = taken.try_emplace(pixel, points.size());
    if (place.second) {
      points.push_back(point);
    } else {
      ++points[place.first->second].folded;
    }
  }
  return points;
}

const PlotPoint* plot_point_at(std::span<const PlotPoint> points, float x, float y, float reach) {
  const PlotPoint* nearest = nullptr;
  float distance = reach * reach;
  for (const PlotPoint& point : points) {
    const float dx = point.x - x, dy = point.y - y;
    const float away = dx * dx + dy * dy;
    if (away > distance) continue;
    distance = away;
    nearest = &point;
  }
  return nearest;
}

}  // namespace lacuna
