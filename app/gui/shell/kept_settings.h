#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/graphics_options.h"
#include "app/gui/application/app_state.h"

namespace lacuna {

/// The settings file of a window: read when it opens, written when there is something worth keeping. Several windows
/// may share the file; the last one to write wins. UI thread.
class KeptSettings {
 public:
  /// The application of a window, with the user's settings, the notes of traces, and what was left unsaved.
  std::unique_ptr<App> make_app(std::function<void()> wake);
  /// Whether something changed that is worth keeping even if the program does not end well.
  bool are_worth_keeping(const App& app, bool is_dragging) const;
  /// Writes what changed. Settings that cannot be written are lost; that is no reason to bother anybody.
  void keep(App& app);

 private:
  std::string path_;
  Settings saved_;
};

/// Starts what the window is opened for: loading, a recording, a look at another machine.
/// Errors: those of LiveView::attach().
Result<void> begin(App& app, const WindowOptions& options);

}  // namespace lacuna
