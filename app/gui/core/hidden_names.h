#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// The names that the user hid from the timeline. Stored as text: ids differ from one load of a file to the next.
struct HiddenNames {
  std::vector<std::string> categories;
  std::vector<std::string> names;

  bool empty() const { return categories.empty() && names.empty(); }
  bool operator==(const HiddenNames&) const = default;
};

}  // namespace lacuna
