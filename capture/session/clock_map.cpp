#include "capture/session/clock_map.h"

#include <algorithm>

namespace lacuna {
namespace {

__extension__ using Wide = __int128;
constexpr std::size_t kMostLines = 4096;  // over an hour of them
constexpr std::uint64_t kStepNs = 1'000'000;
constexpr Wide kSecondNs = 1'000'000'000;
constexpr Wide kHalf = Wide{1} << 31;

/// ns per tick times 2^32 between two triples; 0 where there is no counter.
std::uint64_t rate(const wire::ClockTriple& a, const wire::ClockTriple& b) {
  if (b.tsc <= a.tsc || b.monotonic_ns <= a.monotonic_ns) return 0;
  return static_cast<std::uint64_t>((Wide{b.monotonic_ns - a.monotonic_ns} << 32) / Wide{b.tsc - a.tsc});
}

}  // namespace

ClockMap::ClockMap(const wire::ClockTriple& first, const wire::ClockTriple& second) : first_(first) {
  lines_.push_back({first.tsc, first.monotonic_ns, rate(first, second)});
  base_ns_ = static_cast<Nanos>(first.realtime_ns / 1'000'000'000u * 1'000'000'000u);
  offset_ns_ = static_cast<Nanos>(first.realtime_ns) - static_cast<Nanos>(first.monotonic_ns) - base_ns_;
}

std::uint64_t ClockMap::follow(const Line& line, std::uint64_t tsc) {
  const Wide ticks = Wide{tsc} - Wide{line.tsc};
  const Wide ns = Wide{line.monotonic_ns} + ((ticks * Wide{line.ns_per_tick} + kHalf) >> 32);
  return ns < 0 ? 0 : static_cast<std::uint64_t>(std::min<Wide>(ns, Wide{kMaxNanos}));
}

void ClockMap::add(const wire::ClockTriple& triple) {
  const std::uint64_t ns_per_tick = rate(first_, triple);
  const Line& last = lines_.back();
  if (ns_per_tick == 0 || triple.tsc <= last.tsc) return;
  const std::uint64_t expected = follow(last, triple.tsc);
  const Wide error = Wide{triple.monotonic_ns} - Wide{expected};
  if (error > Wide{kStepNs} || error < -Wide{kStepNs}) {
    first_ = triple;  // the old rate says nothing any more; keep the one of the last line
    lines_.push_back({triple.tsc, triple.monotonic_ns, last.ns_per_tick});
  } else {
    // Within the next second: the true rate, and `error` made good. |error| is far below a second.
    const Wide aimed = Wide{ns_per_tick} + Wide{ns_per_tick} * error / kSecondNs;
    lines_.push_back({triple.tsc, expected, static_cast<std::uint64_t>(aimed)});
  }
  if (lines_.size() > kMostLines) lines_.erase(lines_.begin(), lines_.begin() + kMostLines / 2);
}

std::uint64_t ClockMap::monotonic_of_tsc(std::uint64_t tsc) const {
  auto line = lines_.end() - 1;
  while (line != lines_.begin() && line->tsc > tsc) --line;
  return follow(*line, tsc);
}

}  // namespace lacuna
