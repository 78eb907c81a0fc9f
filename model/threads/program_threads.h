#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/threads/seen_places.h"
#include "model/threads/thread_from_outside.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What a thread did at a moment, as observed from outside (model/trace/sampled_tracks.h).
enum class ProgramKind : std::uint8_t {
  kRunning,
  kPreempted,  ///< runnable, but another thread ran
  kLock,       ///< from here on: waiting for …
  kGil,        ///< the lock of Python's interpreter (GIL): another thread runs Python
  kFiles,      ///< a slow read or write: files, pipes
  kNetwork,
  kPoll,
  kSleep,
  kChild,
  kDevice,
  kWaiting,  ///< … something that the kernel does not report
  kSampled,  ///< in sampled stacks, of a thread without recorded states
  kNotSeen,  ///< before the thread began or after it ended, or not sampled
};
inline constexpr std::size_t kProgramKindCount = 13;

/// Returns the kind's name: "running", "waiting for a lock" for users; "lock" for JSON.
std::string_view program_kind_name(ProgramKind kind);
std::string_view program_kind_key(ProgramKind kind);
std::string_view program_kind_definition(ProgramKind kind);

/// One thread of a program, as observed from outside.
struct ProgramThread {
  std::uint64_t tid = 0;
  TrackId track;   ///< the track of its states; of its stacks if there is none
  TimeSpan alive;  ///< from its first to its last observation inside the window
  /// What it runs: the outermost frame below the threading machinery, or its name without numbers.
  std::string entry;
  StringId entry_name = kEmptyString;              ///< set if `entry` is a frame
  std::array<Nanos, kProgramKindCount> by_kind{};  ///< inside the window
  bool is_own = true;                              ///< its stacks contain code of the program, not only of libraries
  std::vector<ProgramKind> kinds;                  ///< kinds of seen.states
  ThreadFromOutside seen;

  Nanos at(ProgramKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  /// Time in which the thread ran or was runnable.
  Nanos active() const { return at(ProgramKind::kRunning) + at(ProgramKind::kPreempted); }
  /// Time spent working, not waiting for others or for an event. Threads of libraries wait by design.
  Nanos own_doing() const;
  /// Returns when it was in one of these kinds, inside `window`: ascending, disjoint. O(log n + states in the window).
  std::vector<TimeSpan> when(std::initializer_list<ProgramKind> of, TimeSpan window) const;
};

/// The kinds in which a thread works itself, and those in which it waits for other threads.
inline constexpr std::initializer_list<ProgramKind> kOwnDoing = {
    ProgramKind::kRunning, ProgramKind::kPreempted, ProgramKind::kFiles,  ProgramKind::kNetwork,
    ProgramKind::kSleep,   ProgramKind::kChild,     ProgramKind::kDevice, ProgramKind::kWaiting};

/// Returns the threads of a process that were observed in the window, by tid. Read-only, any thread. O(slices of their
/// tracks).
std::vector<ProgramThread> threads_from_outside(const Trace& trace, ProcessId process, TimeSpan window);

/// Adds where `threads` were while working in code of the program, inside `during`; skips
/// `except`.
void add_meanwhile(std::span<const ProgramThread> threads, const IntervalSet& during, TimeSpan window, PlaceSums& sums,
                   const ProgramThread* except = nullptr);
/// Returns where `threads` were while working inside `spans` (ascending, disjoint); skips `except`.
std::vector<SeenPlace> doing_meanwhile(const Trace& trace, std::span<const ProgramThread> threads,
                                       std::span<const TimeSpan> spans, TimeSpan window,
                                       const ProgramThread* except = nullptr);

}  // namespace lacuna
