#include "render/camera.h"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

/// A whole number in a double as Nanos, clamped.
Nanos to_nanos(double whole) {
  // 2^63 is the first double above every Nanos; NaN goes to 0.
  if (whole >= 9223372036854775808.0) return kMaxNanos;
  if (whole <= -9223372036854775808.0) return kMinNanos;
  return std::isnan(whole) ? 0 : static_cast<Nanos>(whole);
}

double clamp_scale(double ns_per_px) {
  if (std::isnan(ns_per_px)) return Camera::kMaxNsPerPx;
  return std::clamp(ns_per_px, Camera::kMinNsPerPx, Camera::kMaxNsPerPx);
}

/// b - a as a double without overflow. Exact below 2^53.
double distance(Nanos a, Nanos b) {
  Nanos exact = 0;
  if (!__builtin_sub_overflow(b, a, &exact)) return static_cast<double>(exact);
  return static_cast<double>(b) - static_cast<double>(a);
}

/// What to show of `span`: itself, or the microsecond around an empty one.
TimeSpan not_empty(TimeSpan span) {
  constexpr Nanos kHalf = 500;
  if (!span.empty()) return span;
  const Nanos at = span == TimeSpan::nothing() ? 0 : span.begin;
  return {saturating_sub(at, kHalf), saturating_add(at, kHalf)};
}

}  // namespace

void Camera::move(double high, double low) {
  // floor() and the subtraction of whole numbers are exact, so only the sum of the three
  // fractions rounds, and those are small.
  const double high_whole = std::floor(high);
  const double low_whole = std::floor(low);
  const double fraction = begin_fraction_ + (high - high_whole) + (low - low_whole);
  const double carry = std::floor(fraction);
  // In halves (exact where it matters): from one end of time to the other is more than a Nanos.
  const double half = std::floor(high_whole / 2);
  begin_ns_ = saturating_add(begin_ns_, to_nanos(half));
  begin_ns_ = saturating_add(begin_ns_, to_nanos(high_whole - half));
  begin_ns_ = saturating_add(begin_ns_, to_nanos(low_whole + carry));
  begin_fraction_ = fraction - carry;
  if (!(begin_fraction_ >= 0.0 && begin_fraction_ < 1.0)) begin_fraction_ = 0.0;
}

Camera Camera::at(Nanos begin, double begin_fraction, double ns_per_px) {
  Camera camera;
  camera.begin_ns_ = begin;
  camera.ns_per_px_ = clamp_scale(ns_per_px);
  camera.move(begin_fraction, 0.0);
  return camera;
}

Camera Camera::fit(TimeSpan span, double width_px, double margin) {
  span = not_empty(span);
  const double used_px = std::max(1.0, width_px * (1.0 - 2.0 * margin));
  Camera camera = at(span.begin, 0.0, distance(span.begin, span.end) / used_px);
  // Centred, which also holds where the scale was clamped.
  const double shown_px = distance(span.begin, span.end) / camera.ns_per_px_;
  return camera.panned((shown_px - width_px) / 2);
}

double Camera::x_of(Nanos t) const {
  return (distance(begin_ns_, t) - begin_fraction_) / ns_per_px_;
}

Nanos Camera::time_at(double x_px) const {
  Camera moved = *this;
  return moved.panned(x_px).begin_ns_;
}

TimeSpan Camera::visible(double width_px) const {
  const Camera right = panned(width_px);
  return {begin_ns_, right.begin_fraction_ > 0.0 ? saturating_add(right.begin_ns_, 1) : right.begin_ns_};
}

Camera Camera::zoomed_at(double x_px, double factor) const {
  Camera result = *this;
  result.ns_per_px_ = clamp_scale(ns_per_px_ / factor);
  // begin' = begin + x * (old - new); difference and product each as a pair (value, error).
  const double old_scale = ns_per_px_;
  const double new_scale = result.ns_per_px_;
  const double difference = old_scale - new_scale;
  const double b = difference - old_scale;
  const double difference_error = (old_scale - (difference - b)) - (new_scale + b);
  const double product = x_px * difference;
  const double product_error = std::fma(x_px, difference, -product) + x_px * difference_error;
  result.move(product, product_error);
  return result;
}

Camera Camera::panned(double dx_px) const {
  Camera result = *this;
  const double product = dx_px * ns_per_px_;
  result.move(product, std::fma(dx_px, ns_per_px_, -product));
  return result;
}

Camera Camera::clamped(TimeSpan limits, double width_px) const {
  if (width_px <= 0) return *this;
  limits = not_empty(limits);
  const Camera widest = fit(limits, width_px, kOuterMargin);
  if (ns_per_px_ > widest.ns_per_px_) return widest;
  Camera result = *this;
  // Twice, because x_of is exact only near the view, and the first step goes there.
  for (int round = 0; round < 2; ++round) {
    const double first = result.x_of(limits.begin);
    if (first > width_px / 2) result = result.panned(first - width_px / 2);
    const double last = result.x_of(limits.end);
    if (last < width_px / 2) result = result.panned(last - width_px / 2);
  }
  return result;
}

}  // namespace lacuna
