#pragma once
// Time throughout the program: signed 64-bit nanoseconds, half-open intervals.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace lacuna {

/// A point in time or a duration in nanoseconds. Points lie in the time domain of the trace file:
/// exactly `ts * 1000` of the event (never through a double; see parse_micros in import/decimal.h).
/// `TraceSource::base_time_ns` added to a point gives the Unix time where the file states a base.
using Nanos = std::int64_t;

inline constexpr Nanos kMaxNanos = std::numeric_limits<Nanos>::max();
inline constexpr Nanos kMinNanos = std::numeric_limits<Nanos>::min();

/// a + b, clamped to the range of Nanos instead of overflowing, so that no input can make time wrap.
constexpr Nanos saturating_add(Nanos a, Nanos b) {
  Nanos sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kMaxNanos : kMinNanos;
}

/// a - b, clamped as well.
constexpr Nanos saturating_sub(Nanos a, Nanos b) {
  Nanos difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b > 0 ? kMinNanos : kMaxNanos;
}

/// Half-open interval [begin, end). Empty when end <= begin.
struct TimeSpan {
  Nanos begin = 0;
  Nanos end = 0;

  constexpr bool empty() const { return end <= begin; }
  constexpr Nanos duration() const { return empty() ? 0 : saturating_sub(end, begin); }
  constexpr bool contains(Nanos t) const { return begin <= t && t < end; }
  constexpr bool overlaps(TimeSpan o) const { return begin < o.end && o.begin < end; }
  constexpr TimeSpan intersect(TimeSpan o) const { return {std::max(begin, o.begin), std::min(end, o.end)}; }
  /// Returns the smallest span that covers both; an empty span with begin > end is the neutral element.
  constexpr TimeSpan unite(TimeSpan o) const { return {std::min(begin, o.begin), std::max(end, o.end)}; }
  constexpr bool operator==(const TimeSpan&) const = default;

  /// The neutral element of unite(): covers nothing.
  static constexpr TimeSpan nothing() { return {kMaxNanos, kMinNanos}; }
  static constexpr TimeSpan everything() { return {kMinNanos, kMaxNanos}; }
};

}  // namespace lacuna
