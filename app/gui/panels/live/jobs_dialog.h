#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/panels/live/running_dialog.h"

namespace lacuna {

/// Lists the running programs that are dormant or answer requests, takes a trace of the chosen ones, and
/// opens the results. A running request continues when it is closed, and is shown again when reopened. UI thread.
class JobsDialog : public RunningDialog {
 public:
  /// `open_files` is called with the resulting files.
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
  bool opens_at_end_ = false;  ///< open the resulting files
  std::set<int> left_out_;     ///< processes excluded by the user; new ones are included
  bool by_steps_ = false;
  bool snapshot_ = false;  // take a memory snapshot instead of a trace
  double seconds_ = 2;
  int steps_ = 3;
  bool shapes_ = false, stacks_ = false, memory_ = false, modules_ = false;
  std::string folder_;
};

/// Draws on the start page the running jobs and a button for the dialog; nothing if there are none.
void draw_running_jobs(UiContext& ui, RunningJobsView& running, float width);

}  // namespace lacuna
