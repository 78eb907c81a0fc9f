#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "capture/sampling/native_stacks.h"
#include "capture/sampling/perf_events.h"
#include "capture/sampling/proc_states.h"
#include "capture/sampling/process_tree.h"
#include "capture/sampling/python_stacks.h"
#include "capture/sampling/sampling_options.h"
#include "capture/sampling/stack_lane.h"
#include "capture/sampling/state_lane.h"
#include "capture/sampling/text_pool.h"
#include "capture/session/launcher.h"

namespace lacuna {

/// Returns a warning about samples that were due but taken too late: their share, the cause and a remedy. Empty where
/// fewer than one in 50 are. `busy_ns`: CPU time of the sampling thread within `wall_ns`; `rate`: samples per second
std::string words_on_late_looks(std::uint64_t made, std::uint64_t missed, std::uint64_t busy_ns, std::uint64_t wall_ns,
                                unsigned rate);

/// Observes a running program and its descendants from outside: samples its threads' stacks and records their states.
///
/// A thread of its own starts the target (so that only the target inherits the perf events), samples it periodically
/// and makes slices; take() returns them. What this machine does not allow is reported in a message, and replaced by
/// other means or left out. The target is never stopped, and nothing is injected into it.
class ProgramSampler {
 public:
  explicit ProgramSampler(const SamplingOptions& options) : options_(options) {}
  ~ProgramSampler() { stop(); }
  ProgramSampler(const ProgramSampler&) = delete;
  ProgramSampler& operator=(const ProgramSampler&) = delete;

  /// Starts the target and observes it from its first instruction on. Call once.
  Result<Launcher> launch(const LaunchOptions& options);
  /// Observes a running process and its descendants, in place of launch(): samples Python stacks, reads thread states
  /// from /proc. perf events cover only the processes that it starts from now on. Call once.
  void look_at(std::uint32_t pid);
  /// Also observes this process and its descendants.
  void watch(std::uint32_t pid);
  /// Ends the open slices and stops sampling; take() then returns the rest.
  void stop();

  struct Name {
    StreamedName::What what;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::string text;
  };
  struct Delivery {
    std::vector<Name> names;  ///< these belong before the slices
    std::vector<SampledSlice> slices;
    std::vector<std::string> messages;
  };
  /// Returns what was recorded since the last call. Any thread.
  Delivery take();
  /// Returns the slices that are still growing, as if they ended at `now` (CLOCK_MONOTONIC ns). Any thread.
  std::vector<SampledSlice> open_slices(std::uint64_t now) const;

  struct Counts {
    std::uint64_t processes = 0;  ///< all processes seen so far
    std::uint64_t slices = 0;
    std::uint64_t samples = 0;          ///< stacks sampled
    std::uint64_t broken = 0;           ///< stacks that were inconsistent
    std::uint64_t missed = 0;           ///< samples left out because they were late
    std::uint64_t lost = 0;             ///< perf records that the kernel dropped for lack of room
    std::uint64_t unseen_switches = 0;  ///< switches too short for the polling of /proc
  };
  Counts counts() const;

 private:
  using Clock = std::uint64_t;
  struct Thread {
    std::uint32_t pid = 0;
    bool is_python = false;
    Clock ended = 0;        // when it ended, where samples of before still wait for their names
    Clock joined = 0;       // when its Python stack was last read together with a native sample
    bool was_seen = false;  // whether the last listing of the process's threads had it
    bool is_gone = false;   // whether its process was missing in the last listing of processes
    std::unique_ptr<StateLane> states;
    std::unique_ptr<StackLane> stacks;
  };
  struct PythonProcess {
    std::unique_ptr<PythonStacks> stacks;  // null: not found yet, or cannot be read
    PythonProgram program;                 // where its Python symbols are
    std::uint64_t look_again = 0;
    std::uint64_t look_every = 0;  // the interval between two attempts
    bool has_said = false;
  };
  template <class Run>
  void start_thread(Run&& run);
  /// No std::promise: where memory is short its end asks for some, which ends the process.
  struct Started {
    std::latch is_decided{1};
    std::optional<Result<Launcher>> target;  // nothing: not enough memory
  };
  void run(const LaunchOptions& launch, Started& started);
  void look_until_stopped();
  void open_events();
  void look(Clock now);
  void look_at_processes(Clock now);
  void look_for_python(int pid, bool is_new, Clock now);
  void sample_python(Clock now);
  void sample_beside_native();
  NativeStacks& native(std::uint32_t pid);
  void read_events(Clock now);
  void take_event(const PerfRecord& record);
  bool is_of_helper(const PerfRecord& record);
  void take_native(const PerfRecord& record);
  void name_stacks(std::uint32_t pid, NativeStacks& native, Clock until, bool waits);
  void look_at_states(Clock now);
  void explain_waits(Clock now);
  bool is_gil(std::uint32_t pid, std::uint64_t futex) const;
  void end_all(Clock now);
  void end_thread(std::uint32_t tid, Clock time);
  Thread& thread(std::uint32_t pid, std::uint32_t tid);
  StateLane& states(std::uint32_t pid, std::uint32_t tid);
  StackLane& stacks(std::uint32_t pid, std::uint32_t tid);
  std::string thread_name(std::uint32_t pid, std::uint32_t tid) const;
  void name_threads(std::uint32_t pid);
  void name_thread(std::uint32_t tid);
  void say(std::string message);
  void hand_over();

  const SamplingOptions options_;
  std::jthread thread_;
  std::atomic<bool> is_stopping_{false};

  // Used by the sampler's thread only.
  Clock period_ = 10'000'000;
  std::optional<PerfEvents> events_;
  ProcessTree tree_;
  ProcStates proc_states_;
  TextPool texts_;
  std::map<int, PythonProcess> python_;
  std::map<std::uint32_t, std::unique_ptr<NativeStacks>> native_;  // by pid
  std::map<std::pair<std::uint32_t, Clock>, PythonStack> beside_;  // stacks to join with samples, by tid and time
  std::set<int> processes_seen_;
  std::set<std::uint32_t> helpers_;  // see is_helper()
  Clock processes_looked_ = 0;
  Clock states_looked_ = 0;
  Clock events_read_ = 0;  // the kernel's records of before were read
  Delivery made_;
  Counts counted_;

  mutable std::mutex mutex_;
  // Guarded by mutex_; only the sampler's thread changes lanes, while it holds the mutex:
  std::unordered_map<std::uint32_t, Thread> threads_;
  Delivery ready_;
  Counts counts_;
  std::vector<int> to_watch_;
};

}  // namespace lacuna
