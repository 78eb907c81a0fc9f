#include "model/export/json_escape.h"

#include <cstddef>

#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

constexpr bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  constexpr const char* kHex = "0123456789abcdef";
  out.push_back('"');
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_plain(text[end])) ++end;
    out.append(text.substr(i, end - i));
    if ((i = end) == text.size()) break;
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const std::size_t length = utf8_length(text.substr(i));
      out.append(length > 0 ? text.substr(i, length) : std::string_view("\xef\xbf\xbd"));
      i += length > 0 ? length : 1;
      continue;
    }
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\t':
        out.append("\\t");
        break;
      case '\r':
        out.append("\\r");
        break;
      default:
        out.append("\\u00");
        out.push_back(kHex[(c >> 4) & 15]);
        out.push_back(kHex[c & 15]);
    }
    ++i;
  }
  out.push_back('"');
}

}  // namespace lacuna
