#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/causes/interval_set.h"

namespace lacuna {

/// A slice with its times: what is kept of calls.
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

/// What comes of a recording under way, on its way into a table that is ascending by start and only grows: what ended
/// comes once, in any order, and what is open still comes anew each time.
template <class T>
class SpanInflow {
 public:
  void add(const T& item, bool has_ended) { (has_ended ? ended_ : open_).push_back(item); }

  /// Ascending by start: what ended and starts before anything that may still change.
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
  /// All others, in their order; those that are open are forgotten.
  std::vector<T> take_rest() {
    std::vector<T> rest = std::exchange(open_, {});
    rest.insert(rest.end(), ended_.begin(), ended_.end());
    std::ranges::stable_sort(rest, [](const T& a, const T& b) { return starts_before(a, b); });
    return rest;
  }
  /// Spans that have ended and were not taken yet.
  std::vector<T>& waiting() { return ended_; }

 private:
  std::vector<T> ended_;
  std::vector<T> open_;
};

/// An IntervalSet of a recording under way.
class GrowingIntervals {
 public:
  void add(TimeSpan span, bool has_ended) { inflow_.add(span, has_ended); }
  /// Takes over what was added since the last time; what was open then is gone.
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

/// Slices of a recording under way, ascending by start.
class GrowingSlices {
 public:
  void add(const TimedSlice& slice, bool has_ended) { inflow_.add(slice, has_ended); }
  void finish(Nanos horizon) {
    items_.resize(good_);
    append(inflow_.take_for_good(horizon));
    good_ = items_.size();
    append(inflow_.take_rest());
  }
  /// Lanes have other ids.
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
