#include "model/columns/input_shapes.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "model/formats/chrome/json_text.h"

namespace lacuna {

double product(const Shape& shape, std::size_t from) {
  double result = 1;
  for (std::size_t i = from; i < shape.size(); ++i) result *= shape[i];
  return result;
}

std::vector<Shape> parse_shapes(std::string_view text) {
  std::vector<Shape> shapes;
  int depth = 0;
  bool nested = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[') {
      if (++depth == 2) {
        shapes.emplace_back();
        nested = false;
      } else if (depth > 2) {
        nested = true;
      }
      ++at;
    } else if (c == ']') {
      if (depth == 2 && nested) shapes.back().clear();
      --depth;
      ++at;
    } else if ((c >= '0' && c <= '9') || c == '-') {
      const std::string number(text.substr(at, text.find_first_not_of("0123456789-", at) - at));
      if (depth == 2) shapes.back().push_back(std::strtod(number.c_str(), nullptr));
      at += number.size();
    } else {
      ++at;
    }
  }
  return shapes;
}

std::string tidy_list(std::string_view token) {
  std::string text;
  bool in_string = false;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char c = token[i];
    if (!in_string && is_json_space(c)) continue;
    text += c;
    if (in_string && c == '\\' && i + 1 < token.size()) text += token[++i];
    if (c == '"') in_string = !in_string;
    if (!in_string && c == ',') text += ' ';
  }
  return text;
}

std::vector<std::string_view> parse_strings(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; (at = text.find('"', at)) != text.npos;) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    result.push_back(text.substr(at + 1, std::min(end, text.size()) - at - 1));
    at = end + 1;
  }
  return result;
}

}  // namespace lacuna
