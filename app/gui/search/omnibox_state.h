#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace lacuna {

enum class OmniboxMode { kSearch, kCommands, kTracks };

/// What the box in the title bar shows, for commands, other panels and tests. Plain data.
struct OmniboxState {
  std::optional<OmniboxMode> request;  ///< put the cursor there
  OmniboxMode mode = OmniboxMode::kSearch;
  bool is_focused = false;
  std::string text;
  std::size_t rows = 0;    ///< of the list
  std::string chosen;      ///< text of the chosen row
};

}  // namespace lacuna
