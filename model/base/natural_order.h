#pragma once

#include <algorithm>
#include <string_view>

#include "model/base/ascii.h"

namespace lacuna {

/// Orders ids and names naturally: numbers by value ("-3" before "7" before "14"), then all other text, in which runs
/// of digits compare as numbers ("rank2" before "rank10") and the rest bytewise. Numbers too long for an integer type
/// compare by value as well.
inline bool natural_less(std::string_view a, std::string_view b) {
  /// Takes the digits that a text begins with, without leading zeros.
  const auto take_digits = [](std::string_view& text) {
    const auto size = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    std::string_view digits = text.substr(0, size);
    text.remove_prefix(size);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  };
  const auto is_number = [](std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && std::ranges::all_of(text, is_digit);
  };
  const auto less_number = [](std::string_view x, std::string_view y) {
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  };
  const std::string_view whole_a = a, whole_b = b;
  if (is_number(a) != is_number(b)) return is_number(a);
  if (is_number(a) && a.starts_with('-') != b.starts_with('-')) return a.starts_with('-');
  const bool is_falling = is_number(a) && a.starts_with('-');
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_digits(a), y = take_digits(b);
      if (x != y) return is_falling ? less_number(y, x) : less_number(x, y);
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // "7" and "007"
}

}  // namespace lacuna
