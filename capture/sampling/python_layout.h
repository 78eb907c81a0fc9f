#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capture/sampling/python_lines.h"

namespace lacuna {

/// Offsets of members, in bytes, in the structures of one version of CPython, taken from the headers of 3.8 to 3.13
/// (tests/capture/sampling_test.py runs against those that are installed). What is read with these offsets is
/// checked against the address of PyCode_Type, so that a build that differs yields no samples instead of wrong ones.
struct PythonLayout {
  enum class Frames : std::uint8_t {
    kObjects,       ///< up to 3.10: a list of PyFrameObject
    kBehindCFrame,  ///< 3.11, 3.12: the thread's _PyCFrame points to the current _PyInterpreterFrame
    kDirect,        ///< from 3.13
  };
  int minor = 0;
  Frames frames = Frames::kDirect;
  std::uint32_t interpreters = 0;         ///< in _PyRuntime
  std::uint32_t interpreter_threads = 0;  ///< in PyInterpreterState; its `next` has offset interpreter_next
  std::uint32_t interpreter_next = 0;
  std::uint32_t thread_next = 0;       ///< in PyThreadState
  std::uint32_t thread_id = 0;         ///< pthread_self()
  std::uint32_t thread_native_id = 0;  ///< 0 = has none (up to 3.10)
  std::uint32_t thread_frame = 0;
  std::uint32_t cframe_frame = 0;
  std::uint32_t frame_previous = 0;
  std::uint32_t frame_code = 0;
  std::uint32_t frame_instruction = 0;
  std::uint32_t frame_owner = 0;    ///< 0 = has none; 3 and more: a frame of the interpreter itself
  std::uint32_t frame_entry = 0;    ///< whether it begins a run of the interpreter's loop (3.11); 0 = not stated
  std::uint32_t code_filename = 0;  ///< in PyCodeObject
  std::uint32_t code_name = 0;
  std::uint32_t code_qualname = 0;  ///< 0 = has none (up to 3.10)
  std::uint32_t code_first_line = 0;
  std::uint32_t code_lines = 0;
  std::uint32_t code_instructions = 0;  ///< 0 = frames hold offsets (up to 3.10)
  std::uint32_t ascii_bytes = 0;        ///< sizeof(PyASCIIObject)
  std::uint32_t compact_bytes = 0;      ///< sizeof(PyCompactUnicodeObject)
  LineTable line_table = LineTable::kLocations;
};

inline constexpr int kFirstPythonMinor = 8;
inline constexpr int kLastPythonMinor = 13;

/// Returns the layout of a Python version; nothing when the version is not known.
std::optional<PythonLayout> python_layout(int major, int minor);

/// The version of Python in a running process, and the addresses of its symbols.
struct PythonProgram {
  int major = 0;
  int minor = 0;
  std::uint64_t runtime = 0;       ///< _PyRuntime
  std::uint64_t runtime_size = 0;  ///< includes the (main) interpreter's lock, which threads wait for
  std::uint64_t code_type = 0;     ///< PyCode_Type
};

/// Finds Python's symbols in the program and the libraries of a process. Nothing when there is no Python, or its files
/// cannot be read.
std::optional<PythonProgram> find_python(int pid);

}  // namespace lacuna
