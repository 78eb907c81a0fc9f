#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/causes/cpu_timeline.h"

namespace lacuna {

/// What the idle time of a GPU is charged to: an operator as the program called it, or the frame, call or annotation in
/// its place.
struct ChargedTo {
  CpuLevel level = CpuLevel::kCalledOperator;
  StringId name = kEmptyString;   ///< empty: nothing was recorded
  StringId inner = kEmptyString;  ///< the innermost operator then; empty where `level` is not kCalledOperator
  bool operator==(const ChargedTo&) const = default;
};

/// One thread, in time: to whom each moment is charged. It sums what is asked for over and over, as where one thread
/// launches for many GPUs whose gaps overlap. It keeps no reference to the timeline. One thread at a time may ask.
class ChargedTime {
 public:
  /// `loads_data`: a moment inside an annotation that loads data is charged to this annotation, whatever runs in it.
  ChargedTime(const Trace& trace, const CpuTimeline& timeline, bool loads_data);

  /// Calls visit(const ChargedTo&, Nanos) with the time of each in `span`: in the order of their first moments, some
  /// more than once, at last the one of the span's end.
  /// O(stretches in the span), for all spans together at most O((stretches + those charged in each) log stretches).
  template <class Visit>
  void for_each(TimeSpan span, Visit&& visit);

 private:
  static constexpr std::size_t kFew = 32;  // stretches that are looked at one by one, whatever has been asked before

  Nanos end(std::size_t i) const { return i + 1 == begins_.size() ? window_.end : begins_[i + 1]; }
  Nanos time(std::size_t i, TimeSpan span) const { return TimeSpan{begins_[i], end(i)}.intersect(span).duration(); }
  const ChargedTo& charged(std::size_t i) const { return all_[of_[i]]; }
  void sum_up();
  /// Of the stretch `i` and all others in [i, last) that are charged to the same.
  Nanos time_from(std::size_t i, std::size_t last) const;
  /// The first of each that is charged in [first, last), of those below a node, which are [begin, begin + count).
  template <class Visit>
  void for_each_first(std::size_t first, std::size_t last, Visit& visit, std::size_t node, std::size_t begin,
                      std::size_t count) const;

  TimeSpan window_;
  std::vector<Nanos> begins_;      // of stretches, the first at window_.begin
  std::vector<std::uint32_t> of_;  // to whom each is charged: into all_
  std::vector<ChargedTo> all_;
  std::size_t looked_at_ = 0;  // stretches, one by one

  // Made once so much was asked that it is worth it.
  std::vector<Nanos> before_;              // by stretch: the time of those before that are charged to the same
  std::vector<std::uint32_t> first_same_;  // by ChargedTo: into same_
  std::vector<std::uint32_t> same_;        // the stretches of each, ascending
  std::vector<std::uint32_t> earlier_;     // a tree over the stretches: the least of one past the previous of the same
};

template <class Visit>
void ChargedTime::for_each(TimeSpan span, Visit&& visit) {
  span = span.intersect(window_);
  if (span.empty()) return;
  const auto after = std::ranges::upper_bound(begins_, span.begin);
  const auto first = static_cast<std::size_t>(after - begins_.begin()) - 1;
  const auto last = static_cast<std::size_t>(std::lower_bound(after, begins_.end(), span.end) - begins_.begin());
  if (last - first > kFew && looked_at_ > begins_.size()) {
    if (earlier_.empty()) sum_up();
    visit(charged(first), time(first, span));
    const auto visit_first = [&](std::size_t i) { visit(charged(i), time_from(i, last - 1)); };
    for_each_first(first + 1, last - 1, visit_first, 1, 0, earlier_.size() / 2);
    visit(charged(last - 1), time(last - 1, span));
    return;
  }
  looked_at_ += last - first;
  for (std::size_t i = first; i < last; ++i) visit(charged(i), time(i, span));
}

template <class Visit>
void ChargedTime::for_each_first(std::size_t first, std::size_t last, Visit& visit, std::size_t node, std::size_t begin,
                                 std::size_t count) const {
  if (begin >= last || begin + count <= first || earlier_[node] > first) return;
  if (count == 1) return visit(begin);
  for_each_first(first, last, visit, 2 * node, begin, count / 2);
  for_each_first(first, last, visit, 2 * node + 1, begin + count / 2, count / 2);
}

}  // namespace lacuna
