#pragma once

#include <cstddef>
#include <string>

namespace lacuna {

enum class OmniboxMode { kSearch, kCommands, kTracks };

/// The state of the search box in the title bar, for commands, other panels and tests. Plain data.
struct OmniboxState {
  OmniboxMode mode = OmniboxMode::kSearch;
  bool is_focused = false;
  bool shows_list = false;  ///< below the box; not while Enter steps, as it would hide the slice stepped to
  std::string text;
  std::size_t rows = 0;  ///< number of rows in the list
  std::string chosen;    ///< text of the chosen row
  std::string message;   ///< why the list is empty
};

}  // namespace lacuna
