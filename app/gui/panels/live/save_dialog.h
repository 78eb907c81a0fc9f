#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/gui/core/shortcut.h"
#include "app/gui/panels/files/path_input.h"
#include "app/gui/panels/files/replace_question.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Asks where to save the recording, and whether to close an unsaved one (UiState::closing).
/// Enter takes the default, Escape cancels, Alt+D discards. UI thread.
class SaveDialog {
 public:
  /// `wake` is called on another thread when a path was chosen.
  SaveDialog(LiveView& live, UiState& state, std::function<void()> wake)
      : live_(live), ui_state_(state), path_(std::move(wake)) {}
  bool is_open() const { return state_ != State::kClosed; }
  void draw(UiContext& ui);
  bool handle_key(const KeyPress& press);

 private:
  enum class State {
    kClosed,
    kQuestion,  ///< save or discard?
    kEnding,    ///< waiting for the program to end
    kPath,      ///< where to?
    kSaving,
  };
  void question(UiContext& ui);
  void ask_path(UiContext& ui);
  void open_path();
  void go_on();
  void cancel();
  void discard();

  LiveView& live_;
  UiState& ui_state_;
  State state_ = State::kClosed;
  std::string typed_path() const;  ///< with an extension
  PathInput path_;
  ReplaceQuestion replace_;
  bool wants_to_go_on_ = false;
};

}  // namespace lacuna
