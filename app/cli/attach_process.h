#pragma once

#include <string>
#include <string_view>

#include "app/graphics_options.h"
#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna attach PID`: records or describes a program that was started without Lacuna.
struct AttachProcess {
  std::string output;  ///< where the trace goes; empty: only say what can be done
  std::string duration;
  bool force = false;
  bool is_shared = false;     ///< --live: a window here may watch
  std::string live;           ///< socket of --live, a path or a name; empty: attach-PID
  unsigned gpu_counters = 0;  ///< a second; 0: none
  std::string unwatched;      ///< duration without a watching window after which the recording ends
  void add_to(CLI::App& attach);
};

/// The process id that `word` of the command line gives; 0: it is a name.
int process_named(const std::string& word);
/// Whether `word` is a number, and so surely no name of a recording.
bool is_like_a_process(const std::string& word);

/// What a window shows of `target`, as `lacuna attach` takes it: a recording that runs (empty: the only one), or a
/// dormant program. Errors: there is neither; the message says what else can be done with the process.
Result<AttachPlan> plan_to_attach(const std::string& target, const KeepLimit& keep);

/// Without an output: an error that says what can be done with this process, and how. With one: looks at it from
/// outside (thread states, Python's stacks) until Ctrl+C, the end of `duration` or of the process, and writes a trace.
Result<void> attach_process(int pid, const AttachProcess& options);

}  // namespace lacuna
