#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "capture/sampling/stack_lane.h"

namespace lacuna {

/// A Python stack as it was read from outside. The innermost frame comes first.
struct PythonStack {
  enum class Calls : std::uint8_t {
    kNothing,  ///< the innermost frame's instruction calls nothing, by its source
    kUnknown,  ///< its source is not known
    kSomething,
  };
  std::vector<SampledFrame> frames;
  /// How many of `frames` each run of the interpreter's loop (_PyEval_EvalFrameDefault) has; up to Python 3.10 one.
  std::vector<std::uint32_t> loops;
  Calls calls = Calls::kUnknown;
  SampledFrame called;  ///< what is called, as the source names it; without a name where it does not

  void clear() { *this = {}; }
  /// The same functions at the same lines.
  bool is_same_place(const PythonStack& other) const;
};

/// A frame of the native stack of a thread that runs Python.
struct NativeFrame {
  SampledFrame frame;
  bool is_interpreter = false;  ///< of the program or library that is Python itself
  bool is_library = false;      ///< of the C library and what lies below it
};

/// Puts the two stacks of one moment together as `py-spy --native` does: Python's frames stand in the place of the
/// interpreter's, functions in C that they call (or that call them: sorted() and its key) below them. Functions of the
/// interpreter that only pass calls on are left out. `native`: the innermost first; empty = not known. `is_whole`: it
/// reaches down to where the thread began. `out`: the outermost frame first.
///
/// False, and `out` has Python's frames only, where the two stacks are not of one moment: they differ in how often the
/// interpreter's loop runs.
bool join_stacks(const PythonStack& python, std::span<const NativeFrame> native, bool is_whole,
                 std::vector<SampledFrame>& out);

/// Is it the interpreter's loop, which runs Python's functions?
bool is_interpreter_loop(const NativeFrame& frame);

}  // namespace lacuna
