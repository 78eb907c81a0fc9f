#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lacuna {

/// Whether to leave out events of `category` ("a" or "a,b"): one of its parts is in `skipped`.
/// Called once per category and batch, not per event.
inline bool is_skipped_category(std::string_view category, std::span<const std::string> skipped) {
  if (skipped.empty()) return false;
  while (true) {
    const auto comma = category.find(',');
    for (const std::string& name : skipped)
      if (category.substr(0, comma) == name) return true;
    if (comma == std::string_view::npos) return false;
    category.remove_prefix(comma + 1);
  }
}

}  // namespace lacuna
