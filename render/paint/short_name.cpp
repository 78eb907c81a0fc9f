#include "render/paint/short_name.h"

#include <cstddef>

namespace lacuna {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";

/// Where the innermost identifier before the first '<' or '(' starts.
std::size_t skip_qualifiers(std::string_view name) {
  std::size_t start = 0;
  std::size_t i = 0;
  while (i < name.size()) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size();
      start = i;
    } else if (name[i] == '<' || name[i] == '(') {
      return start;
    } else if (name[i] == ':' && i + 1 < name.size() && name[i + 1] == ':') {
      i += 2;
      start = i;
    } else if (name[i] == ' ' && name.substr(i + 1).starts_with('(')) {
      ++i;  // "Memcpy DtoH (Device -> Pageable)": what is in brackets alone says too little
    } else if (name[i] == '/' || name[i] == ' ') {
      start = ++i;
    } else {
      ++i;
    }
  }
  return 0;  // no arguments: an operator or a range, whose prefix matters
}

}  // namespace

std::string_view short_name(std::string_view name) {
  const std::size_t start = skip_qualifiers(name);
  return start < name.size() ? name.substr(start) : name;
}

}  // namespace lacuna
