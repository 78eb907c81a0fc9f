#pragma once

#include <algorithm>

namespace lacuna {

/// Places the runs of one row in x, so that each is visible and none overlaps another.
///
/// A run narrower than `min_px` is widened to the right; the next one then starts at its end.
/// If that leaves less than half of `min_px` of a run, the two share a rectangle. No
/// edge moves by more than `min_px`, and there are at most 2 * width / min_px + 2 rectangles.
/// Runs must be ascending in x and clipped to [left, right].
class RunPlacer {
 public:
  struct Place {
    enum class Kind { kNew, kMerge, kOutside } kind = Kind::kOutside;
    double x0 = 0, x1 = 0;  ///< kMerge: x1 is the new end of the last rectangle
  };

  RunPlacer(double left, double right, double min_px)
      : left_(left), right_(right), min_px_(min_px), last_x1_(left - 1) {}

  /// Branch-free except for the last step: the case of a run cannot be predicted, and
  /// a frame has tens of thousands of runs.
  Place place(double x0, double x1) {
    if (x0 >= right_ || std::max(x1, x0 + min_px_) <= left_) [[unlikely]]
      return {};
    x0 = std::max(x0, left_);
    x1 = std::min(x1, right_);
    const double widened = std::min(std::max(x1, x0 + min_px_), right_);
    const double last = last_x1_;
    const bool is_free = x0 >= last;
    last_x1_ = std::max(is_free ? widened : x1, last);
    const bool is_new = is_free | (x1 - last >= min_px_ / 2);
    return {is_new ? Place::Kind::kNew : Place::Kind::kMerge, std::max(x0, last), last_x1_};
  }

 private:
  double left_, right_, min_px_;
  double last_x1_;
};

}  // namespace lacuna
