#include "model/memory/category_timeline.h"

#include <algorithm>
#include <numeric>

namespace lacuna {

std::int64_t CategoryTimeline::total(std::size_t i) const {
  return std::accumulate(bytes[i].begin(), bytes[i].end(), std::int64_t{0}, [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  });
}

Nanos CategoryTimeline::time_ns(std::size_t i) const {
  constexpr std::int64_t kMostMicroseconds = INT64_MAX / 1000;
  return std::clamp(times_us[i], -kMostMicroseconds, kMostMicroseconds) * 1000;
}

std::size_t CategoryTimeline::memory_bytes() const {
  return times_us.capacity() * sizeof(times_us[0]) + bytes.capacity() * sizeof(bytes[0]);
}

std::size_t CategoryTimeline::peak() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < bytes.size(); ++i)
    if (total(i) > total(best)) best = i;
  return best;
}

}  // namespace lacuna
