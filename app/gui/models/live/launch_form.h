#pragma once

#include <string>
#include <vector>

#include "capture/session/live_plan.h"
#include "model/base/result.h"

namespace lacuna {

/// The fields of the launch dialog as the user typed them. A plain value; stored in the settings as one of the
/// recent launches.
struct LaunchForm {
  enum class Keep { kEverything, kSeconds, kGigabytes };

  std::string command;      ///< shell words without expansion (shell_words.h)
  std::string directory;    ///< empty = ours; "~" and "~/…" are the home folder
  std::string environment;  ///< NAME=value words, quoted like the command
  bool nvtx = true;
  bool cuda = true;
  bool torch = true;
  bool shapes = false;
  bool allocations = false;                          ///< record PyTorch's allocators
  bool stacks = true;                                ///< sample call stacks
  bool states = true;                                ///< record thread states
  bool metrics = true;                               ///< record metrics of GPUs and host
  bool counters = false;                             ///< also record the GPUs' performance counters
  int wait = 0, warmup = 0, active = 0, repeat = 0;  ///< steps; active 0 = no schedule
  Keep keep = Keep::kEverything;
  double limit = 60;  ///< seconds or GB
  bool operator==(const LaunchForm&) const = default;
};

/// Returns the plan for the form. kInvalidArgument names the invalid field and the reason.
Result<LivePlan> plan_of(const LaunchForm& form);
/// Returns the form for a plan.
LaunchForm form_of(const LivePlan& plan);

/// The most recent launches kept: latest first, each command once.
inline constexpr std::size_t kMostLaunches = 20;
void remember_launch(std::vector<LaunchForm>& launches, const LaunchForm& form);

/// Writes a launch as JSON text. Reading it back, missing or invalid fields keep their defaults.
std::string format_launch(const LaunchForm& form);
LaunchForm parse_launch(const std::string& json);

}  // namespace lacuna
