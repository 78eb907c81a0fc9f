#pragma once

#include "capture/session/trace_recorder.h"
#include "model/base/time.h"

namespace lacuna {

/// One line on a terminal that is written over again and again; nothing elsewhere. It falls silent for good once the
/// command reads the terminal, or has set it up for itself: a prompt, a debugger and what the user types are not ours
/// to write over. One thread.
class StatusLine {
 public:
  /// `wanted` false: never a line.
  explicit StatusLine(bool wanted);
  /// Writes the line anew, at most every quarter of a second. `target`: the command, which may read the terminal, as
  /// may its children.
  void show(const TraceRecorder& recorder, int target, Nanos elapsed);
  /// Removes the line; to be called before something else is printed.
  void clear();

 private:
  bool is_on_ = false;
  bool is_shown_ = false;
  unsigned terminal_mode_ = 0;  ///< c_lflag at the start
  Nanos due_ = 0;
};

}  // namespace lacuna
