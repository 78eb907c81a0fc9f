#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/build/nesting.h"

namespace lacuna {

/// Merges sorted runs. An importer delivers many runs that follow each other in time, so at any
/// moment only few of them are in play: those that have begun, in a heap; the others wait, ordered
/// by their first slice. Mostly the heap holds one run and a step costs two comparisons.
class MergedRuns {
 public:
  explicit MergedRuns(std::span<const SliceRun> runs) {
    for (std::uint32_t i = 0; i < runs.size(); ++i) {
      const auto& slices = *runs[i].slices;
      if (runs[i].size() > 0) waiting_.push_back({slices.data() + runs[i].first, slices.data() + slices.size(), i});
    }
    std::ranges::sort(waiting_, later);  // the earliest last, to be popped
  }

  struct Next {
    const SliceRecord* slice = nullptr;  ///< null: no more
    std::uint32_t run = 0;
    bool is_last_of_run = false;
  };
  /// The next slice in order. Runs must stay until their last slice was taken.
  Next next() {
    if (!waiting_.empty() && (begun_.empty() || later(begun_.front(), waiting_.back()))) {
      begun_.push_back(waiting_.back());
      waiting_.pop_back();
      std::ranges::push_heap(begun_, later);
    }
    if (begun_.empty()) return {};
    if (begun_.size() == 1) {
      const Next next = take(begun_.front());
      if (next.is_last_of_run) begun_.clear();
      return next;
    }
    std::ranges::pop_heap(begun_, later);
    const Next next = take(begun_.back());
    if (next.is_last_of_run) {
      begun_.pop_back();
    } else {
      std::ranges::push_heap(begun_, later);
    }
    return next;
  }

 private:
  struct Run {
    const SliceRecord* at;
    const SliceRecord* end;
    std::uint32_t index;
  };
  static bool later(const Run& a, const Run& b) { return lies_before(*b.at, *a.at); }
  static Next take(Run& run) {
    const SliceRecord* slice = run.at++;
    return {slice, run.index, run.at == run.end};
  }

  std::vector<Run> waiting_;
  std::vector<Run> begun_;
};

/// The slice in terms of the trace, as far as its times go.
inline SliceRecord shifted(const SliceRecord& slice, const IdRemap* remap) {
  SliceRecord result = slice;
  if (remap != nullptr) remap->shift(result);
  return result;
}

}  // namespace lacuna
