#pragma once

#include <string>
#include <string_view>

#include "app/graphics_options.h"
#include "model/base/result.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna attach PID`: what can be had of a program that was started without Lacuna.
struct AttachProcess {
  std::string output;  ///< where the trace goes; empty: only say what can be done
  std::string duration;
  bool force = false;
  bool is_shared = false;     ///< --live: a window here may watch
  std::string live;           ///< … at this socket, a path or name; empty: attach-PID
  unsigned gpu_counters = 0;  ///< a second; 0: none
  std::string unwatched;      ///< ends when no window has watched for so long
  void add_to(CLI::App& attach);
};

/// The process that a word of the command line means; 0: none, it is a name.
int process_named(const std::string& word);
/// Whether it is a number, of which nobody would expect that it is a name.
bool is_like_a_process(const std::string& word);

/// What a window shows of `target`, as `lacuna attach` takes it: a recording that runs (empty: the only one), or a
/// dormant program. Errors: there is neither; what can be done with such a process in its place.
Result<AttachPlan> plan_to_attach(const std::string& target, const KeepLimit& keep);

/// Without an output: an error that says what can be done with this process, and how. With one: looks at it from
/// outside (thread states, Python's stacks) until Ctrl+C, the end of `duration` or of the process, and writes a trace.
Result<void> attach_process(int pid, const AttachProcess& options);

}  // namespace lacuna
