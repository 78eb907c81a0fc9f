#include "app/cli/option_values.h"

#include <charconv>

#include "model/import/decimal.h"

namespace lacuna {
namespace {

/// All of `text` as a number of decimal digits.
template <class Number>
std::optional<Number> parse_digits(std::string_view text) {
  Number number{};
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<PixelSize> parse_pixel_size(std::string_view text) {
  const auto cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto width = parse_digits<int>(text.substr(0, cross));
  const auto height = parse_digits<int>(text.substr(cross + 1));
  if (!width || !height || *width == 0 || *height == 0) return std::nullopt;
  return PixelSize{*width, *height};
}

std::optional<Nanos> parse_microseconds(std::string_view text) {
  const DecimalTime time = parse_micros(text);
  return time.valid() ? std::optional(time.value) : std::nullopt;
}

}  // namespace lacuna
