#pragma once

#include <cstdint>
#include <string_view>

#include "capture/sampling/sampled_slice.h"

namespace lacuna {

/// Turns the state changes of one thread (running, waiting, preempted) into slices without holes between them.
class StateLane {
 public:
  enum class State : std::uint8_t { kUnknown, kRunning, kWaiting, kPreempted };

  explicit StateLane(StreamedTrack track) : track_(track) {}

  /// Sets the state from `time` on, and appends the slice of the previous state to `out`. Times ascend; a smaller
  /// one counts as the last one.
  void change(std::uint64_t time, State state, std::vector<SampledSlice>& out);
  /// Sets the reason of the current wait: its slice is called "waiting: WHAT". The texts must outlive the lane.
  void waits_for(std::string_view what, std::string_view system_call);
  bool is_waiting_unexplained(std::uint64_t since_before) const {
    return state_ == State::kWaiting && reason_.empty() && since_ < since_before;
  }
  /// Ends the lane: the thread has ended, or its state is no longer known.
  void end(std::uint64_t time, std::vector<SampledSlice>& out) { change(time, State::kUnknown, out); }
  /// Appends the current state's slice as if it ended at `now`.
  void add_open(std::uint64_t now, std::vector<SampledSlice>& out) const;
  State state() const { return state_; }
  const StreamedTrack& track() const { return track_; }

 private:
  SampledSlice slice(std::uint64_t end) const;

  StreamedTrack track_;
  State state_ = State::kUnknown;
  std::uint64_t since_ = 0;
  std::string_view reason_;
  std::string_view system_call_;
};

/// The reason why a thread waits in a system call, found by the call's number on this machine: "lock", "input", … and
/// the call's name. Empty when the call tells nothing.
struct WaitReason {
  std::string_view what;
  std::string_view system_call;
};
WaitReason wait_reason(long system_call);

}  // namespace lacuna
