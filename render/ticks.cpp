#include "render/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "render/format.h"
#include "render/time_axis.h"

namespace lacuna {
namespace {

constexpr Nanos kMicrosecond = 1'000;
constexpr Nanos kMillisecond = 1'000'000;
constexpr Nanos kSecond = 1'000'000'000;
constexpr Nanos kMinute = 60 * kSecond;
constexpr Nanos kHour = 60 * kMinute;
constexpr Nanos kDay = 24 * kHour;

/// Appends `value` / `unit` with as many decimals as a multiple of `step` can have.
/// At least `digits` digits come before the point ("03.5").
void append_decimal(std::string& out, std::uint64_t value, Nanos unit_ns, Nanos step, int digits) {
  const auto unit = static_cast<std::uint64_t>(unit_ns);
  int decimals = 0;
  std::uint64_t resolution = unit;  // ns of the last digit
  while (resolution > 1 && static_cast<std::uint64_t>(step) % resolution != 0) {
    resolution /= 10;
    ++decimals;
  }
  out += fmt::format("{:0{}}", value / unit, digits);
  if (decimals > 0) out += fmt::format(".{:0{}}", value % unit / resolution, decimals);
}

/// Minors per major: the most that cut the step into nice whole nanoseconds and leave room.
int minor_count(Nanos step, double step_px, double min_px) {
  for (const int parts : {10, 6, 5, 4, 3, 2}) {
    if (step % parts != 0 || step_px / parts < min_px) continue;
    if (nice_step(static_cast<double>(step / parts)) == step / parts) return parts;
  }
  return 1;
}

/// Floor division for a positive divisor.
Nanos floor_div(Nanos a, Nanos b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The largest multiple of `step` up to `t`, clamped.
Nanos floor_multiple(Nanos t, Nanos step) {
  const Nanos rest = t % step;
  return saturating_sub(t, rest < 0 ? rest + step : rest);
}

void append_label(std::string& out, const TickStyle& style, Nanos offset, Nanos step) {
  style.is_clock ? append_clock(out, offset, step) : append_tick_label(out, offset, step);
}

/// The step whose labels fit at both ends of the view.
Nanos fitting_step(const Camera& camera, TimeSpan offsets, const TickStyle& style, std::string& scratch) {
  double room_px = std::max(style.min_label_px, 1.0);
  Nanos step = nice_step(room_px * camera.ns_per_px());
  // A longer step never has longer labels by more than a few glyphs, so this settles at once.
  for (int round = 0; round < 4; ++round) {
    std::size_t longest = 0;
    for (const Nanos end : {offsets.begin, offsets.end}) {
      scratch.clear();
      append_label(scratch, style, floor_multiple(end, step), step);
      longest = std::max(longest, glyph_count(scratch));
    }
    const double needed_px = (static_cast<double>(longest) + 2.0) * style.glyph_px;
    if (needed_px <= room_px) break;
    room_px = needed_px;
    step = nice_step(room_px * camera.ns_per_px());
  }
  return step;
}

}  // namespace

Nanos nice_step(double at_least_ns) {
  constexpr std::array kAboveTen{15 * kSecond, 30 * kSecond, kMinute,      2 * kMinute, 5 * kMinute,
                                 10 * kMinute, 15 * kMinute, 30 * kMinute, kHour,       2 * kHour,
                                 3 * kHour,    6 * kHour,    12 * kHour,   kDay};
  for (Nanos decade = 1; decade <= 10 * kSecond; decade *= 10)
    for (const Nanos step : {decade, 2 * decade, 5 * decade})
      if (step <= 10 * kSecond && static_cast<double>(step) >= at_least_ns) return step;
  for (const Nanos step : kAboveTen)
    if (static_cast<double>(step) >= at_least_ns) return step;
  for (Nanos decade = kDay; decade < kMaxNanos / 100; decade *= 10)
    for (const Nanos step : {2 * decade, 5 * decade, 10 * decade})
      if (static_cast<double>(step) >= at_least_ns) return step;
  return kMaxNanos / 10;
}

void append_tick_label(std::string& out, Nanos offset, Nanos step) {
  if (offset == 0) {
    out += '0';
    return;
  }
  if (offset < 0) out += '-';
  // Unsigned, so that the least Nanos has an absolute value.
  const std::uint64_t value = offset < 0 ? 0 - static_cast<std::uint64_t>(offset) : static_cast<std::uint64_t>(offset);
  const auto unit = [&](Nanos ns, const char* name) {
    append_decimal(out, value, ns, step, 1);
    out += name;
  };
  const auto below = [&](Nanos ns) { return value < static_cast<std::uint64_t>(ns); };
  if (below(kMicrosecond)) return unit(1, " ns");
  if (below(kMillisecond)) return unit(kMicrosecond, " \u00b5s");
  if (below(kSecond)) return unit(kMillisecond, " ms");
  if (below(kMinute)) return unit(kSecond, " s");

  // Mixed units: the last part that the step can change ends the label.
  const auto append = [&](std::uint64_t count, const char* name) { out += fmt::format("{}{}", count, name); };
  const auto part = [&](Nanos of, Nanos in) {
    return value % static_cast<std::uint64_t>(in) / static_cast<std::uint64_t>(of);
  };
  if (!below(kDay)) {
    append(value / static_cast<std::uint64_t>(kDay), " d");
    if (step % kDay == 0) return;
    out += ' ';
  }
  if (!below(kHour)) {
    append(part(kHour, kDay), " h");
    if (step % kHour == 0) return;
    out += ' ';
  }
  out += fmt::format("{:0{}} min", part(kMinute, kHour), below(kHour) ? 1 : 2);
  if (step % kMinute == 0) return;
  out += ' ';
  append_decimal(out, value % static_cast<std::uint64_t>(kMinute), kSecond, step, 2);
  out += " s";
}

void append_ticks(const Camera& camera, double width_px, Nanos origin, const TickStyle& style, float left_px,
                  Recycled<DrawTick>& out) {
  if (width_px <= 0) return;
  const TimeSpan view = camera.visible(width_px);
  const TimeSpan offsets{saturating_sub(view.begin, origin), saturating_sub(view.end, origin)};
  Nanos step = 0;
  {
    DrawTick& scratch = out.add();
    step = fitting_step(camera, offsets, style, scratch.label);
    out.pop_back();
  }
  const double step_px = static_cast<double>(step) / camera.ns_per_px();
  const int parts = minor_count(step, step_px, style.min_minor_px);
  const Nanos minor = step / parts;

  // From the last major at or before the view to the first after it.
  Nanos at = 0;  // in minors
  if (__builtin_mul_overflow(floor_div(offsets.begin, step), Nanos{parts}, &at)) at = kMinNanos;
  for (; saturating_sub(floor_div(at, parts), floor_div(offsets.end, step)) <= 1; ++at) {
    Nanos offset = 0;
    if (__builtin_mul_overflow(at, minor, &offset)) continue;
    Nanos time = 0;
    if (__builtin_add_overflow(offset, origin, &time)) continue;
    const bool is_major = at % parts == 0;
    const auto x = static_cast<float>(camera.x_of(time));
    if (!is_major && (x < 0 || x > static_cast<float>(width_px))) continue;
    DrawTick& tick = out.add();
    tick.x = x + left_px;
    tick.is_major = is_major;
    if (is_major) append_label(tick.label, style, offset, step);
    if (is_major && x > static_cast<float>(width_px)) break;
  }
}

}  // namespace lacuna
