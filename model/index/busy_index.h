#pragma once

#include <span>
#include <vector>

#include "model/base/level_of_detail.h"
#include "model/gaps/gaps.h"
#include "model/index/fold_index.h"

namespace lacuna {

/// The gaps of one stream as columns, with the functions of a Lane that folding needs. Gaps do not
/// overlap and none is empty.
class GapRow {
 public:
  GapRow() = default;
  explicit GapRow(const SharedVector<Gap>& gaps);

  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size()); }
  Nanos start(std::uint32_t i) const { return starts_[i]; }
  Nanos duration(std::uint32_t i) const { return durations_[i]; }
  Nanos end(std::uint32_t i) const { return saturating_add(starts_[i], durations_[i]); }
  StringId name(std::uint32_t) const { return kEmptyString; }
  CategoryId category(std::uint32_t) const { return {}; }
  std::uint16_t flags(std::uint32_t) const { return 0; }

  /// First gap that starts at or after `t`.
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint = 0) const;
  /// First gap that ends after `t`.
  std::uint32_t first_visible_from(Nanos t) const;
  /// Index of the longest gap of [first, last), first < last; the earliest when several are.
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const {
    return longest_.longest(first, last, durations_.data());
  }

 private:
  std::vector<Nanos> starts_;
  std::vector<Nanos> durations_;
  LongestIndex longest_;
};

/// Answers, for one GPU stream, "how long was it busy between a and b" in O(log gaps), and folds its
/// gaps at pixel cost, so that a frame can show and sum up whatever is in view.
///
/// Built once from a StreamActivity in O(gaps); keeps times only (about 30 bytes a gap), no reference
/// to it. Immutable; any thread may read.
class StreamBusyIndex {
 public:
  StreamBusyIndex() = default;
  explicit StreamBusyIndex(const StreamActivity& activity);
  /// One index per stream, in the same order, made on up to `threads` threads.
  static std::vector<StreamBusyIndex> build(std::span<const StreamActivity> streams, unsigned threads = 1);

  /// From the first start to the last end of the stream's activities.
  TimeSpan window() const { return window_; }
  /// Length of the union of activities inside `range`. Nothing outside the window is busy.
  Nanos busy_in(TimeSpan range) const;
  /// Length of the gaps inside `range`: busy_in + idle_in = length of range ∩ window.
  Nanos idle_in(TimeSpan range) const;
  /// busy_in(range) as a part of range ∩ window, 0..1; negative when they do not overlap. Over
  /// everything it is busy / window, the figure of the gaps table.
  double busy_share(TimeSpan range) const;

  const GapRow& gaps() const { return gaps_; }
  /// The gaps that overlap `view`, those shorter than fold_ns folded: see FoldIndex::for_each_run().
  template <class Visit>
  void for_each_gap_run(TimeSpan view, Nanos fold_ns, Visit&& visit) const {
    folds_.for_each_run(gaps_, view, fold_ns, visit);
  }

 private:
  /// Idle time before `t`, which lies in the window.
  Nanos idle_before(Nanos t) const;

  TimeSpan window_ = TimeSpan::nothing();
  GapRow gaps_;
  FoldIndex folds_;
  std::vector<Nanos> idle_before_;  // gap i: sum of the durations of the gaps before it
};

}  // namespace lacuna
