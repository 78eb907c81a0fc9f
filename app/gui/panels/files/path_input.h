#pragma once

#include <functional>
#include <string>

#include "app/gui/panels/ui_context.h"
#include "app/gui/platform/native_dialog.h"

namespace lacuna {

/// A field for the path of a file to write, and beside it, where the desktop has a dialog for that, a button that
/// opens it. While it is open the field waits. UI thread.
class PathInput {
 public:
  /// `wake` is called on another thread when the desktop's dialog was answered.
  explicit PathInput(std::function<void()> wake) : dialog_(std::move(wake)) {}

  /// Begins anew with this path; the field gets the cursor.
  void start(std::string path);
  /// Closes the desktop's dialog. Cheap when none is open.
  void close() { dialog_.close(); }
  /// `title`: of the desktop's dialog. `place`: of the field, for the tests. True: Enter was pressed.
  bool draw(UiContext& ui, const std::string& title, const char* place);
  /// The path as it was typed or chosen.
  const std::string& path() const { return path_; }

 private:
  void ask_desktop(UiContext& ui, const std::string& title);

  std::string path_;
  bool gets_cursor_ = false;
  bool is_offered_ = false;  ///< the desktop may have a dialog
  NativeDialog dialog_;
};

}  // namespace lacuna
