#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/causes/cpu_timeline.h"

namespace lacuna {

/// What idle GPU time is charged to: an operator as the program called it, or the frame, call or annotation in
/// its place.
struct ChargedTo {
  CpuLevel level = CpuLevel::kCalledOperator;
  StringId name = kEmptyString;   ///< empty: nothing was recorded
  StringId inner = kEmptyString;  ///< the innermost operator at that time; empty unless `level` is kCalledOperator
  bool operator==(const ChargedTo&) const = default;
};

/// One thread's time, by what each moment is charged to. Sums up repeated queries, as when one thread
/// launches for many GPUs whose gaps overlap. Keeps no reference to the timeline. One thread at a time.
class ChargedTime {
 public:
  /// `loads_data`: moments inside an annotation that loads data are charged to this annotation, whatever runs in it.
  ChargedTime(const Trace& trace, const CpuTimeline& timeline, bool loads_data);

  struct Charge {
    ChargedTo to;
    Nanos time = 0;
  };
  /// Returns what is charged for `span`, with times: in order of the first moments, possibly repeated; the last entry
  /// is the one at the span's end. Valid until the next call.
  /// O(stretches in the span); for all spans together at most O((stretches + entries of all results) log stretches).
  std::span<const Charge> charges(TimeSpan span);

 private:
  Nanos end(std::size_t i) const { return i + 1 == begins_.size() ? window_.end : begins_[i + 1]; }
  void add(std::size_t i, TimeSpan span);
  void sum_up();
  /// Returns the time of stretch `i` and of all others in [i, last) with the same charge.
  Nanos time_from(std::size_t i, std::size_t last) const;
  /// Searches the stretches [begin, begin + n) below a tree node: adds the first in [first, last) of each group that is
  /// charged to the same, with the group's total time in that range.
  void add_firsts(std::size_t first, std::size_t last, std::size_t node, std::size_t begin, std::size_t n);

  TimeSpan window_;
  std::vector<Nanos> begins_;      // begins of the stretches, the first at window_.begin
  std::vector<std::uint32_t> of_;  // the charge of each stretch: index in all_
  std::vector<ChargedTo> all_;
  std::size_t looked_at_ = 0;  // number of stretches visited singly
  std::vector<Charge> found_;

  // Built once enough was queried to pay off.
  std::vector<Nanos> before_;              // by stretch: total time of the previous stretches with the same charge
  std::vector<std::uint32_t> first_same_;  // by ChargedTo: index in same_
  std::vector<std::uint32_t> same_;        // the stretches of each charge, ascending
  std::vector<std::uint32_t> earlier_;     // a minimum tree over the stretches: one past the previous of equal charge
};

}  // namespace lacuna
