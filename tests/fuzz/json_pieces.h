#pragma once
// JSON mutations that get past the first syntax error: whole values are moved, doubled, dropped and swapped.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::fuzz {

struct Piece {
  std::size_t begin;
  std::size_t end;
};

/// Returns every scalar, string and balanced container of `text`, as far as it resembles JSON.
inline std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::size_t begin = i;
    if (c == '{' || c == '[') {
      open.push_back(i);
    } else if (c == '}' || c == ']') {
      if (open.empty()) continue;
      pieces.push_back({open.back(), i + 1});
      open.pop_back();
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      pieces.push_back({begin, std::min(i + 1, text.size())});
    } else if (c == '-' || std::isalnum(static_cast<unsigned char>(c)) != 0) {
      while (i + 1 < text.size() && std::strchr(",:{}[]\" \n\r\t", text[i + 1]) == nullptr) ++i;
      pieces.push_back({begin, i + 1});
    }
  }
  return pieces;
}

inline std::string mutate_pieces(const std::string& text, std::mt19937& random) {
  const std::vector<Piece> pieces = pieces_of(text);
  if (pieces.empty()) return text;
  const auto any = [&] { return pieces[random() % pieces.size()]; };
  const auto of = [&](Piece p) { return text.substr(p.begin, p.end - p.begin); };
  constexpr std::string_view kValues[] = {"0",
                                          "-1",
                                          "1e308",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "1712195495406752.797",
                                          "0.0005",
                                          "\"12.5\"",
                                          "\"\"",
                                          "null",
                                          "true",
                                          "NaN",
                                          "{}",
                                          "[]",
                                          "\"X\"",
                                          "\"B\"",
                                          "\"E\"",
                                          "\"b\"",
                                          "\"e\"",
                                          "\"n\"",
                                          "\"s\"",
                                          "\"f\"",
                                          "\"t\"",
                                          "\"C\"",
                                          "\"M\"",
                                          "\"i\"",
                                          "\"kernel\"",
                                          "\"cuda_runtime\"",
                                          "\"gpu_user_annotation\""};
  const Piece at = any();
  std::string out = text;
  switch (random() % 6) {
    case 0:
      out.replace(at.begin, at.end - at.begin, of(any()));
      break;  // copy over
    case 1:
      out.insert(at.end, "," + of(at));
      break;  // double
    case 2:
      out.erase(at.begin, at.end - at.begin);
      break;  // drop
    case 3:
      out.replace(at.begin, at.end - at.begin, kValues[random() % std::size(kValues)]);
      break;
    case 4:
      out.insert(at.begin, of(any()) + ",");
      break;  // move in
    default:
      out.replace(at.begin, at.end - at.begin, "[" + of(at) + "]");
      break;  // nest
  }
  return out;
}

}  // namespace lacuna::fuzz
