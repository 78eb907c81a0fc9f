#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/core/shortcut.h"
#include "app/gui/models/live/running_jobs_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Shows the programs that run already, and are dormant or answer requests, takes a trace of those that are chosen, and
/// opens what came. UI thread.
class JobsDialog {
 public:
  /// `open_files` is called with what came.
  JobsDialog(RunningJobsView& view, std::function<void(std::vector<std::string>)> open_files)
      : view_(view), open_files_(std::move(open_files)) {}
  void open();
  bool is_open() const { return is_open_; }
  /// A request under way goes on; it is shown again when the dialog is.
  void close() { is_open_ = false; }
  void draw(UiContext& ui);
  bool handle_key(const KeyPress& press);

 private:
  void list(UiContext& ui, float height);
  void window_of_time(UiContext& ui);
  void what(UiContext& ui);
  void buttons(UiContext& ui, bool& stays);
  void begin();
  bool may_begin() const;
  bool asks_kineto() const;

  RunningJobsView& view_;
  std::function<void(std::vector<std::string>)> open_files_;
  bool is_open_ = false;
  bool wants_begin_ = false;
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
