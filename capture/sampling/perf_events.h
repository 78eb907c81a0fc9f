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

/// Context switches, starts, ends and names of threads, and samples of their stacks, recorded by the kernel:
/// for all processes that the calling thread starts from now on, and their descendants.
///
/// The events are opened for the calling thread, inherited, and enabled by a program's exec. So they miss nothing of a
/// target and record nothing of ourselves; but anything else that this thread starts is recorded. One
/// ring per CPU, read in time order. One thread at a time, after open().
class PerfEvents {
 public:
  struct Wanted {
    bool switches = true;
    std::uint32_t stacks_per_second = 0;  ///< per second of each thread's running time; 0 = no stacks
  };
  /// Errors: kUnsupported when the kernel refuses, with its error.
  static Result<PerfEvents> open(const Wanted& wanted);
  PerfEvents(PerfEvents&& other) noexcept;
  PerfEvents& operator=(PerfEvents&& other) noexcept;
  ~PerfEvents();

  /// Calls visit(record) for everything that happened before `until` (CLOCK_MONOTONIC ns), in the order of time.
  /// Visits records up to `until`; later ones wait for the next call.
  void read(std::uint64_t until, const std::function<void(const PerfRecord&)>& visit);
  /// Sleeps until `until` (CLOCK_MONOTONIC ns) or until a stack was sampled. Returns false at the time limit.
  bool wait_for_sample(std::uint64_t until);
  /// Calls visit(sample) for each sample since the last call, immediately and unordered; read() still visits them
  /// later.
  void see_samples(const std::function<void(const PerfRecord&)>& visit);
  /// Whether samples are also taken while the kernel works for a thread (system calls, page faults).
  bool sees_kernel_time() const { return sees_kernel_; }

  /// Limit of the stack bytes copied into a sample.
  static constexpr std::uint32_t kStackBytes = 16384;

 private:
  struct Ring {
    int descriptor = -1;
    char* memory = nullptr;
    std::size_t bytes = 0;        // size with the page before it
    std::vector<std::byte> text;  // records taken out of the ring, not visited yet
    std::size_t seen = 0;         // bytes of `text` that see_samples() has visited
  };
  PerfEvents() = default;
  static void take_out(Ring& ring);

  std::vector<Ring> rings_;
  std::vector<pollfd> polled_;  // one per ring
  bool sees_kernel_ = false;
};

/// Returns why the kernel may have refused, and what to change: for `lacuna doctor` and messages. `error` is
/// an errno.
std::string perf_advice(int error);

}  // namespace lacuna
