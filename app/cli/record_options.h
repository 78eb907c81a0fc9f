#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/session/live_plan.h"
#include "capture/session/step_filter.h"
#include "model/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// What `lacuna record` and `lacuna live` are asked for.
struct RecordOptions {
  std::string output;                 ///< empty: named after the program and the time
  std::string directory;
  std::vector<std::string> variables; ///< NAME=value, set for the target
  std::vector<std::string> command;   ///< empty: the demo workload
  bool no_nvtx = false;
  bool no_cuda = false;
  bool no_torch = false;
  bool memory = false;
  bool whole_graphs = false;
  bool shapes = false;
  bool verbose = false;
  std::uint32_t ring_kib = 0;
  std::size_t limit = 12;             ///< rows of the table at the end
  StepSchedule schedule;

  std::string live;                   ///< socket at which a window may watch; empty: named after the program
  bool is_shared = false;             ///< --live was given

  double keep_seconds = 0;            ///< only for `lacuna live`; 0 = everything
  double keep_gb = 0;

  void add_to(CLI::App& command);
  /// The options that `lacuna live` has, too.
  void add_capture_to(CLI::App& command);
  /// How much a window keeps (`lacuna live`, `lacuna attach`).
  void add_keep_to(CLI::App& command);
  KeepLimit keep_limit() const;
  /// `lacuna live`: those, and how much to keep.
  void add_live_to(CLI::App& command);
  /// What `lacuna live` launches. Errors: nothing to launch.
  Result<LivePlan> live_plan() const;
};

}  // namespace lacuna
