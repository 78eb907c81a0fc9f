#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/sampling/joined_stack.h"
#include "capture/sampling/python_layout.h"
#include "capture/sampling/python_source.h"
#include "capture/sampling/remote_memory.h"
#include "capture/sampling/text_pool.h"

namespace lacuna {

/// Reads the Python stacks of all threads of a running process from outside: without pausing or changing it, and
/// without the interpreter's lock. A stack that changes while it is read may mix two
/// moments; inconsistent stacks are left out and counted. One thread at a time.
class PythonStacks {
 public:
  PythonStacks(int pid, const PythonProgram& program, const PythonLayout& layout, TextPool& texts);

  /// Calls visit(tid, stack) for each thread that runs Python and passes is_wanted(tid). False when nothing could be
  /// read (see error(): the process has ended, has not begun, or may not be read).
  bool read(const std::function<bool(std::uint32_t)>& is_wanted,
            const std::function<void(std::uint32_t, const PythonStack&)>& visit);
  /// Reads the stack of one thread that the last read() found. Null when it was not found or the stack is inconsistent.
  const PythonStack* read_thread(std::uint32_t tid);
  int error() const { return memory_.error(); }
  std::uint64_t broken() const { return broken_; }  ///< inconsistent stacks so far

 private:
  /// A code object, as far as it was read.
  struct Code {
    std::uint64_t filename = 0, name = 0;  // addresses: another code object at the same place has others
    std::uint32_t first_line = 0;
    std::uint64_t checked = 0;  // when the code object was last verified (CLOCK_MONOTONIC ns)
    std::string_view title;     // "train.py(12): step"
    std::string_view file;
    std::string_view category;
    bool is_ours = false;  // a wrapper that Lacuna put around something, no part of the program
    std::string lines;
    struct Place {
      std::uint32_t line = 0;
      PythonStack::Calls calls = PythonStack::Calls::kUnknown;
      std::string_view called;  // "zlib.compress"
    };
    std::unordered_map<std::uint32_t, Place> places;  // by offset of the instruction
  };
  void begin_look();
  bool read_sensible(std::uint64_t thread);
  bool read_frames(std::uint64_t thread);
  bool add_frame(std::uint64_t frame, std::uint64_t& previous);
  void end_loop();
  Code* code_at(std::uint64_t address);
  const Code::Place& place_in(Code& code, std::uint32_t offset);
  std::string text_at(std::uint64_t address);
  std::string bytes_at(std::uint64_t address);
  std::string shown_path(std::string_view file);
  std::uint32_t tid_of(std::uint64_t thread);

  /// Code objects rarely change, and reading one costs a system call: each is verified at most this often.
  static constexpr std::uint64_t kCheckCodeEveryNs = 50'000'000;
  static constexpr std::size_t kMostFrames = 512;
  static constexpr std::size_t kMostCodes = 100'000;
  static constexpr std::size_t kMostText = 4096;
  static constexpr std::size_t kMostTable = std::size_t{1} << 20;

  RemoteMemory memory_;
  PythonProgram program_;
  PythonLayout layout_;
  TextPool& texts_;
  std::string directory_;
  std::unordered_map<std::uint64_t, Code> codes_;
  PythonSource source_;
  std::unordered_map<std::uint32_t, std::uint64_t> threads_;  // addresses of thread states found by read(), by tid
  PythonStack stack_;
  std::uint64_t now_ = 0;      // when this read began (CLOCK_MONOTONIC ns)
  std::uint32_t in_loop_ = 0;  // number of frames of stack_ that belong to the interpreter loop being read
  std::uint64_t broken_ = 0;
};

}  // namespace lacuna
