#include "model/formats/chrome/decimal.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr int kMostDigits = 38;  // 10^38 < 2^128

constexpr Wide power_of_ten(int exponent) {
  Wide power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A decimal number: (-1)^negative * digits * 10^exponent, plus less than one unit of the last
/// digit when `has_more`.
struct Decimal {
  Wide digits = 0;
  std::int64_t exponent = 0;
  bool negative = false;
  bool has_more = false;
};

std::optional<Decimal> read_decimal(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  Decimal d;
  if (p < end && (*p == '-' || *p == '+')) d.negative = *p++ == '-';
  int kept = 0;
  bool any = false;
  const auto take = [&](char c, bool is_fraction) {
    any = true;
    if (kept == kMostDigits) {
      d.has_more |= c != '0';
      d.exponent += is_fraction ? 0 : 1;
      return;
    }
    d.digits = d.digits * 10 + static_cast<unsigned>(c - '0');
    kept += d.digits != 0;
    d.exponent -= is_fraction ? 1 : 0;
  };
  while (p < end && is_digit(*p)) take(*p++, false);
  if (p < end && *p == '.') {
    ++p;
    while (p < end && is_digit(*p)) take(*p++, true);
  }
  if (!any) return {};
  if (p < end && (*p == 'e' || *p == 'E')) {
    ++p;
    bool negative = false;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (p == end) return {};
    std::int64_t exponent = 0;
    for (; p < end && is_digit(*p); ++p)
      if (exponent < 1'000'000'000'000) exponent = exponent * 10 + (*p - '0');
    d.exponent += negative ? -exponent : exponent;
  }
  if (p != end) return {};
  return d;
}

DecimalTime round_to_nanos(const Decimal& d) {
  constexpr DecimalTime kRefused{};
  if (d.digits == 0) return {0, DecimalTime::Status::kExact};
  const std::int64_t scale = d.exponent + 3;
  Wide value = d.digits;
  bool is_exact = !d.has_more;
  if (scale >= 0) {
    for (std::int64_t i = 0; i < scale; ++i) {
      if (value > static_cast<Wide>(kLargestTime)) return kRefused;
      value *= 10;
    }
  } else if (-scale > kMostDigits) {
    value = 0;
    is_exact = false;
  } else {
    const Wide unit = power_of_ten(static_cast<int>(-scale));
    const Wide rest = value % unit;
    value /= unit;
    const Wide twice = rest * 2;
    const bool is_half = twice == unit && !d.has_more;
    if (twice > unit || (twice == unit && d.has_more) || (is_half && value % 2 == 1)) ++value;
    is_exact = is_exact && rest == 0;
  }
  if (value > static_cast<Wide>(kLargestTime)) return kRefused;
  const auto magnitude = static_cast<Nanos>(value);
  return {d.negative ? -magnitude : magnitude, is_exact ? DecimalTime::Status::kExact : DecimalTime::Status::kRounded};
}

}  // namespace

DecimalTime parse_nanos(std::string_view text) {
  // The same number with three places less before its point.
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  const std::size_t e = text.find_first_of("eE");
  const std::optional<std::int64_t> exponent =
      e == std::string_view::npos ? std::optional<std::int64_t>(0) : parse_integer(text.substr(e + 1));
  if (!exponent || *exponent > 1'000 || *exponent < -1'000) return {};
  return parse_micros(std::string(text.substr(0, e)) + "e" + std::to_string(*exponent - 3));
}

DecimalTime parse_micros(std::string_view text) {
  // What nearly every event has: [-]digits[.up to 3 digits], at most 16 + 3 digits.
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  const char* const first = p;
  std::uint64_t digits = 0;
  while (p < end && is_digit(*p)) digits = digits * 10 + static_cast<unsigned>(*p++ - '0');
  const auto whole_digits = p - first;
  if (whole_digits >= 1 && whole_digits <= 16) {
    int missing = 3;
    if (p < end && *p == '.') {
      ++p;
      for (; p < end && missing > 0 && is_digit(*p); --missing)
        digits = digits * 10 + static_cast<unsigned>(*p++ - '0');
    }
    constexpr std::uint64_t kScale[] = {1, 10, 100, 1000};
    digits *= kScale[missing];
    if (p == end && digits <= static_cast<std::uint64_t>(kLargestTime)) {
      const auto value = static_cast<Nanos>(digits);
      return {negative ? -value : value, DecimalTime::Status::kExact};
    }
  }
  const auto decimal = read_decimal(trim(text));
  return decimal ? round_to_nanos(*decimal) : DecimalTime{};
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto fast = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fast.ec == std::errc{} && fast.ptr == text.data() + text.size()) return value;
  const auto decimal = read_decimal(trim(text));
  if (!decimal || decimal->has_more) return {};
  Wide digits = decimal->digits;
  for (std::int64_t e = decimal->exponent; e < 0 && digits != 0; ++e) {
    if (digits % 10 != 0) return {};
    digits /= 10;
  }
  constexpr Wide kMost = std::numeric_limits<std::uint64_t>::max();
  for (std::int64_t e = decimal->exponent; e > 0 && digits != 0; --e) {
    if (digits > kMost) return {};
    digits *= 10;
  }
  if (digits > kMost) return {};
  const auto magnitude = static_cast<std::uint64_t>(digits);
  return static_cast<std::int64_t>(decimal->negative ? 0 - magnitude : magnitude);
}

std::optional<double> parse_double(std::string_view text) {
  text = trim(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return {};
  if (!std::isfinite(value)) return {};
  return value;
}

}  // namespace lacuna
