#pragma once

#include <cstdint>
#include <vector>

#include "capture/wire/segment.h"
#include "model/base/time.h"

namespace lacuna {

/// Converts clock values of captured processes to CLOCK_MONOTONIC and to trace times.
///
/// Tracks the time-stamp counter by triples taken about once a second: the mapping is piecewise linear,
/// continuous and ascending; each piece is aimed so that the error of the last one (crystal against
/// NTP) is corrected a second later. Integers only: at today's Unix time a double has steps of 256 ns.
/// A trace's zero is `base_ns`, a whole second of Unix time; CLOCK_REALTIME is read only once, so that
/// a change of the system clock does not shift later events. One thread at a time.
class ClockMap {
 public:
  /// `first` and `second` are taken some ms apart, to measure the counter's rate.
  ClockMap(const wire::ClockTriple& first, const wire::ClockTriple& second);

  /// Adds a later triple. Steps of more than a millisecond (suspend) are applied at once.
  void add(const wire::ClockTriple& triple);

  std::uint64_t monotonic_of_tsc(std::uint64_t tsc) const;
  /// Unix time of the trace's zero.
  Nanos base_ns() const { return base_ns_; }
  /// Converts CLOCK_MONOTONIC ns to ns since base_ns(). Clamped, never overflows.
  Nanos trace_time(std::uint64_t monotonic_ns) const { return saturating_add(clamped(monotonic_ns), offset_ns_); }

 private:
  struct Line {
    std::uint64_t tsc = 0;
    std::uint64_t monotonic_ns = 0;
    std::uint64_t ns_per_tick = 0;  ///< scaled by 2^32
  };
  static Nanos clamped(std::uint64_t ns) {
    return ns > static_cast<std::uint64_t>(kMaxNanos) ? kMaxNanos : static_cast<Nanos>(ns);
  }
  static std::uint64_t follow(const Line& line, std::uint64_t tsc);

  wire::ClockTriple first_;
  std::vector<Line> lines_;
  Nanos base_ns_ = 0;
  Nanos offset_ns_ = 0;
};

}  // namespace lacuna
