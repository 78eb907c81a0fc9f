#include "model/formats/json_value.h"

#include <iterator>

#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

constexpr bool is_plain_json(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  constexpr const char* kHex = "0123456789abcdef";
  out.push_back('"');
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_plain_json(text[end])) ++end;
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

bool is_json_value(std::string_view text) {
  std::string brackets;  // of those that are open, what closes them
  bool wants_value = true, may_close = false;
  std::size_t i = 0;
  const auto skip_spaces = [&] {
    while (i < text.size() && is_json_space(text[i])) ++i;
  };
  const auto skip_string = [&] {
    if (i >= text.size() || text[i] != '"') return false;
    for (++i; i < text.size() && text[i] != '"';) {
      const std::size_t length = utf8_length(text.substr(i));
      if (length == 0 || static_cast<unsigned char>(text[i]) < 0x20) return false;
      if (text[i] != '\\') {
        i += length;
        continue;
      }
      const char escape = i + 1 < text.size() ? text[i + 1] : '\0';
      if (std::string_view("\"\\/bfnrtu").find(escape) == std::string_view::npos) return false;
      const std::string_view digits = text.substr(i + 2, 4);
      if (escape == 'u' && (digits.size() < 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos))
        return false;
      i += escape == 'u' ? 6 : 2;
    }
    return i++ < text.size();
  };
  const auto skip_key = [&] {
    skip_spaces();
    if (!skip_string()) return false;
    skip_spaces();
    return i < text.size() && text[i++] == ':';
  };
  while (true) {
    skip_spaces();
    if (i == text.size()) return brackets.empty() && !wants_value;
    if (!brackets.empty() && text[i] == brackets.back() && (!wants_value || may_close)) {
      brackets.pop_back();
      wants_value = may_close = false;
      ++i;
      continue;
    }
    if (!wants_value) {
      if (brackets.empty() || text[i++] != ',') return false;
      wants_value = true;
      may_close = false;
      if (brackets.back() == '}' && !skip_key()) return false;
      continue;
    }
    may_close = false;
    if (text[i] == '{' || text[i] == '[') {
      if (brackets.size() == 64) return false;
      brackets += text[i] == '{' ? '}' : ']';
      ++i;
      skip_spaces();
      may_close = true;
      if (brackets.back() == '}' && i < text.size() && text[i] != '}' && !skip_key()) return false;
      if (brackets.back() == '}' && i < text.size() && text[i - 1] == ':') may_close = false;
      continue;
    }
    wants_value = false;
    if (text[i] == '"') {
      if (!skip_string()) return false;
      continue;
    }
    const std::string_view token = text.substr(i, text.find_first_of(" \n\r\t,]}", i) - i);
    if (token != "true" && token != "false" && token != "null" && !is_json_number(token)) return false;
    i += token.size();
  }
}

}  // namespace lacuna
