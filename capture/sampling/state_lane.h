#pragma once

#include <cstdint>
#include <string_view>

#include "capture/sampling/sampled_slice.h"

namespace lacuna {

/// When one thread ran, waited, was preempted: changes become slices without holes between them.
class StateLane {
 public:
  enum class State : std::uint8_t { kUnknown, kRunning, kWaiting, kPreempted };

  explicit StateLane(StreamedTrack track) : track_(track) {}

  /// From `time` on it is `state`. What went before is handed over when it is over. Times ascend; one that
  /// does not counts as the last one.
  void change(std::uint64_t time, State state, std::vector<SampledSlice>& out);
  /// Says what it waits for, when it does: the slice is then called "waiting: WHAT". The text must last.
  void waits_for(std::string_view what, std::string_view system_call);
  bool is_waiting_unexplained(std::uint64_t since_before) const {
    return state_ == State::kWaiting && reason_.empty() && since_ < since_before;
  }
  /// The thread is gone, or nothing is known of it any more.
  void end(std::uint64_t time, std::vector<SampledSlice>& out) { change(time, State::kUnknown, out); }
  /// What it does now, as if that ended at `now`.
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

/// What a thread in a system call waits for, by the call's number on this machine: "lock", "input", … with the
/// call's name. Empty where that says nothing.
struct WaitReason {
  std::string_view what;
  std::string_view system_call;
};
WaitReason wait_reason(long system_call);

}  // namespace lacuna
