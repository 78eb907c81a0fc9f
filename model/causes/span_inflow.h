#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/causes/interval_set.h"

namespace lacuna {

/// A slice with its times: the stored form of calls.
struct TimedSlice {
  TimeSpan span;
  SliceId slice;
};

inline const TimeSpan& span_of(const TimeSpan& span) {
  return span;
}
inline const TimeSpan& span_of(const TimedSlice& slice) {
  return slice.span;
}
inline bool starts_before(const TimeSpan& a, const TimeSpan& b) {
  return a.begin < b.begin;
}
inline bool starts_before(const TimedSlice& a, const TimedSlice& b) {
  return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.slice < b.slice;
}

/// Collects spans of a running recording for a table that is ascending by start and only grows: ended spans
/// are added once, in any order; open spans again each time.
template <class T>
class SpanInflow {
 public:
  void add(const T& item, bool has_ended) { (has_ended ? ended_ : open_).push_back(item); }

  /// Returns the spans, ascending by start, that ended and start before anything that may still change.
  std::vector<T> take_for_good(Nanos horizon) {
    const auto less = [](const T& a, const T& b) { return starts_before(a, b); };
    merge_runs(ended_, less);
    Nanos cut = horizon;
    for (const T& item : open_) cut = std::min(cut, span_of(item).begin);
    for (std::size_t i = ended_.size(); i-- > 0;)
      if (span_of(ended_[i]).begin < cut && span_of(ended_[i]).end > cut) cut = span_of(ended_[i]).begin;
    const auto rest = std::ranges::find_if(ended_, [cut](const T& item) { return span_of(item).begin >= cut; });
    std::vector<T> good(ended_.begin(), rest);
    ended_.erase(ended_.begin(), rest);
    return good;
  }
  /// Returns all other spans, ascending by start; drops the open ones.
  std::vector<T> take_rest() {
    std::vector<T> rest = std::exchange(open_, {});
    rest.insert(rest.end(), ended_.begin(), ended_.end());
    std::ranges::stable_sort(rest, [](const T& a, const T& b) { return starts_before(a, b); });
    return rest;
  }
  /// Ended spans that were not taken yet.
  std::vector<T>& waiting() { return ended_; }

 private:
  std::vector<T> ended_;
  std::vector<T> open_;
};

/// An IntervalSet of a running recording.
class GrowingIntervals {
 public:
  void add(TimeSpan span, bool has_ended) { inflow_.add(span, has_ended); }
  /// Takes over the spans added since the last call; drops those that were open then.
  void finish(Nanos horizon) {
    set_.back_to(good_);
    set_.append(inflow_.take_for_good(horizon));
    good_ = set_.mark();
    set_.append(inflow_.take_rest());
  }
  Nanos covered(TimeSpan span) const { return set_.covered(span); }
  bool contains(Nanos t) const { return set_.contains(t); }
  std::span<const TimeSpan> intervals() const { return set_.intervals(); }
  bool empty() const { return set_.empty(); }

 private:
  IntervalSet set_;
  IntervalSet::Mark good_;
  SpanInflow<TimeSpan> inflow_;
};

/// Slices of a running recording, ascending by start.
class GrowingSlices {
 public:
  void add(const TimedSlice& slice, bool has_ended) { inflow_.add(slice, has_ended); }
  void finish(Nanos horizon) {
    items_.resize(good_);
    append(inflow_.take_for_good(horizon));
    good_ = items_.size();
    append(inflow_.take_rest());
  }
  /// Updates the slices after the ids of lanes have changed.
  template <class Moved>
  void move(Moved&& moved) {
    for (TimedSlice& item : items_) item.slice = moved(item.slice);
    for (TimedSlice& item : inflow_.waiting()) item.slice = moved(item.slice);
  }
  const std::vector<TimedSlice>& items() const { return items_; }

 private:
  void append(const std::vector<TimedSlice>& more) { items_.insert(items_.end(), more.begin(), more.end()); }

  std::vector<TimedSlice> items_;
  std::size_t good_ = 0;
  SpanInflow<TimedSlice> inflow_;
};

}  // namespace lacuna
