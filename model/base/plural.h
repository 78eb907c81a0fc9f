#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna {

/// Returns the noun as it stands behind the number `n`: "row" behind 1, else "rows", "copies", "processes".
inline std::string noun_after(std::uint64_t n, std::string_view singular) {
  std::string noun(singular);
  if (n == 1 || noun.empty()) return noun;
  const auto ends_in = [&](std::string_view end) { return noun.ends_with(end); };
  if (ends_in("y") && !ends_in("ay") && !ends_in("ey") && !ends_in("oy") && !ends_in("uy")) {
    noun.pop_back();
    return noun + "ies";
  }
  return noun + (ends_in("s") || ends_in("x") || ends_in("ch") || ends_in("sh") ? "es" : "s");
}

}  // namespace lacuna
