#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/ascii.h"

namespace lacuna {

/// What JSON calls white space.
constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// The first character at or behind `p` that is no white space; the text must end with one.
inline const char* skip_json_space(const char* p) {
  while (is_json_space(*p)) ++p;
  return p;
}

/// `text` without white space at its end.
constexpr std::string_view trim_right(std::string_view text) {
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

/// True for a token that is a string, quotes included.
constexpr bool is_string_token(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"';
}

/// A string token without its quotes (escapes still in it); any other token as it is.
constexpr std::string_view token_content(std::string_view token) {
  return is_string_token(token) ? token.substr(1, token.size() - 2) : token;
}

/// True when `token` is exactly a JSON number.
bool is_json_number(std::string_view token);

/// Appends the content of a JSON string to `out` with its escapes resolved. An escape that JSON does
/// not know (also half a surrogate pair) stays as it stands; returns how many there were.
std::uint32_t append_unescaped(std::string_view content, std::string& out);

/// Appends `c` as UTF-8.
void append_utf8(char32_t c, std::string& out);

/// Length (1 to 4) of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text);

/// Size of the longest part of `text` that does not cut a UTF-8 sequence and is at most `most` long.
std::size_t utf8_cut(std::string_view text, std::size_t most);

}  // namespace lacuna
