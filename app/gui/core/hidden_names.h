#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// What the user took out of the timeline, by name: ids differ from one load of a file to the next.
struct HiddenNames {
  std::vector<std::string> categories;
  std::vector<std::string> names;

  bool empty() const { return categories.empty() && names.empty(); }
  bool operator==(const HiddenNames&) const = default;
};

}  // namespace lacuna
