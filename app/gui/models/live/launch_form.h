#pragma once

#include <string>
#include <vector>

#include "capture/session/live_plan.h"
#include "model/base/result.h"

namespace lacuna {

/// What the launch dialog asks, as the user typed it. A plain value; kept in the settings as one of the
/// recent launches.
struct LaunchForm {
  enum class Keep { kEverything, kSeconds, kGigabytes };

  std::string command;      ///< words as in a shell, nothing expanded (shell_words.h)
  std::string directory;    ///< empty = ours; "~" and "~/…" are the home folder
  std::string environment;  ///< NAME=value words, quoted like the command
  bool nvtx = true;
  bool cuda = true;
  bool torch = true;
  bool shapes = false;
  bool allocations = false;                          ///< of PyTorch's allocators
  bool stacks = true;                                ///< by sampling
  bool states = true;                                ///< of threads
  bool metrics = true;                               ///< of GPUs and host
  bool counters = false;                             ///< of GPUs' performance monitors, beside these
  int wait = 0, warmup = 0, active = 0, repeat = 0;  ///< steps; active 0 = no schedule
  Keep keep = Keep::kEverything;
  double limit = 60;  ///< seconds or GB
  bool operator==(const LaunchForm&) const = default;
};

/// What the form asks for. kInvalidArgument says which field makes no sense, and why.
Result<LivePlan> plan_of(const LaunchForm& form);
/// The form that asks for a plan.
LaunchForm form_of(const LivePlan& plan);

/// Recent launches, latest first: no command twice, at most kMostLaunches.
inline constexpr std::size_t kMostLaunches = 20;
void remember_launch(std::vector<LaunchForm>& launches, const LaunchForm& form);

/// A launch as JSON text, and back: what is missing or makes no sense keeps its default.
std::string format_launch(const LaunchForm& form);
LaunchForm parse_launch(const std::string& json);

}  // namespace lacuna
