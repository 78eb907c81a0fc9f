#include "app/cli/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "model/formats/chrome/decimal.h"

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

bool is_number_of(const std::string& text, std::size_t most_digits) {
  return !text.empty() && text.size() <= most_digits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string is_large_count(const std::string& text) {
  return is_number_of(text, 18) ? std::string{} : "'" + text + "' is not a number from 0 to 10^18";
}

std::string is_count(const std::string& text) {
  return is_number_of(text, 9) ? std::string{} : "'" + text + "' is not a number from 0 to 999999999";
}

std::string is_thread_count(const std::string& text) {
  constexpr unsigned kMostThreads = 1024;
  return is_number_of(text, 4) && std::stoul(text) <= kMostThreads
             ? std::string{}
             : "'" + text + "' is not a number from 0 to " + std::to_string(kMostThreads);
}

std::string is_finite(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end != text.c_str() && std::isfinite(number) ? std::string{} : "'" + text + "' is not a number";
}

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

std::string is_microseconds(const std::string& text) {
  return parse_microseconds(text) ? std::string{} : "'" + text + "' is not a number of microseconds";
}

AskedRange parse_range(const std::string& from_us, const std::string& to_us) {
  const auto time = [](const std::string& text) {
    return parse_microseconds(std::string_view(text).substr(text.starts_with('+') ? 1 : 0));
  };
  const bool has_plus = from_us.starts_with('+') || to_us.starts_with('+');
  return {time(from_us), time(to_us), has_plus ? std::optional(true) : std::nullopt};
}

std::optional<Nanos> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = text.substr(digits);
  const Nanos factor = unit == "ms"                  ? 1'000
                       : unit.empty() || unit == "s" ? 1'000'000
                       : unit == "m"                 ? 60'000'000
                       : unit == "h"                 ? 3'600'000'000
                                                     : 0;
  const DecimalTime number = parse_micros(text.substr(0, digits));  // in thousandths, exactly
  constexpr Nanos kLongestNs = Nanos{86'400} * 1'000'000'000;
  if (factor == 0 || digits == 0 || !number.valid() || number.value <= 0 || number.value > kLongestNs / factor)
    return std::nullopt;
  return number.value * factor;
}

}  // namespace lacuna
