#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "model/trace/track.h"

namespace lacuna {

// Observations of a thread from outside are on separate tracks beside it: sampled stacks
// (TrackKind::kStacks) and when it ran or waited (TrackKind::kThreadStates). They cross the thread's slices
// instead of nesting in them, so in a file they have a tid of their own, which other viewers show as a thread
// of that name; the thread's tid is in the last nine digits.

inline constexpr std::uint32_t kStatesTid = 1'000'000'000;  ///< + tid: kThreadStates
inline constexpr std::uint32_t kStacksTid = 2'000'000'000;  ///< + tid: kStacks

inline constexpr std::string_view kPythonSampleCategory = "python_sample";
/// … of Python's own library or an installed package, and the C functions that it calls.
inline constexpr std::string_view kPythonLibraryCategory = "python_library_sample";
inline constexpr std::string_view kNativeSampleCategory = "native_sample";

/// Suffix of native frames of which only the library is known, "libz.so.1 (no symbol)", or nothing at all.
inline constexpr std::string_view kNoSymbol = " (no symbol)";
inline constexpr std::string_view kUnknownCode = "[unknown code]";
inline bool has_symbol(std::string_view native_frame) {
  return !native_frame.ends_with(kNoSymbol) && native_frame != kUnknownCode;
}
inline constexpr std::string_view kThreadStateCategory = "thread_state";

// Names of the slices of kThreadStates. "waiting" may include the reason: "waiting: lock".
inline constexpr std::string_view kRunningState = "running";
inline constexpr std::string_view kWaitingState = "waiting";
inline constexpr std::string_view kPreemptedState = "preempted";        ///< could run, but another thread did
inline constexpr std::string_view kGilState = "waiting: GIL";           ///< for the lock of Python's interpreter
inline constexpr std::string_view kFaultState = "waiting: page fault";  ///< for a page that is read or made
inline constexpr std::string_view kOtherWaitState = "waiting: other";   ///< in a call that says nothing of it
constexpr bool is_waiting_state(std::string_view state) {
  return state != kRunningState && state != kPreemptedState;
}

/// Returns the tid of the thread that such a track observes, from its own tid; unchanged if it has another form.
inline std::uint64_t thread_of_sampled(std::string_view tid) {
  std::uint64_t number = 0;
  std::from_chars(tid.data(), tid.data() + tid.size(), number);
  return number >= kStatesTid && number < kStacksTid + kStatesTid ? number % kStatesTid : number;
}

/// Returns the kind of a track of which only the tid is known so far.
inline TrackKind kind_of_named_thread(std::string_view tid) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(tid.data(), tid.data() + tid.size(), number);
  if (read.ec != std::errc{} || read.ptr != tid.data() + tid.size() || number < kStatesTid) return TrackKind::kThread;
  constexpr std::uint64_t kMostTid = std::uint64_t{1} << 22;  // of Linux
  if (number < kStatesTid + kMostTid) return TrackKind::kThreadStates;
  return number >= kStacksTid && number < kStacksTid + kMostTid ? TrackKind::kStacks : TrackKind::kThread;
}

}  // namespace lacuna
