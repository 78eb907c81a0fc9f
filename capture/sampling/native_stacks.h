#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/sampling/perf_records.h"
#include "capture/sampling/stack_lane.h"
#include "capture/sampling/text_pool.h"

namespace lacuna {

/// Turns what the kernel took down of a thread (registers and a piece of its stack) into frames with names: unwound
/// by the program's unwind tables, as debuggers do it, so that programs without frame pointers have whole stacks;
/// named by its symbol tables. Files that are stripped give their name and an offset. One process; one thread at
/// a time.
class NativeStacks {
 public:
  NativeStacks(int pid, TextPool& texts);
  ~NativeStacks();
  NativeStacks(const NativeStacks&) = delete;
  NativeStacks& operator=(const NativeStacks&) = delete;

  /// Frames of a sample, outermost first; empty when not even the innermost one is known. Valid until the next call.
  std::span<const SampledFrame> unwind(const PerfRecord& sample);

 private:
  struct Unwinder;
  SampledFrame frame_at(std::uint64_t address);

  TextPool& texts_;
  std::unique_ptr<Unwinder> unwinder_;
  std::unordered_map<std::uint64_t, SampledFrame> named_;  // by address
  std::vector<SampledFrame> frames_;
  std::uint64_t reported_ = 0;  // when the process's libraries were last looked up
};

}  // namespace lacuna
