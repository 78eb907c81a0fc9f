#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/panels/live/running_dialog.h"

namespace lacuna {

/// Shows the programs that run already, and are dormant or answer requests, takes a trace of those that are chosen, and
/// opens what came. A request under way goes on when it is closed, and is shown again when it is opened. UI thread.
class JobsDialog : public RunningDialog {
 public:
  /// `open_files` is called with what came.
  JobsDialog(RunningJobsView& view, std::function<void(std::vector<std::string>)> open_files)
      : RunningDialog(view), open_files_(std::move(open_files)) {}
  void open();
  void draw(UiContext& ui);

 private:
  void list(UiContext& ui, float height);
  void window_of_time(UiContext& ui);
  void what(UiContext& ui);
  void buttons(UiContext& ui);
  void begin();
  bool may_begin() const;
  bool asks_kineto() const;

  std::function<void(std::vector<std::string>)> open_files_;
  bool opens_at_end_ = false;  ///< what comes is opened
  std::set<int> left_out_;     ///< processes that are not asked; new ones are
  bool by_steps_ = false;
  bool snapshot_ = false;  // of memory, in place of a trace
  double seconds_ = 2;
  int steps_ = 3;
  bool shapes_ = false, stacks_ = false, memory_ = false, modules_ = false;
  std::string folder_;
};

/// Draws, on the start page, the jobs that run and a button that leads to the dialog; nothing where none runs.
void draw_running_jobs(UiContext& ui, RunningJobsView& running, float width);

}  // namespace lacuna
