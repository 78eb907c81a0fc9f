#pragma once

#include <cstddef>
#include <string>

namespace lacuna {

enum class OmniboxMode { kSearch, kCommands, kTracks };

/// What the box in the title bar shows, for commands, other panels and tests. Plain data.
struct OmniboxState {
  OmniboxMode mode = OmniboxMode::kSearch;
  bool is_focused = false;
  bool shows_list = false;  ///< below the box; not while Enter steps, for it would hide what is stepped to
  std::string text;
  std::size_t rows = 0;  ///< of the list
  std::string chosen;    ///< text of the chosen row
  std::string message;   ///< why the list has no rows
};

}  // namespace lacuna
