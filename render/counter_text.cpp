#include "render/counter_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "model/base/ascii.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 6> kOfBytes = {"byte", "memory", "allocated", "reserved", "vram", "rss"};
constexpr std::array<std::string_view, 4> kOfPerCent = {"%", "percent", "utilization", "utilisation"};
/// Names that tell another unit themselves: "memory (MiB)", "bytes/s", "Memory clock, MHz".
constexpr std::array<std::string_view, 9> kOtherUnits = {"mib",   "mb", "gib",   "gb",       "/s",
                                                         "per s", "hz", "clock", "bandwidth"};

/// Whether one of the words, which are lower case, is in the text, in any case. Titles ask in each frame: no copy.
template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return std::search(text.begin(), text.end(), word.begin(), word.end(),
                       [](char c, char lower) { return to_lower(c) == lower; }) != text.end();
  });
}

}  // namespace

std::string counter_text(std::string_view name, double greatest, double value) {
  constexpr double kMostBytes = 1e18;
  if (has_any(name, kOfPerCent)) return format_value(value) + " %";
  const bool is_whole = value == std::floor(value) && std::fabs(value) < kMostBytes;
  if (has_any(name, kOfBytes) && !has_any(name, kOtherUnits) && is_whole && greatest >= 1024)
    return (value < 0 ? "-" : "") + format_bytes(static_cast<std::uint64_t>(std::fabs(value)));
  return format_value(value);
}

}  // namespace lacuna
