#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// What was drawn and done, noted only for the state dump of the tests: nothing in the window reads it.
struct Observed {
  int probes = 0;  ///< presses of F9, which does nothing: tests learn that earlier input was handled
  std::map<std::string, std::pair<float, float>> places;  ///< centres of some widgets
  std::string hovered;
  std::string details_title;       ///< what the details are about
  std::string headline;            ///< the line above the timeline; empty: none is drawn
  std::string kernel_sentence;     ///< what the details say of a kernel's name
  std::vector<std::string> notes;  ///< … and of the slice
  std::array<Nanos, 3>
      idle_figures{};              ///< of title, gaps page and report, as the popup of idle figures says; -1: unknown
  std::vector<std::string> seen;   ///< text in sight
  std::string copied;              ///< what went to the clipboard last
  std::size_t legend_classes = 0;  ///< classes of GPU work that the timeline's legend names
  bool filter_focused = false;
  bool sql_editing = false;
  float sheet_scrolled = 0;  ///< the sheet of keys, in pixels
  bool file_browser_open = false;
  bool desktop_dialog_open = false;
  bool is_fullscreen = false;
};

}  // namespace lacuna
