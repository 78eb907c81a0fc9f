#include "model/formats/chrome/boundaries.h"

#include <cstring>

#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_space(text[at])) ++at;
  return at;
}

/// Is the '{' at `brace` a candidate?
bool is_candidate(std::string_view text, std::size_t brace) {
  const std::size_t next = skip_space(text, brace + 1);
  if (next == text.size() || text[next] != '"') return false;
  const std::string_view before = trim_right(text.substr(0, brace));
  if (before.empty() || before.back() != ',') return false;
  const std::string_view object = trim_right(before.substr(0, before.size() - 1));
  return !object.empty() && object.back() == '}';
}

}  // namespace

std::size_t first_boundary(std::string_view text, std::size_t from) {
  for (std::size_t at = from; (at = text.find('{', at)) != std::string_view::npos; ++at)
    if (is_candidate(text, at)) return at;
  return kNoBoundary;
}

std::size_t last_boundary(std::string_view text) {
  for (std::size_t end = text.size(); end > 0 && (end = text.rfind('{', end - 1)) != std::string_view::npos;)
    if (is_candidate(text, end)) return end;
  return kNoBoundary;
}

bool looks_like_event(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth <= 1) return false;
        --depth;
        break;
      case '"': {
        const std::size_t open = at;
        for (++at; at < text.size() && text[at] != '"'; ++at)
          if (text[at] == '\\') ++at;
        if (depth != 1 || at >= text.size() || text.substr(open, at + 1 - open) != "\"ph\"") break;
        const std::size_t colon = skip_space(text, at + 1);
        if (colon < text.size() && text[colon] == ':') return true;
        break;
      }
      default:
        break;
    }
  }
  return false;
}

}  // namespace lacuna
