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
  Nanos self = 0;   ///< it was the innermost frame
  Nanos total = 0;  ///< it was somewhere on the stack; recursion counts once
  std::uint64_t places = 0;
  SliceId longest;  ///< of its slices
};

/// What a program without GPU work, operators, ranges and recorded frames did: thread states and sampled stacks. About
/// the process whose threads ran most, and in it about its leading threads: the one that ran most with those that have
/// the same entry function, or, where these mostly wait for the others (a server that polls, a pool's owner), those
/// that did the work.
struct ProgramReport {
  bool is_known = false;  ///< the file has such tracks, and nothing that says more
  ProcessId process;
  TrackId thread;                   ///< states of the leading thread that ran most, or its stacks where there are none
  std::uint64_t leading_count = 1;  ///< leading threads
  StringId entry = kEmptyString;    ///< their entry function, where there are several
  /// Of the leading thread; of several the mean one, each from its beginning to its end, stretched to the window.
  /// Adds up to the window.
  std::array<Nanos, kProgramKindCount> by_kind{};
  Nanos all_running = 0;  ///< sum over all threads of the process
  Nanos all_preempted = 0;
  std::uint64_t thread_count = 0;  ///< of the process, seen in the window
  std::uint64_t active_count = 0;  ///< of these, wanted a CPU for kActiveShare of the window or more
  std::uint64_t other_processes = 0;
  SliceId longest_wait;                    ///< of the leading threads, preemption included
  std::vector<SampledFunction> functions;  ///< of the process; most self time first
  Nanos sampled = 0;                       ///< sum of self times

  std::array<std::vector<SeenPlace>, kProgramKindCount> places;  ///< where the leading threads were, by what they did
  std::vector<SeenPlace> meanwhile;  ///< where other threads were while a leading one waited for a lock or the GIL
  std::vector<SeenPlace> children;   ///< where other processes were while it waited for a child, a lock, input
  /// Time of the leading threads on known work, as part of their time, and the place with most of it.
  struct Work {
    double share = 0;
    SeenPlace place;
  };
  std::array<Work, kKnownWorkCount> works;
  /// Another thread of the process that waited for a lock more than the leading ones did, in code of its own.
  struct Contention {
    Nanos waited = 0;
    TrackId thread;
    SeenPlace place;                   ///< where it waits
    std::vector<SeenPlace> meanwhile;  ///< where others were then
  };
  Contention contention;
  MachineLimits limits;

  Nanos at(ProgramKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  const std::vector<SeenPlace>& places_of(ProgramKind kind) const { return places[static_cast<std::size_t>(kind)]; }
  const Work& work(KnownWork of) const { return works[static_cast<std::size_t>(of)]; }
};

/// From this part of the window on (1/4), waiting for the GIL is the verdict; running threads wait for each other.
inline constexpr Nanos kGilPart = 4;
/// A quota that held the program back in this part of its periods is what the program waited for.
inline constexpr double kThrottledEnough = 0.1;
/// A thread that wants a CPU for at least this part of the window is one that others compete with.
inline constexpr double kActiveShare = 0.05;

/// All time from the first to the last thing seen of the file's threads from outside; nothing() without any.
TimeSpan window_of_program(const Trace& trace, SourceId source);
/// Reads only, any thread. O(slices of such tracks). Unknown where the file has none.
ProgramReport report_program(const Trace& trace, SourceId source, TimeSpan window);

}  // namespace lacuna
