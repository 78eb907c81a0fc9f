#pragma once

#include "model/base/time.h"

namespace lacuna {

/// Maps time to pixels of the timeline's drawing area. A value: every operation returns a new
/// camera for the caller to adopt (so undo is a list of cameras).
///
///   x_px = (t - begin_ns - begin_fraction) / ns_per_px
///
/// The begin is an integer with a separate fraction, so that one nanosecond differs from the
/// next at any zoom in a week-long trace: a double alone would have a step of 256 ns at Unix times.
/// Products of pixels and ns_per_px keep their rounding error (two doubles), so that zooming from a
/// week to a picosecond per pixel in one step does not move the time under the cursor.
class Camera {
 public:
  static constexpr double kMinNsPerPx = 0.001;
  static constexpr double kMaxNsPerPx = 4e16;  ///< all of Nanos on 500 pixels
  /// Fraction of the width that clamped() leaves free on both sides of the whole trace.
  static constexpr double kOuterMargin = 0.1;

  Camera() = default;
  /// Places `begin` + `begin_fraction` ns at x = 0. The scale is clamped to the limits above.
  static Camera at(Nanos begin, double begin_fraction, double ns_per_px);
  /// Shows `span` on `width_px` pixels, with `margin` (a fraction of the width) free on both sides.
  /// An empty span is shown as the microsecond around it.
  static Camera fit(TimeSpan span, double width_px, double margin = 0.0);

  double x_of(Nanos t) const;        ///< may be far outside [0, width]
  Nanos time_at(double x_px) const;  ///< floor, saturating
  double ns_per_px() const { return ns_per_px_; }
  Nanos begin() const { return begin_ns_; }
  double begin_fraction() const { return begin_fraction_; }  ///< [0, 1) ns after begin()
  TimeSpan visible(double width_px) const;                   ///< includes partly visible pixels

  /// Zooms by `factor` (> 1 = closer) and keeps the time under `x_px` in place.
  Camera zoomed_at(double x_px, double factor) const;
  /// Moves the view by `dx_px` pixels to the right (later times come into view if positive).
  Camera panned(double dx_px) const;
  /// Keeps the view within reach of `limits`: never further out than the whole trace plus a margin
  /// (kOuterMargin), never beyond either end by more than half the width.
  Camera clamped(TimeSpan limits, double width_px) const;

  bool operator==(const Camera&) const = default;

 private:
  /// Moves the begin by high + low ns, exact to 1e-16 ns.
  void move(double high, double low);

  Nanos begin_ns_ = 0;
  double begin_fraction_ = 0.0;  // [0, 1): nanoseconds to add to begin_ns_
  double ns_per_px_ = 1000.0;
};

}  // namespace lacuna
