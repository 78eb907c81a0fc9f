#include "model/formats/chrome/json_text.h"

#include <algorithm>

namespace lacuna {
namespace {

/// Value of four hexadecimal digits, or -1.
int hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  int value = 0;
  for (char c : text.substr(0, 4)) {
    const int digit = is_digit(c)              ? c - '0'
                      : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                      : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                               : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

/// Reads the "uXXXX" (and the low surrogate that must follow a high one) at `text`; `used` is how
/// much of it. 0 in `used` when it is not a valid escape.
char32_t unicode_escape(std::string_view text, std::size_t& used) {
  used = 0;
  const int unit = hex4(text.substr(1));
  if (unit < 0 || (unit >= 0xDC00 && unit <= 0xDFFF)) return 0;
  if (unit < 0xD800 || unit > 0xDBFF) {
    used = 5;
    return static_cast<char32_t>(unit);
  }
  if (text.size() < 11 || text[5] != '\\' || text[6] != 'u') return 0;
  const int low = hex4(text.substr(7));
  if (low < 0xDC00 || low > 0xDFFF) return 0;
  used = 11;
  return 0x10000 + (static_cast<char32_t>(unit - 0xD800) << 10) + static_cast<char32_t>(low - 0xDC00);
}

}  // namespace

bool is_json_number(std::string_view token) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t first = i;
    while (i < token.size() && is_digit(token[i])) ++i;
    return i - first;
  };
  if (i < token.size() && token[i] == '-') ++i;
  const bool leading_zero = i < token.size() && token[i] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (leading_zero && whole > 1)) return false;
  if (i < token.size() && token[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < token.size() && (token[i] == 'e' || token[i] == 'E')) {
    ++i;
    if (i < token.size() && (token[i] == '+' || token[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == token.size();
}

std::uint32_t append_unescaped(std::string_view content, std::string& out) {
  std::uint32_t bad = 0;
  while (!content.empty()) {
    const std::size_t plain = std::min(content.find('\\'), content.size());
    out.append(content.substr(0, plain));
    content.remove_prefix(plain);
    if (content.empty()) break;
    const std::string_view escape = content.substr(1);
    const char simple = escape.empty() ? '\0' : simple_escape(escape.front());
    std::size_t used = 0;
    if (simple != '\0') {
      out.push_back(simple);
      used = 1;
    } else if (!escape.empty() && escape.front() == 'u') {
      const char32_t c = unicode_escape(escape, used);
      if (used != 0) append_utf8(c, out);
    }
    if (used == 0) {
      out.push_back('\\');
      ++bad;
    }
    content.remove_prefix(1 + used);
  }
  return bad;
}

void append_utf8(char32_t c, std::string& out) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

std::size_t utf8_cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  std::size_t cut = most;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return cut;
}

}  // namespace lacuna
