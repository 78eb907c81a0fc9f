#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/graphics_options.h"
#include "app/gui/application/app_state.h"

namespace lacuna {

/// The settings file of a window: read when it opens, written when something worth storing changed. Several windows
/// may share the file; the last one to write wins. UI thread.
class KeptSettings {
 public:
  /// Creates the application of a window, with the user's settings, the notes of traces, and unsaved recordings.
  std::unique_ptr<App> make_app(std::function<void()> wake);
  /// Whether a change is worth storing at once, in case the program crashes.
  bool are_worth_keeping(const App& app, bool is_dragging) const;
  /// Writes the changes. Failures are ignored: the settings are then lost.
  void keep(App& app);

 private:
  std::string path_;
  Settings saved_;
};

/// Starts the window's task: loading, a recording, or a connection to another machine.
/// Errors: those of LiveView::attach().
Result<void> begin(App& app, const WindowOptions& options);

}  // namespace lacuna
