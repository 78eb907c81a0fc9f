#include "app/gui/models/roofline/roofline_plot.h"

#include <algorithm>
#include <cmath>

#include "model/base/stable_sort.h"

namespace lacuna {

double RooflineRoof::top() const {
  return std::log10(tflops * 1e12);
}

double RooflineRoof::slope() const {
  return std::log10(gigabytes * 1e9);
}

Work placed_work(const RooflineRow& row) {
  Work work = row.work.physical.value_or(row.work.work);
  if (work.flop <= 0) work.flop = row.work.work.flop;
  return work;
}

RooflinePlot plot_roofline(std::span<const RooflineRow> rows) {
  RooflinePlot plot;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const RooflineRow& row = rows[r];
    const Work work = placed_work(row);
    if (!(work.flop > 0) || !(work.bytes > 0) || row.gpu_time <= 0) {
      ++plot.without_place;
      continue;
    }
    if (plot.dots.size() == RooflinePlot::kMostDots) {
      ++plot.left_out;
      continue;
    }
    plot.dots.push_back({r, std::log10(work.flop / work.bytes), std::log10(row.per_second(work.flop))});
    const RooflineRoof roof{row.peak_tflops, row.peak_gigabytes, row.unit_type()};
    if (roof.tflops > 0 && roof.gigabytes > 0 && std::ranges::find(plot.roofs, roof) == plot.roofs.end())
      plot.roofs.push_back(roof);
  }
  if (plot.dots.empty()) return plot;
  sort_stably(plot.roofs, std::ranges::greater{}, &RooflineRoof::tflops);
  const auto [left, right] = std::ranges::minmax_element(plot.dots, {}, &RooflineDot::x);
  const auto [bottom, top] = std::ranges::minmax_element(plot.dots, {}, &RooflineDot::y);
  double x_low = left->x, x_high = right->x, y_low = bottom->y, y_high = top->y;
  for (const RooflineRoof& roof : plot.roofs) {
    x_low = std::min(x_low, roof.ridge());
    x_high = std::max(x_high, roof.ridge());
    y_low = std::min(y_low, roof.top());
    y_high = std::max(y_high, roof.top());
  }
  // Some room, also where all dots and roofs are at one place.
  constexpr double kRoom = 0.1;
  plot.x_low = x_low - kRoom;
  plot.x_high = x_high + kRoom;
  plot.y_low = y_low - kRoom;
  plot.y_high = y_high + kRoom;
  return plot;
}

}  // namespace lacuna
