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

/// What a thread did at a moment, as seen from outside (model/trace/sampled_tracks.h).
enum class ProgramKind : std::uint8_t {
  kRunning,
  kPreempted,  ///< could run, but another thread did
  kLock,       ///< this and what follows: waiting for …
  kGil,        ///< the lock of Python's interpreter: another thread runs Python
  kFiles,      ///< a read or write that takes its time: files, pipes
  kNetwork,
  kPoll,
  kSleep,
  kChild,
  kDevice,
  kWaiting,  ///< … what the kernel does not say
  kSampled,  ///< in stacks that were sampled, of a thread of which nothing says whether it ran
  kNotSeen,  ///< before the thread began or after it ended, or not sampled
};
inline constexpr std::size_t kProgramKindCount = 13;

/// "running", "waiting for a lock": on every surface. "lock": in JSON.
std::string_view program_kind_name(ProgramKind kind);
std::string_view program_kind_key(ProgramKind kind);
std::string_view program_kind_definition(ProgramKind kind);

/// One thread of a program as it was seen from outside.
struct ProgramThread {
  std::uint64_t tid = 0;
  TrackId track;   ///< its states; its stacks where there are none
  TimeSpan alive;  ///< from the first to the last thing seen of it, inside the window
  /// What runs in it: the outermost frame behind the machinery of threads, or its name without numbers.
  std::string entry;
  StringId entry_name = kEmptyString;              ///< where it is a frame
  std::array<Nanos, kProgramKindCount> by_kind{};  ///< inside the window
  bool is_own = true;                              ///< its stacks have code of the program, not of libraries alone
  std::vector<ProgramKind> kinds;                  ///< of seen.states
  ThreadFromOutside seen;

  Nanos at(ProgramKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  /// Time in which the thread ran or was ready to run.
  Nanos active() const { return at(ProgramKind::kRunning) + at(ProgramKind::kPreempted); }
  /// Not waiting for others, nor for something to happen: its own doing. Threads of libraries wait by design.
  Nanos own_doing() const;
  /// When it was in one of these kinds, inside `window`: ascending, disjoint. O(log n + states in the window).
  std::vector<TimeSpan> when(std::initializer_list<ProgramKind> of, TimeSpan window) const;
};

/// The kinds in which a thread does something itself, and those in which it waits for other threads.
inline constexpr std::initializer_list<ProgramKind> kOwnDoing = {
    ProgramKind::kRunning, ProgramKind::kPreempted, ProgramKind::kFiles,  ProgramKind::kNetwork,
    ProgramKind::kSleep,   ProgramKind::kChild,     ProgramKind::kDevice, ProgramKind::kWaiting};

/// The threads of a process that have anything in the window, by tid. Reads only, any thread. O(slices of their
/// tracks).
std::vector<ProgramThread> threads_from_outside(const Trace& trace, ProcessId process, TimeSpan window);

/// Adds where `threads` were while they did something of their own, in code of the program, inside `during`: all but
/// `except`.
void add_meanwhile(std::span<const ProgramThread> threads, const IntervalSet& during, TimeSpan window, PlaceSums& sums,
                   const ProgramThread* except = nullptr);
/// Where `threads` were while they did something of their own inside `spans` (ascending, disjoint): all but `except`.
std::vector<SeenPlace> doing_meanwhile(const Trace& trace, std::span<const ProgramThread> threads,
                                       std::span<const TimeSpan> spans, TimeSpan window,
                                       const ProgramThread* except = nullptr);

}  // namespace lacuna
