#pragma once

#include <functional>
#include <string>

#include "app/graphics_options.h"
#include "app/gui/panels/live/running_dialog.h"

namespace lacuna {

/// Lists what can be watched live: dormant programs, which it wakes, and running recordings. UI thread.
class AttachDialog : public RunningDialog {
 public:
  AttachDialog(RunningJobsView& view, std::function<void(const AttachPlan&)> attach)
      : RunningDialog(view), attach_(std::move(attach)) {}
  void open();
  void draw(UiContext& ui);

 private:
  void list(UiContext& ui, float height);
  void choose(const std::string& target, bool is_double_click);
  void begin();

  std::function<void(const AttachPlan&)> attach_;
  bool just_opened_ = false;
  std::string target_;  ///< a process id, or the name or path of a recording's socket
};

}  // namespace lacuna
