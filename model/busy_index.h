#pragma once

#include <span>
#include <vector>

#include "model/gaps.h"
#include "model/level_of_detail.h"

namespace lacuna {

/// Answers, for one GPU stream, "how long was it busy between a and b" and "which is the longest of
/// these gaps" in O(log gaps), so that a frame can say so of whatever is in view.
///
/// Built once from a StreamActivity in O(gaps); keeps times only (24 bytes a gap), no reference to
/// it. Immutable; any thread may read.
class StreamBusyIndex {
 public:
  StreamBusyIndex() = default;
  explicit StreamBusyIndex(const StreamActivity& activity);
  /// One index per stream, in the same order.
  static std::vector<StreamBusyIndex> build(std::span<const StreamActivity> streams);

  /// From the first start to the last end of the stream's activities.
  TimeSpan window() const { return window_; }
  /// Length of the union of activities inside `range`. Nothing outside the window is busy.
  Nanos busy_in(TimeSpan range) const;
  /// Length of the gaps inside `range`: busy_in + idle_in = length of range ∩ window.
  Nanos idle_in(TimeSpan range) const;
  /// busy_in(range) as a part of range ∩ window, 0..1; negative when they do not overlap. Over
  /// everything it is busy / window, the figure of the gaps table.
  double busy_share(TimeSpan range) const;

  std::uint32_t gap_count() const { return static_cast<std::uint32_t>(starts_.size()); }
  /// First gap that ends after `t`.
  std::uint32_t first_gap_ending_after(Nanos t) const;
  /// First gap that starts at or after `t`.
  std::uint32_t first_gap_starting_from(Nanos t) const;
  /// Index of the longest gap of [first, last), first < last; the earliest when several are.
  std::uint32_t longest_gap(std::uint32_t first, std::uint32_t last) const {
    return longest_.longest(first, last, durations_.data());
  }

 private:
  /// Idle time before `t`, which lies in the window.
  Nanos idle_before(Nanos t) const;

  TimeSpan window_ = TimeSpan::nothing();
  std::vector<Nanos> starts_;
  std::vector<Nanos> durations_;
  std::vector<Nanos> idle_before_;  // gap i: sum of the durations of the gaps before it
  LongestIndex longest_;
};

}  // namespace lacuna
