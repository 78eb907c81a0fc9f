#pragma once

#include <cstdint>
#include <vector>

#include "capture/wire/segment.h"
#include "model/base/time.h"

namespace lacuna {

/// Turns the clocks of captured processes into CLOCK_MONOTONIC and into times of the trace.
///
/// The time-stamp counter is followed with triples taken about once a second: a chain of straight
/// lines, continuous and ascending, each aimed so that what the last one was off (crystal against
/// NTP) is gone a second later. Integers only: at today's Unix time a double has steps of 256 ns.
/// A trace's zero is `base_ns`, a whole second of Unix time; CLOCK_REALTIME is read once, so that
/// a change of the system clock does not tear the trace. One thread at a time.
class ClockMap {
 public:
  /// `first` and `second`: some ms apart, to know the counter's rate.
  ClockMap(const wire::ClockTriple& first, const wire::ClockTriple& second);

  /// A later triple. Steps of more than a millisecond (suspend) are taken at once.
  void add(const wire::ClockTriple& triple);

  std::uint64_t monotonic_of_tsc(std::uint64_t tsc) const;
  /// Unix time of the trace's zero.
  Nanos base_ns() const { return base_ns_; }
  /// CLOCK_MONOTONIC ns to ns since base_ns(). Clamped, never overflows.
  Nanos trace_time(std::uint64_t monotonic_ns) const { return saturating_add(clamped(monotonic_ns), offset_ns_); }

 private:
  struct Line {
    std::uint64_t tsc = 0;
    std::uint64_t monotonic_ns = 0;
    std::uint64_t ns_per_tick = 0;  ///< times 2^32
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
