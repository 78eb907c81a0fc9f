#include "capture/session/json_args.h"

#include <cstddef>

namespace lacuna {
namespace {

/// Reads one list or number at `at`; false when there is none.
bool skip_value(std::string_view text, std::size_t& at, int depth) {
  const auto next = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
    return at < text.size() ? text[at] : '\0';
  };
  if (next() != '[') {
    if (depth == 0) return false;
    if (text.substr(at).starts_with('-')) ++at;
    const std::size_t digits = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    // JSON has no leading zeros, and what is longer is no size.
    return at > digits && at - digits < 20 && (text[digits] != '0' || at == digits + 1);
  }
  if (depth >= kMostListDepth) return false;
  ++at;
  if (next() == ']') return ++at, true;
  for (;;) {
    if (!skip_value(text, at, depth + 1)) return false;
    const char after = next();
    ++at;
    if (after == ']') return true;
    if (after != ',') return false;
  }
}

}  // namespace

bool is_number_list(std::string_view text) {
  std::size_t at = 0;
  return skip_value(text, at, 0) && at == text.size();
}

}  // namespace lacuna
