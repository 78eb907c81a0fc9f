#pragma once

#include <functional>
#include <string>

#include "app/gui/panels/ui_context.h"
#include "app/gui/platform/native_dialog.h"

namespace lacuna {

/// A field for the path of an output file, with a button for the desktop's own dialog if there is one.
/// The field is disabled while that dialog is open. UI thread.
class PathInput {
 public:
  /// `wake` is called on another thread when the desktop's dialog has an answer.
  explicit PathInput(std::function<void()> wake) : dialog_(std::move(wake)) {}

  /// Resets the field to this path and focuses it.
  void start(std::string path);
  /// Closes the desktop's dialog; does nothing if none is open.
  void close() { dialog_.close(); }
  /// `title`: of the desktop's dialog. `place`: the field's name for the tests. Returns true when Enter was pressed.
  bool draw(UiContext& ui, const std::string& title, const char* place);
  /// Returns the typed or chosen path.
  const std::string& path() const { return path_; }

 private:
  void ask_desktop(UiContext& ui, const std::string& title);

  std::string path_;
  bool gets_cursor_ = false;
  bool is_offered_ = false;  ///< the desktop may have a dialog
  NativeDialog dialog_;
};

}  // namespace lacuna
