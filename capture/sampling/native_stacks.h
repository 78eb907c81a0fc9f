#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/sampling/joined_stack.h"
#include "capture/sampling/perf_records.h"
#include "capture/sampling/stack_lane.h"
#include "capture/sampling/text_pool.h"

namespace lacuna {

/// Turns a thread's sample by the kernel (registers and a piece of its stack) into named frames: unwound
/// with the program's unwind tables, as debuggers do, so that programs without frame pointers have complete stacks;
/// named by its symbol tables. Frames of stripped files are file name and offset. One process; one thread at
/// a time.
///
/// Reading the symbols of a large library (libtorch) takes half a second, in which the sampler would sample nothing:
/// a thread of its own reads them, and the stacks wait for it.
class NativeStacks {
 public:
  NativeStacks(int pid, TextPool& texts);
  ~NativeStacks();
  NativeStacks(const NativeStacks&) = delete;
  NativeStacks& operator=(const NativeStacks&) = delete;

  /// `address`: anything in the program or library that is Python; identifies its frames.
  void knows_python(std::uint64_t address) {
    if (std::exchange(python_address_, address) != address) named_.clear();
  }

  /// Adds a sample and unwinds it at once. Drops it if not even the innermost frame is known. `python`: the
  /// thread's Python stack of the same moment.
  void take(const PerfRecord& sample, std::optional<PythonStack> python);
  /// Adds a Python stack without a native sample: the thread did not run, or the kernel provides none. If it was
  /// recently sampled at the same lines, it is assumed to be in the same native frames.
  void take_python(std::uint32_t tid, std::uint64_t time, const PythonStack& python);

  struct Named {
    std::uint32_t tid;
    std::uint64_t time;  ///< CLOCK_MONOTONIC ns
    bool is_python;
    std::span<const SampledFrame> frames;  ///< outermost first; valid during the call
  };
  using Visit = std::function<void(const Named&)>;
  /// Visits the samples before `until` whose names are known, in time order; with `waits`, waits for all.
  void hand_over(std::uint64_t until, bool waits, const Visit& visit);
  std::size_t unnamed() const { return taken_.size(); }
  /// Returns the time of the first pending sample.
  std::optional<std::uint64_t> oldest() const {
    return taken_.empty() ? std::nullopt : std::optional(taken_.front().time);
  }

 private:
  struct Unwinder;
  struct Sample {
    std::uint32_t tid = 0;
    std::uint64_t time = 0;
    std::vector<std::uint64_t> addresses;  // innermost first
    std::optional<PythonStack> python;
  };
  bool unwind();
  bool look_for_libraries();
  struct Joined {
    std::uint64_t time = 0;
    PythonStack python;
    std::vector<SampledFrame> frames;
  };
  void add(Sample sample);
  void name(const Sample& sample);
  bool is_named(std::uint64_t address, bool waits);
  NativeFrame frame_at(std::uint64_t address);

  TextPool& texts_;
  std::unique_ptr<Unwinder> unwinder_;
  std::deque<Sample> taken_;
  std::unordered_map<std::uint64_t, NativeFrame> named_;  // by address
  std::vector<NativeFrame> natives_;
  std::vector<SampledFrame> frames_;
  std::unordered_map<std::uint32_t, Joined> joined_;  // the last one of each thread
  std::uint64_t python_address_ = 0;
  std::uint64_t looked_ = 0;      // time of the last library lookup
  std::uint64_t look_every_ = 0;  // interval between lookups
};

}  // namespace lacuna
