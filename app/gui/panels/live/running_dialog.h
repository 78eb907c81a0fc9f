#pragma once

#include <string_view>
#include <utility>

#include "app/gui/core/shortcut.h"
#include "app/gui/models/live/running_jobs_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// What the dialogs share that list programs which run: whether they are open, their frame, their list, and the button
/// that begins what they offer, as Enter does. UI thread.
class RunningDialog {
 public:
  bool is_open() const { return is_open_; }
  /// Closes the dialog; work under way in `view` continues.
  void close() { is_open_ = false; }
  bool handle_key(const KeyPress& press);

 protected:
  explicit RunningDialog(RunningJobsView& view) : view_(view) {}
  ~RunningDialog() = default;

  void open_anew();
  /// Looks for programs and begins the frame, of a size in design pixels. False: it is closed or not in view, and
  /// nothing is to be drawn; else end_frame() ends it, and closes what close() was called for.
  bool begin_frame(UiContext& ui, const char* title, float width_px, float height_px);
  void end_frame();
  /// Begins the frame of the list, which ImGui::EndChild() ends. False: it is empty and says so. `how_to`: what a
  /// program needs to be listed, behind the ways to wake one.
  bool begin_list(UiContext& ui, const char* name, float height, bool is_empty, std::string_view none,
                  std::string_view how_to);
  /// What is above `rows` of the frame and below what was drawn.
  static float list_height(const UiContext& ui, float rows);
  /// The button that begins, grey where nothing may begin, and the one that closes.
  void begin_button(const UiContext& ui, const char* label, float width_px, bool may);
  void close_button(const UiContext& ui);
  /// Asks to begin, as the button does.
  void want_begin() { wants_begin_ = true; }
  /// Whether that was asked since it was called last.
  bool takes_begin() { return std::exchange(wants_begin_, false); }

  RunningJobsView& view_;

 private:
  bool is_open_ = false;
  bool wants_begin_ = false;
};

}  // namespace lacuna
