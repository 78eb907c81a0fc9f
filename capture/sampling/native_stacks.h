#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
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
///
/// Reading the symbols of a large library (libtorch) takes half a second, in which the sampler would look at nothing:
/// a thread of its own reads them, and the stacks wait for it.
class NativeStacks {
 public:
  NativeStacks(int pid, TextPool& texts);
  ~NativeStacks();
  NativeStacks(const NativeStacks&) = delete;
  NativeStacks& operator=(const NativeStacks&) = delete;

  /// Takes a sample: unwinds it at once. One of which not even the innermost frame is known is left out.
  void take(const PerfRecord& sample);

  /// A sample's thread, time (CLOCK_MONOTONIC ns) and frames, outermost first; valid during the call.
  using Visit = std::function<void(std::uint32_t tid, std::uint64_t time, std::span<const SampledFrame> frames)>;
  /// Hands over the samples whose names are there, in their order; with `waits` all of them.
  void hand_over(bool waits, const Visit& visit);
  std::size_t unnamed() const { return taken_.size(); }

 private:
  struct Unwinder;
  struct Sample {
    std::uint32_t tid = 0;
    std::uint64_t time = 0;
    std::vector<std::uint64_t> addresses;  // innermost first
  };
  bool is_named(std::uint64_t address, bool waits);
  SampledFrame frame_at(std::uint64_t address);

  TextPool& texts_;
  std::unique_ptr<Unwinder> unwinder_;
  std::deque<Sample> taken_;
  std::unordered_map<std::uint64_t, SampledFrame> named_;  // by address
  std::vector<SampledFrame> frames_;
  std::uint64_t reported_ = 0;  // when the process's libraries were last looked up
};

}  // namespace lacuna
