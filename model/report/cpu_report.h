#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report/cpu_use.h"
#include "model/report/machine_limits.h"
#include "model/threads/seen_places.h"
#include "model/trace/trace.h"

namespace lacuna {

/// An operator call with less self time than this is mostly overhead: dispatch, checks,
/// allocation of the result.
inline constexpr Nanos kShortCallNs = 10'000;

/// One thread with operators.
struct CpuThread {
  TrackId track;
  Nanos in_operators = 0;  ///< union of its operators in the window
};

/// Time of the leading thread between operators, attributed to the innermost Python frame or range around it. Frames
/// of C code count for the Python frame that called them; ProfilerSteps do not count.
struct CpuFrame {
  StringId name = kEmptyString;  ///< empty: nothing was recorded
  bool waits = false;            ///< its callee waits (`call`), judged by name or by the thread's states
  bool is_sampled = false;       ///< from stack samples: times are estimates, and `call` may be computing
  std::string call;              ///< "acquire", "time.sleep": what it called in C
  Nanos time = 0;
  std::uint64_t places = 0;
  TimeSpan longest;  ///< its longest stretch
  SliceId slice;     ///< the slice of that stretch; the innermost one of sampled stacks
};

/// What one process did on the CPU in the window: the one with the steps, else the one with the most time in
/// operators (without operators: in ranges). Sums over the window; only for files without GPU activity.
struct CpuReport {
  bool is_known = false;  ///< whether there is such a process
  ProcessId process;
  TrackId thread;               ///< the leading thread: with the steps, else with the most such time
  CpuUse use;                   ///< adds up to the window
  std::vector<CpuUse> by_step;  ///< as Report::by_step

  // Operators.
  std::uint64_t calls = 0;  ///< all calls, including nested ones
  Nanos own_time = 0;       ///< self time: sum of the calls' durations minus their children's, over all threads
  Nanos matrix = 0;         ///< part of own_time: is_matrix_operator()
  Nanos copies = 0;         ///< part of own_time: is_copy_operator()
  Nanos short_calls = 0;    ///< part of own_time: in calls with less than kShortCallNs of self time
  std::uint64_t short_count = 0;
  SliceId longest_matrix, longest_copy;

  // Threads.
  std::uint64_t thread_count = 0;  ///< number of the process's threads with slices in the window
  std::vector<CpuThread> threads;  ///< threads with operators, most time first
  Nanos operators_any = 0;         ///< time in which at least one thread was in an operator
  Nanos operators_parallel = 0;    ///< time in which two or more were

  // Waiting for data.
  Nanos data_from_workers = 0;  ///< part of kDataLoading: batches come from worker processes
  std::uint64_t data_waits = 0;
  SliceId longest_data;

  SliceId longest_collective;

  // Gaps between operators.
  std::uint64_t short_gaps = 0, long_gaps = 0;
  Nanos median_gap = 0;  ///< median of the short ones
  TimeSpan longest_short_gap, longest_long_gap;

  std::vector<CpuFrame> frames;  ///< most time first; their sum is kPython + kLongGaps + kWaiting (or kRanges + …)

  // Observations of the leading thread from outside, if recorded.
  bool has_states = false, has_stacks = false;
  Nanos preempted_in_gaps = 0;          ///< part of kLongGaps in which it was runnable without a CPU
  StringId most_waited = kEmptyString;  ///< the state with most of kWaiting: "waiting: sleep"
  Nanos most_waited_time = 0;

  Nanos gil = 0;                       ///< part of kWaiting: for the lock of Python's interpreter (GIL)
  std::vector<SeenPlace> gil_holders;  ///< where other threads were during those waits
  // Where the leading thread was, by stack samples.
  std::vector<SeenPlace> waiting_places, gap_places;  ///< during kWaiting and kLongGaps
  std::vector<SeenPlace> loading;                     ///< while it loaded data itself
  std::vector<SeenPlace> workers;                     ///< where other processes were while it waited for their data

  // Sums over all threads of the process.
  Nanos all_running = 0, all_preempted = 0;
  std::uint64_t active_threads = 0;  ///< threads that needed a CPU for kActiveShare of the window or more
  MachineLimits limits;

  std::uint64_t other_processes = 0;  ///< other processes of the file with operators, ranges or frames in the window

  double part_of_own(Nanos t) const {
    return own_time == 0 ? 0 : static_cast<double>(t) / static_cast<double>(own_time);
  }
};

/// Whether the operator is compute-bound by nature: matrix products, convolutions, attention and recurrent layers.
bool is_matrix_operator(std::string_view name);
/// Whether the operator only moves or converts data.
bool is_copy_operator(std::string_view name);
/// Returns the call in which a frame of C code waits ("acquire", "sleep", "recv"), or nothing if it does not wait:
/// locks, semaphores, sockets, pipes, files, processes and time, as Python's profiler names them.
std::string_view waiting_call(std::string_view frame);

}  // namespace lacuna
