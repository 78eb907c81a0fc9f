#pragma once

#include <functional>
#include <string>

#include "app/graphics_options.h"
#include "app/gui/core/shortcut.h"
#include "app/gui/models/live/running_jobs_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Shows what can be watched live: dormant programs, which are woken for it, and recordings under way. UI thread.
class AttachDialog {
 public:
  AttachDialog(RunningJobsView& view, std::function<void(const AttachPlan&)> attach)
      : view_(view), attach_(std::move(attach)) {}
  void open();
  bool is_open() const { return is_open_; }
  void close() { is_open_ = false; }
  void draw(UiContext& ui);
  bool handle_key(const KeyPress& press);

 private:
  void list(UiContext& ui, float height);
  void choose(const std::string& target, bool is_double_click);
  void begin();

  RunningJobsView& view_;
  std::function<void(const AttachPlan&)> attach_;
  bool is_open_ = false;
  bool just_opened_ = false;
  bool wants_begin_ = false;
  std::string target_;  ///< a process, or the name or path of a recording's socket
};

}  // namespace lacuna
