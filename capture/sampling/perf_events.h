#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <poll.h>

#include "capture/sampling/perf_records.h"
#include "model/base/result.h"

namespace lacuna {

/// Context switches, beginnings, ends and names of threads, and samples of their stacks, as the kernel writes
/// them: of all that the calling thread starts from here on, and what that starts.
///
/// The events are made for the calling thread, are inherited, and awake with a program's exec. So nothing of a
/// target is missed, and of ourselves nothing is recorded; but what else this thread starts would be. One
/// ring per CPU, read in the order of time. One thread at a time, after open().
class PerfEvents {
 public:
  struct Wanted {
    bool switches = true;
    std::uint32_t stacks_per_second = 0;  ///< of running time of each thread; 0 = no stacks
  };
  /// kUnsupported when the kernel refuses, with what it said.
  static Result<PerfEvents> open(const Wanted& wanted);
  PerfEvents(PerfEvents&& other) noexcept;
  PerfEvents& operator=(PerfEvents&& other) noexcept;
  ~PerfEvents();

  /// Calls visit(record) for everything that happened before `until` (CLOCK_MONOTONIC ns), in the order of time.
  /// Visits records up to `until`; later ones wait for the next call.
  void read(std::uint64_t until, const std::function<void(const PerfRecord&)>& visit);
  /// Sleeps until then (CLOCK_MONOTONIC ns) or until a stack was sampled. False: it is time.
  bool wait_for_sample(std::uint64_t until);
  /// Calls visit(sample) for each sample that came since the last call, at once and in no order; read() hands them over
  /// later, too.
  void see_samples(const std::function<void(const PerfRecord&)>& visit);
  /// Samples while the kernel works for a thread count, too (system calls, page faults).
  bool sees_kernel_time() const { return sees_kernel_; }

  /// Largest copy of a stack in a sample.
  static constexpr std::uint32_t kStackBytes = 16384;

 private:
  struct Ring {
    int descriptor = -1;
    char* memory = nullptr;
    std::size_t bytes = 0;        // with the page before it
    std::vector<std::byte> text;  // what was taken out and not yet handed over
    std::size_t seen = 0;         // bytes of it that see_samples() went through
  };
  PerfEvents() = default;
  static void take_out(Ring& ring);

  std::vector<Ring> rings_;
  std::vector<pollfd> polled_;  // one a ring
  bool sees_kernel_ = false;
};

/// Why the kernel may have refused, and what would change that: for `lacuna doctor` and messages. `error` is
/// an errno.
std::string perf_advice(int error);

}  // namespace lacuna
