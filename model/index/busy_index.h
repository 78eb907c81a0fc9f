#pragma once

#include <span>
#include <vector>

#include "model/base/level_of_detail.h"
#include "model/gaps/gaps.h"
#include "model/index/fold_index.h"

namespace lacuna {

/// The gaps of one stream with the functions of a Lane that folding needs. Gaps do not overlap and none is empty.
class GapRow {
 public:
  GapRow() = default;
  explicit GapRow(const SharedVector<Gap>& gaps) { grow(gaps, 0); }
  /// The first `kept` are those that it has. O(the others).
  void grow(const SharedVector<Gap>& gaps, std::size_t kept);

  std::uint32_t size() const { return static_cast<std::uint32_t>(gaps_.size()); }
  Nanos start(std::uint32_t i) const { return gaps_[i].start; }
  Nanos duration(std::uint32_t i) const { return gaps_[i].duration(); }
  Nanos end(std::uint32_t i) const { return gaps_[i].end; }
  StringId name(std::uint32_t) const { return kEmptyString; }
  CategoryId category(std::uint32_t) const { return {}; }
  std::uint16_t flags(std::uint32_t) const { return 0; }

  /// First gap that starts at or after `t`.
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint = 0) const;
  /// First gap that ends after `t`.
  std::uint32_t first_visible_from(Nanos t) const;
  /// Index of the longest gap of [first, last), first < last; the earliest when several are.
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const {
    return longest_of_levels(longest_, longest_.size(), first, last, Durations{gaps_});
  }

 private:
  struct Durations {
    const SharedVector<Gap>& gaps;
    Nanos operator[](std::uint32_t i) const { return gaps[i].duration(); }
  };
  SharedVector<Gap> gaps_;
  std::vector<SharedVector<std::uint32_t>> longest_;  // as LongestIndex has it, of blocks that are full
};

/// Answers, for one GPU stream, "how long was it busy between a and b" in O(log gaps), and folds its
/// gaps at pixel cost, so that a frame can show and sum up whatever is in view.
///
/// Made from a StreamActivity in O(gaps), whose gaps it shares; about 16 bytes a gap more. One that lies on no track
/// (all streams of a device) is not drawn, and folds nothing. A copy costs little, and what grows in one is not seen in
/// the other. Any thread may read one that is not growing.
class StreamBusyIndex {
 public:
  StreamBusyIndex() = default;
  explicit StreamBusyIndex(const StreamActivity& activity);
  /// Goes on with the stream of a later trace of a recording, whose first `kept` gaps are those that it has. O(the
  /// others, and up to 16,384 that are folded anew).
  void grow(const StreamActivity& activity, std::size_t kept);
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
  void take(const StreamActivity& activity, std::size_t kept);
  /// Idle time before `t`, which lies in the window.
  Nanos idle_before(Nanos t) const;

  TimeSpan window_ = TimeSpan::nothing();
  GapRow gaps_;
  FoldIndex folds_;
  FoldIndex::Parts parts_;           // of the first gaps, when it grows
  SharedVector<Nanos> idle_before_;  // gap i: sum of the durations of the gaps before it
};

}  // namespace lacuna
