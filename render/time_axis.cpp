#include "render/time_axis.h"

#include <fmt/format.h>

#include "render/format.h"
#include "render/ticks.h"

namespace lacuna {

void append_clock(std::string& out, Nanos offset, Nanos step) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const bool is_negative = offset < 0;
  const std::uint64_t size = is_negative ? ~static_cast<std::uint64_t>(offset) + 1 : static_cast<std::uint64_t>(offset);
  if (is_negative) out.push_back('-');
  const std::uint64_t seconds = size / kSecond;
  out += fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  int decimals = 0;
  for (std::uint64_t unit = kSecond; unit > 1 && step > 0 && static_cast<std::uint64_t>(step) % unit != 0; unit /= 10)
    ++decimals;
  if (decimals == 0) return;
  std::uint64_t part = size % kSecond;
  for (int i = decimals; i < 9; ++i) part /= 10;
  out += fmt::format(".{:0{}}", part, decimals);
}

Nanos time_step(double ns_per_px) {
  Nanos step = 1;
  while (step < kMaxNanos / 100 && static_cast<double>(step) * 10 <= ns_per_px) step *= 10;
  return step;
}

void append_offset(std::string& out, Nanos offset, Nanos step) {
  const Nanos size = offset < 0 ? saturating_sub(0, offset) : offset;
  if (step <= 0 || size / 1000 < step) return append_duration(out, offset);
  append_tick_label(out, offset / step * step, step);
}

void append_time(std::string& out, const TimeAxis& axis, Nanos t, Nanos step) {
  const Nanos offset = saturating_sub(t, axis.origin);
  if (axis.is_clock) {
    append_clock(out, offset, 1);
  } else {
    append_offset(out, offset, step);
  }
}

std::string format_time(const TimeAxis& axis, Nanos t, Nanos step) {
  std::string out;
  append_time(out, axis, t, step);
  return out;
}

}  // namespace lacuna
