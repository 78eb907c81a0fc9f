#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// Finds the innermost slice with a wanted property among a slice and its ancestors, for many slices of a trace, which
/// must outlive this. Nesting may be deep: results are remembered every kStride rows, so that the next way up is
/// short. Use the same predicate each time. For one thread.
class NearestAbove {
 public:
  explicit NearestAbove(const Trace& trace) : trace_(trace) {}

  /// Returns an invalid id if there is none, or `slice` is invalid.
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
