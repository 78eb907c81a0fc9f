#pragma once

#include <cstddef>
#include <string_view>

namespace lacuna {

/// Whether `test` holds for each longest stretch of characters that are `part` of one.
template <class Part, class Test>
bool every_stretch(std::string_view text, Part&& part, Test&& test) {
  for (std::size_t i = 0, end = 0; i < text.size(); i = end + 1) {
    end = i;
    while (end < text.size() && part(text[end])) ++end;
    if (end > i && !test(text.substr(i, end - i))) return false;
  }
  return true;
}

}  // namespace lacuna
