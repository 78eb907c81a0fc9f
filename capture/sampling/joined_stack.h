#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "capture/sampling/stack_lane.h"

namespace lacuna {

/// A Python stack read from outside. The innermost frame comes first.
struct PythonStack {
  enum class Calls : std::uint8_t {
    kNothing,  ///< by its source, the innermost frame's instruction calls nothing
    kUnknown,  ///< source unknown
    kSomething,
  };
  std::vector<SampledFrame> frames;
  /// The number of `frames` in each run of the interpreter's loop (_PyEval_EvalFrameDefault); up to 3.10 always 1.
  std::vector<std::uint32_t> loops;
  Calls calls = Calls::kUnknown;
  SampledFrame called;  ///< the called function as the source names it; empty name if unknown

  void clear() { *this = {}; }
  /// Whether both have the same functions at the same lines.
  bool is_same_place(const PythonStack& other) const;
};

/// A frame of the native stack of a thread that runs Python.
struct NativeFrame {
  SampledFrame frame;
  bool is_interpreter = false;  ///< in the program or library that is Python itself
  bool is_library = false;      ///< in the C library or below
};

/// Merges the Python and native stacks of one moment as `py-spy --native` does: Python frames replace the
/// interpreter's frames; C functions that they call (or that call them, like sorted() its key) are kept. Interpreter
/// functions that only forward calls are left out. `native`: innermost first; empty = unknown. `is_whole`: it
/// reaches down to the start of the thread. `out`: outermost frame first.
///
/// Returns false, with only Python's frames in `out`, if the stacks are not of the same moment: they have different
/// numbers of runs of the interpreter's loop.
bool join_stacks(const PythonStack& python, std::span<const NativeFrame> native, bool is_whole,
                 std::vector<SampledFrame>& out);

/// Whether the frame is the interpreter's loop, which runs Python functions.
bool is_interpreter_loop(const NativeFrame& frame);

}  // namespace lacuna
