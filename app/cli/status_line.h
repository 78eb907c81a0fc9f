#pragma once

#include "capture/session/trace_recorder.h"
#include "model/base/time.h"

namespace lacuna {

/// One line of a terminal that is rewritten in place; writes nothing where there is no terminal. It stops for good once
/// the command reads the terminal or changes its mode, so as not to write over a prompt, a debugger or typed text.
/// One thread.
class StatusLine {
 public:
  /// `wanted` false: never writes.
  explicit StatusLine(bool wanted);
  /// Rewrites the line, at most every quarter of a second. `target`: process id of the command; it and its children may
  /// read the terminal.
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
