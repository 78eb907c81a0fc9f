#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/split_words.h"
#include "capture/session/live_plan.h"
#include "capture/session/record_gate.h"
#include "capture/session/step_filter.h"
#include "model/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lacuna {

/// --gpu-counters[=N].
CLI::Option* add_gpu_counters_to(CLI::App& app, unsigned& per_second);

/// The options of `lacuna record` and `lacuna live`.
struct RecordOptions {
  std::string output;  ///< may hold %p, %r, …; empty: named after the program and the time (claim_output)
  bool force = false;  ///< replaces an existing file
  std::string directory;
  std::vector<std::string> variables;  ///< NAME=value, set for the target
  std::vector<std::string> command;    ///< empty: the demo workload
  bool no_nvtx = false;
  bool no_cuda = false;
  bool no_torch = false;
  bool memory = false;
  bool whole_graphs = false;
  bool shapes = false;
  bool allocator = false;
  bool verbose = false;
  std::uint32_t ring_kib = 0;
  bool per_rank = false;   ///< a trace for each rank
  std::size_t limit = 12;  ///< rows of the table at the end
  StepSchedule schedule;
  std::string step_range;
  double step_every = 0;         ///< seconds
  std::string wait_for = "all";  ///< or "child"
  bool no_status = false;
  bool quiet = false;      ///< nothing but errors and warnings
  bool dormant = false;    ///< starts the program without recording until a window or command attaches
  bool exit_zero = false;  ///< returns 0 for any exit code of the command
  SamplingOptions sampling;
  bool no_metrics = false;
  unsigned metrics_per_second = MetricsOptions{}.per_second;
  unsigned gpu_counters = 0;  ///< a second; 0: none

  std::string live;        ///< socket at which a window may watch; empty: named after the program
  bool is_shared = false;  ///< --live was given

  double keep_seconds = 0;  ///< 0 = everything
  double keep_gb = 0;

  double delay = 0;      ///< seconds
  double duration = 0;   ///< seconds; 0 = until the end
  std::string start_on;  ///< name of the range that begins the recording
  std::string kill;      ///< what ends the command after `duration`; empty: "term"

  void add_to(CLI::App& command);
  /// The options that `lacuna live` has, too.
  void add_capture_to(CLI::App& command);
  /// How much a window keeps (`lacuna live`, `lacuna attach`).
  void add_keep_to(CLI::App& command);
  KeepLimit keep_limit() const;
  /// The options for when the recording begins and ends.
  void add_window_to(CLI::App& command);
  /// All options of `lacuna live`.
  void add_live_to(CLI::App& command);
  RecordWindow window() const;
  /// The signal that ends the command after `duration`; 0: none.
  int kill_signal() const;
  /// Says which options contradict each other; empty: none do.
  std::string contradiction() const;
  /// The plan for launch and capture; without a command, of the bundled demo with `demo_arguments`.
  /// Errors: nothing to launch.
  Result<LivePlan> live_plan(const std::vector<std::string>& demo_arguments) const;
};

/// Stores the command behind "--" in `options`. Returns what is wrong with it; empty: nothing.
std::string take_command(const SplitWords& words, RecordOptions& options);

}  // namespace lacuna
