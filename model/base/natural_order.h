#pragma once

#include <algorithm>
#include <string_view>

namespace lacuna {

/// Orders ids naturally: numbers by value ("7" before "14"), then all other text bytewise.
/// Negative numbers and numbers too long for an integer type compare by value as well.
inline bool natural_less(std::string_view a, std::string_view b) {
  struct Number {
    bool is_number = false;
    bool negative = false;
    std::string_view digits;  // leading zeros removed
  };
  const auto parse = [](std::string_view text) {
    Number number;
    number.negative = text.starts_with('-');
    if (number.negative) text.remove_prefix(1);
    number.is_number = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    number.digits = text;
    return number;
  };
  const auto less_magnitude = [](std::string_view x, std::string_view y) {
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  };
  const Number x = parse(a);
  const Number y = parse(b);
  if (x.is_number != y.is_number) return x.is_number;
  if (!x.is_number) return a < b;
  if (x.negative != y.negative) return x.negative;
  if (x.digits != y.digits) return x.negative ? less_magnitude(y.digits, x.digits) : less_magnitude(x.digits, y.digits);
  return a < b;  // "7" and "007"
}

}  // namespace lacuna
