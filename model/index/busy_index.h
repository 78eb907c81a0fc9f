#pragma once

#include <span>
#include <vector>

#include "model/base/level_of_detail.h"
#include "model/gaps/gaps.h"
#include "model/index/fold_index.h"

namespace lacuna {

/// The gaps of one stream, with the part of Lane's interface that folding needs. Gaps do not overlap and none is empty.
class GapRow {
 public:
  GapRow() = default;
  explicit GapRow(const SharedVector<Gap>& gaps) { grow(gaps, 0); }
  /// Takes over `gaps`, of which the first `kept` are the present ones. O(the others).
  void grow(const SharedVector<Gap>& gaps, std::size_t kept);

  std::uint32_t size() const { return static_cast<std::uint32_t>(gaps_.size()); }
  Nanos start(std::uint32_t i) const { return gaps_[i].start; }
  Nanos duration(std::uint32_t i) const { return gaps_[i].duration(); }
  Nanos end(std::uint32_t i) const { return gaps_[i].end; }
  StringId name(std::uint32_t) const { return kEmptyString; }
  CategoryId category(std::uint32_t) const { return {}; }
  std::uint16_t flags(std::uint32_t) const { return 0; }

  /// Returns the first gap that starts at or after `t`.
  std::uint32_t first_starting_from(Nanos t, std::uint32_t hint = 0) const;
  /// Returns the first gap that ends after `t`.
  std::uint32_t first_visible_from(Nanos t) const;
  /// Returns the index of the longest gap of [first, last), first < last; the earliest of several.
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const {
    return longest_of_levels(longest_, longest_.size(), first, last, Durations{gaps_});
  }

 private:
  struct Durations {
    const SharedVector<Gap>& gaps;
    Nanos operator[](std::uint32_t i) const { return gaps[i].duration(); }
  };
  SharedVector<Gap> gaps_;
  std::vector<SharedVector<std::uint32_t>> longest_;  // levels as in LongestIndex, full blocks only
};

/// Computes how long one GPU stream was busy between two times, in O(log gaps), and folds its
/// gaps at pixel cost, so that a frame can show and sum up any view.
///
/// Made from a StreamActivity in O(gaps), sharing its gaps; takes about 16 bytes more per gap. A stream without a track
/// (all streams of a device) is not drawn, and has no folds. Copies are cheap, and growing one does not change
/// the others. Any thread may read an index that is not growing.
class StreamBusyIndex {
 public:
  StreamBusyIndex() = default;
  explicit StreamBusyIndex(const StreamActivity& activity);
  /// Continues with the stream of a later trace of a recording, whose first `kept` gaps are the present ones. O(the
  /// others, and up to 16,384 that are folded again).
  void grow(const StreamActivity& activity, std::size_t kept);
  /// Returns one index per stream, in the same order, built on up to `threads` threads.
  static std::vector<StreamBusyIndex> build(std::span<const StreamActivity> streams, unsigned threads = 1);

  /// From the first start to the last end of the stream's activities.
  TimeSpan window() const { return window_; }
  /// Returns the length of the union of activities inside `range`. Nothing outside the window is busy.
  Nanos busy_in(TimeSpan range) const;
  /// Returns the length of the gaps inside `range`: busy_in + idle_in = length of range ∩ window.
  Nanos idle_in(TimeSpan range) const;
  /// Returns busy_in(range) as a fraction of range ∩ window, 0..1; negative if they do not overlap. Over
  /// all time it is busy / window, as in the gaps table.
  double busy_share(TimeSpan range) const;

  const GapRow& gaps() const { return gaps_; }
  /// Visits the gaps that overlap `view`; those shorter than fold_ns are folded: see FoldIndex::for_each_run().
  template <class Visit>
  void for_each_gap_run(TimeSpan view, Nanos fold_ns, Visit&& visit) const {
    folds_.for_each_run(gaps_, view, fold_ns, visit);
  }

 private:
  void take(const StreamActivity& activity, std::size_t kept);
  /// Returns the idle time before `t`, which must be in the window.
  Nanos idle_before(Nanos t) const;

  TimeSpan window_ = TimeSpan::nothing();
  GapRow gaps_;
  FoldIndex folds_;
  FoldIndex::Parts parts_;           // of the first gaps, if it grows
  SharedVector<Nanos> idle_before_;  // gap i: sum of the durations of the gaps before it
};

}  // namespace lacuna
