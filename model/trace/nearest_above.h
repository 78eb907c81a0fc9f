#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// The innermost of the slices at and above one that is wanted, for many slices of a trace, which must outlive this.
/// Slices may be nested deeply: what was found is remembered every kStride rows, so that a way up is short the next
/// time. Ask with the same question each time. For one thread.
class NearestAbove {
 public:
  explicit NearestAbove(const Trace& trace) : trace_(trace) {}

  /// Invalid where none is, or `slice` is.
  template <class IsWanted>
  SliceId of(SliceId slice, IsWanted&& is_wanted) {
    passed_.clear();
    for (; slice.valid() && !is_wanted(slice); slice = trace_.parent(slice)) {
      if (slice.lane.value % kStride != 0) continue;
      if (const auto known = found_.find(slice); known != found_.end()) {
        slice = known->second;
        break;
      }
      passed_.push_back(slice);
    }
    for (const SliceId passed : passed_) found_.emplace(passed, slice);
    return slice;
  }

  SliceId operator_of(SliceId slice) {
    return of(slice, [&](SliceId s) { return trace_.category_class(s) == CategoryClass::kCpuOperator; });
  }

 private:
  static constexpr std::uint32_t kStride = 32;

  const Trace& trace_;
  std::unordered_map<SliceId, SliceId> found_;
  std::vector<SliceId> passed_;
};

}  // namespace lacuna
