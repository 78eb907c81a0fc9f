#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/core/latest_job.h"
#include "app/gui/core/shortcut.h"
#include "app/gui/models/live/launch_form.h"
#include "app/gui/panels/ui_context.h"
#include "capture/session/doctor.h"

namespace lacuna {

/// Asks what to launch and what to capture, and shows the exact command and which parts of live
/// capture work on this machine. Fully usable by keyboard: Tab from field to field, Up and Down through the
/// recent launches, Alt+1 … Alt+8 for the switches, Enter starts, Escape closes. UI thread.
class LaunchDialog {
 public:
  /// `launch` is called with the plan to start.
  LaunchDialog(std::function<void(const LivePlan&)> launch, std::function<void()> wake)
      : launch_(std::move(launch)), doctor_job_(std::move(wake)) {}

  /// `failure`: reopens with the launch that failed.
  void open(const std::vector<LaunchForm>& recent, const std::optional<LaunchFailure>& failure = {});
  bool is_open() const { return is_open_; }
  void close() { is_open_ = false; }
  void draw(UiContext& ui);
  bool handle_key(const KeyPress& press);
  const LaunchForm& form() const { return form_; }
  /// Returns why the shown form could not be started; empty once the form was changed.
  const std::string& failure() const { return failure_; }

 private:
  void fields(UiContext& ui);
  void switches(UiContext& ui);
  void keep(UiContext& ui);
  void steps(UiContext& ui);
  void recent_launches(UiContext& ui);
  void what_will_run(UiContext& ui, ImVec2 size);
  void machine(UiContext& ui, ImVec2 size);
  void start(UiContext& ui);
  /// Shows the recent launch `direction` further back; -1 = more recent.
  void step_history(int direction);
  static int on_history(ImGuiInputTextCallbackData* data);
  void update_plan();

  std::function<void(const LivePlan&)> launch_;
  bool is_open_ = false;
  bool just_opened_ = false;
  bool wants_start_ = false;
  LaunchForm form_;
  std::string failure_;
  LaunchForm failed_;
  LaunchForm typed_;  ///< the form before the history was browsed
  std::vector<LaunchForm> recent_;
  int at_ = -1;  ///< index of the launch shown; -1: typed_
  // The plan of the form, updated when it changes.
  std::optional<LaunchForm> planned_;
  Result<LivePlan> plan_;
  std::vector<std::pair<std::string, std::string>> environment_;
  LatestJob<std::vector<Checkup>> doctor_job_;
  std::shared_ptr<const std::vector<Checkup>> checkups_;
  bool asked_doctor_ = false;
};

}  // namespace lacuna
