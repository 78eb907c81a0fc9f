#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/application/idle_figures.h"
#include "app/gui/application/requests.h"
#include "app/gui/application/settings.h"
#include "app/gui/models/search/omnibox_state.h"
#include "capture/remote/remote_page.h"

namespace lacuna {

class App;

/// The views of the gaps page.
enum class GapsView { kList, kCauses, kOperators, kDeadWindows };

/// The state of the window beside the trace. Plain data.
struct UiState {
  DrawerPage page = DrawerPage::kStatistics;
  bool drawer_open = true;
  bool drawer_maximised = false;  ///< an open drawer covers the timeline
  bool has_report = true;         ///< false: what is open is about memory alone, and there is none
  bool report_open = true;        ///< where the report stands at the right (Settings::report_right)
  bool torch_table = false;       ///< the statistics page shows torch.profiler's table
  GapsView gaps_view = GapsView::kList;
  bool whole_gpu = true;  ///< rankings count the time in which all streams of a GPU were idle
  bool shortcuts_open = false;
  bool about_open = false;
  bool glossary_open = false;
  std::string glossary_filter;
  bool tour_waits = false;    ///< the tour begins when the example trace is open
  std::size_t tour_step = 0;  ///< which hint of the tour is shown, from 1; 0 = none
  bool warning_dismissed = false;
  std::vector<std::string> settings_warnings;  ///< the entries of the settings file that are invalid
  bool settings_warning_dismissed = false;
  IdleSubject idle_subject;  ///< of the popup that explains idle figures
  bool idle_open = false;    ///< that popup is open
  std::string notice;        ///< in the status line, until Esc
  std::string error;         ///< shown in a dialog until dismissed; empty = none
  /// What the open page shows, asked of the machine from which the trace is seen; each frame anew.
  std::optional<AskedPage> asked_page;
  std::string why_no_answer;  ///< why another machine does not answer what panels ask it; empty = it will

  OmniboxState omnibox;

  bool other_is_active = false;  ///< the details are about the trace compared with
  std::u32string characters;     ///< of names that were open, ascending: fonts must have them
  bool look_changed = false;     ///< theme or scale: fonts and style must be made anew

  /// Runs once the user allows to close an unsaved recording; empty = the user was not asked.
  std::function<void()> closing;

  std::uint64_t x11_window = 0;  ///< our window, which the desktop's dialogs stay above; 0 = unknown

  bool is_in_browser = false;  ///< the user may sit at another machine: written files are offered as downloads

  // Frames that are due to time alone.
  double mouse_moved_s = 0;  ///< when, by ImGui's clock
  double redraw_in_s = 0;    ///< > 0: a frame is wanted that much later
};

/// Opens the drawer and brings the page to the front, in this frame or the next; the report where it stands.
inline void show_page(UiState& state, const Settings& settings, Requests& requests, DrawerPage page) {
  if (page == DrawerPage::kReport && settings.report_right && state.has_report) {
    state.report_open = true;
    return;
  }
  state.drawer_open = true;
  requests.add(ask::ShowPage{page});
}

}  // namespace lacuna
