#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

  struct Charge {
    ChargedTo to;
    Nanos time = 0;
  };
  /// Who is charged for `span`, with their times: in the order of their first moments, some more than once, at last the
  /// one of the span's end. Valid until the next call.
  /// O(stretches in the span), for all spans together at most O((stretches + those charged in each) log stretches).
  std::span<const Charge> charges(TimeSpan span);

 private:
  Nanos end(std::size_t i) const { return i + 1 == begins_.size() ? window_.end : begins_[i + 1]; }
  void add(std::size_t i, TimeSpan span);
  void sum_up();
  /// Of the stretch `i` and all others in [i, last) that are charged to the same.
  Nanos time_from(std::size_t i, std::size_t last) const;
  /// Adds the first of each that is charged in [first, last), with all of its time there, of the stretches below a
  /// node, which are [begin, begin + n).
  void add_firsts(std::size_t first, std::size_t last, std::size_t node, std::size_t begin, std::size_t n);

  TimeSpan window_;
  std::vector<Nanos> begins_;      // of stretches, the first at window_.begin
  std::vector<std::uint32_t> of_;  // to whom each is charged: into all_
  std::vector<ChargedTo> all_;
  std::size_t looked_at_ = 0;  // stretches, one by one
  std::vector<Charge> found_;

  // Made once so much was asked that it is worth it.
  std::vector<Nanos> before_;              // by stretch: the time of those before that are charged to the same
  std::vector<std::uint32_t> first_same_;  // by ChargedTo: into same_
  std::vector<std::uint32_t> same_;        // the stretches of each, ascending
  std::vector<std::uint32_t> earlier_;     // a tree over the stretches: the least of one past the previous of the same
};

}  // namespace lacuna
