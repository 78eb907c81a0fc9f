#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// What a thread did at a moment, as seen from outside (model/trace/sampled_tracks.h).
enum class ProgramKind : std::uint8_t {
  kRunning,
  kPreempted,  ///< could run, but another thread did
  kLock,       ///< this and what follows: waiting for …
  kFiles,      ///< a read or write that takes its time: files, pipes
  kNetwork,
  kPoll,
  kSleep,
  kChild,
  kDevice,
  kWaiting,  ///< … what the kernel does not say
  kNotSeen,  ///< before the thread began or after it ended, or nobody looked
};
inline constexpr std::size_t kProgramKindCount = 11;

/// "running", "waiting for a lock": on every surface. "lock": in JSON.
std::string_view program_kind_name(ProgramKind kind);
std::string_view program_kind_key(ProgramKind kind);
std::string_view program_kind_definition(ProgramKind kind);

/// All sampled frames of one name on one process's stacks. Times are estimates: a sample stands for a period.
struct SampledFunction {
  StringId name = kEmptyString;
  Nanos self = 0;   ///< it was the innermost frame
  Nanos total = 0;  ///< it was somewhere on the stack; recursion counts once
  std::uint64_t places = 0;
  SliceId longest;  ///< of its slices
};

/// What a program without GPU work, operators, ranges and recorded frames did: thread states and sampled stacks. About
/// the process whose threads ran most, and its thread that ran most.
struct ProgramReport {
  bool is_known = false;  ///< the file has such tracks, and nothing that says more
  ProcessId process;
  TrackId thread;  ///< states of the leading thread, or its stacks where there are no states
  std::array<Nanos, kProgramKindCount> by_kind{};  ///< of that thread; adds up to the window
  Nanos all_running = 0;                           ///< sum over all threads of the process
  Nanos all_preempted = 0;
  std::uint64_t thread_count = 0;  ///< of the process, seen in the window
  std::uint64_t other_processes = 0;
  SliceId longest_wait;                    ///< of the leading thread, preemption included
  std::vector<SampledFunction> functions;  ///< of the process; most self time first
  Nanos sampled = 0;                       ///< sum of self times

  Nanos at(ProgramKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
};

/// All time from the first to the last thing seen of the file's threads from outside; nothing() without any.
TimeSpan window_of_program(const Trace& trace, SourceId source);
/// Reads only, any thread. O(slices of such tracks). Unknown where the file has none.
ProgramReport report_program(const Trace& trace, SourceId source, TimeSpan window);

}  // namespace lacuna
