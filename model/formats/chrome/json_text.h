#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/ascii.h"

namespace lacuna {

/// Whether JSON treats the character as white space.
constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// Returns the first character at or after `p` that is not white space; the text must end with one.
inline const char* skip_json_space(const char* p) {
  while (is_json_space(*p)) ++p;
  return p;
}

/// Returns `text` without trailing white space.
constexpr std::string_view trim_right(std::string_view text) {
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether a token is a string, quotes included.
constexpr bool is_string_token(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"';
}

/// Returns a string token without its quotes (escapes stay); any other token unchanged.
constexpr std::string_view token_content(std::string_view token) {
  return is_string_token(token) ? token.substr(1, token.size() - 2) : token;
}

/// Whether `token` is exactly a JSON number.
bool is_json_number(std::string_view token);

/// Appends the content of a JSON string to `out` with its escapes resolved. Escapes that are not JSON
/// (including half of a surrogate pair) stay as written; returns their number.
std::uint32_t append_unescaped(std::string_view content, std::string& out);

/// Appends `c` as UTF-8.
void append_utf8(char32_t c, std::string& out);

/// Returns the length (1 to 4) of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t utf8_length(std::string_view text);

/// Returns the size of the longest beginning of `text` with at most `most` bytes that cuts no UTF-8 sequence.
std::size_t utf8_cut(std::string_view text, std::size_t most);

}  // namespace lacuna
