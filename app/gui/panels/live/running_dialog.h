#pragma once

#include <string_view>
#include <utility>

#include "app/gui/core/shortcut.h"
#include "app/gui/models/live/running_jobs_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The common part of the dialogs that list running programs: open state, frame, list, and the button
/// that starts their action, as Enter does. UI thread.
class RunningDialog {
 public:
  bool is_open() const { return is_open_; }
  /// Closes the dialog; running work of `view` continues.
  void close() { is_open_ = false; }
  bool handle_key(const KeyPress& press);

 protected:
  explicit RunningDialog(RunningJobsView& view) : view_(view) {}
  ~RunningDialog() = default;

  void open_anew();
  /// Starts a scan for programs and begins the frame; its size is in design pixels. False: closed or not in view, draw
  /// nothing; otherwise end_frame() ends the frame, and carries out close().
  bool begin_frame(UiContext& ui, const char* title, float width_px, float height_px);
  void end_frame();
  /// Begins the list's frame, which ImGui::EndChild() ends. Returns false after drawing a note if the list is empty.
  /// `how_to`: what a program needs to be listed, added to the ways to wake one.
  bool begin_list(UiContext& ui, const char* name, float height, bool is_empty, std::string_view none,
                  std::string_view how_to);
  /// Returns the height left in the frame above `rows` rows.
  static float list_height(const UiContext& ui, float rows);
  /// Draws the start button, disabled unless `may`, and the close button.
  void begin_button(const UiContext& ui, const char* label, float width_px, bool may);
  void close_button(const UiContext& ui);
  /// Requests the action, as the button does.
  void want_begin() { wants_begin_ = true; }
  /// Whether the action was requested since the last call.
  bool takes_begin() { return std::exchange(wants_begin_, false); }

  RunningJobsView& view_;

 private:
  bool is_open_ = false;
  bool wants_begin_ = false;
};

}  // namespace lacuna
