#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/report/machine_limits.h"
#include "model/threads/program_threads.h"
#include "model/threads/seen_places.h"
#include "model/trace/trace.h"

namespace lacuna {

/// All sampled frames of one name on one process's stacks. Times are estimates: a sample stands for a period.
struct SampledFunction {
  StringId name = kEmptyString;
  Nanos self = 0;   ///< time as the innermost frame
  Nanos total = 0;  ///< time anywhere on the stack; recursion counts once
  std::uint64_t places = 0;
  SliceId longest;  ///< its longest slice
};

/// What a program without GPU work, operators, ranges and recorded frames did, from thread states and sampled stacks.
/// Covers the process whose threads ran most, and its leading threads: the one that ran most with those that have
/// the same entry function, or, if these mostly wait for the others (a polling server, the owner of a pool), those
/// that did the work.
struct ProgramReport {
  bool is_known = false;  ///< the file has such tracks, and nothing more informative
  ProcessId process;
  TrackId thread;                   ///< states of the leading thread that ran most, or its stacks if it has none
  std::uint64_t leading_count = 1;  ///< number of leading threads
  StringId entry = kEmptyString;    ///< their entry function, if there are several
  /// Of the leading thread; of several, the mean while any of them lived. Adds up to the window.
  std::array<Nanos, kProgramKindCount> by_kind{};
  Nanos all_running = 0;  ///< sum over all threads of the process
  Nanos all_preempted = 0;
  std::uint64_t thread_count = 0;  ///< the process's threads seen in the window
  std::uint64_t active_count = 0;  ///< of these, those that needed a CPU for kActiveShare of the window or more
  std::uint64_t other_processes = 0;
  SliceId longest_wait;                    ///< of the leading threads, including preemption
  std::vector<SampledFunction> functions;  ///< of the process; most self time first
  Nanos sampled = 0;                       ///< sum of self times

  std::array<std::vector<SeenPlace>, kProgramKindCount> places;  ///< where the leading threads were, by kind
  std::vector<SeenPlace> meanwhile;  ///< where other threads were while a leading one waited for a lock or the GIL
  std::vector<SeenPlace> children;   ///< where other processes were while it waited for a child, a lock, or input
  /// Time of the leading threads in known kinds of work, as by_kind as a fraction of the window, and the place with
  /// most of it.
  struct Work {
    double share = 0;
    SeenPlace place;
  };
  std::array<Work, kKnownWorkCount> works;
  /// Another thread of the process that waited for a lock more than the leading ones, in code of its own.
  struct Contention {
    Nanos waited = 0;
    TrackId thread;
    SeenPlace place;                   ///< where it waits
    std::vector<SeenPlace> meanwhile;  ///< where others were at that time
  };
  Contention contention;
  MachineLimits limits;

  Nanos at(ProgramKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  const std::vector<SeenPlace>& places_of(ProgramKind kind) const { return places[static_cast<std::size_t>(kind)]; }
  const Work& work(KnownWork of) const { return works[static_cast<std::size_t>(of)]; }
};

/// From this fraction of the window on (1/4), waiting for the GIL is the verdict: running threads block each other.
inline constexpr Nanos kGilPart = 4;
/// If the quota throttles the program in at least this fraction of its periods, the quota is the limit.
inline constexpr double kThrottledEnough = 0.1;
/// A thread that needs a CPU for at least this fraction of the window counts as competing for CPUs.
inline constexpr double kActiveShare = 0.05;

/// Returns the time from the first to the last thread state or sample of the file; nothing() without any.
TimeSpan window_of_program(const Trace& trace, SourceId source);
/// Read-only, any thread. O(slices of such tracks). Unknown if the file has none.
ProgramReport report_program(const Trace& trace, SourceId source, TimeSpan window);

}  // namespace lacuna
