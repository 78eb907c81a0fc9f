#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace lacuna {

// ASCII characters, independent of the locale. Other bytes are left as they are.

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_ascii_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_ascii_letter(char c) {
  return is_ascii_upper(c) || (c >= 'a' && c <= 'z');
}
constexpr char to_lower(char c) {
  return is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = to_lower(c);
  return lower;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return to_lower(x) == to_lower(y); });
}

}  // namespace lacuna
