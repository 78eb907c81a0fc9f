#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/groups/histogram.h"
#include "model/trace/trace.h"

namespace lacuna {

/// All slices of one row of a table, to be highlighted and stepped through ("3 / 72"). Finding them is
/// one pass over the columns of names, and a sort: for a worker thread, which `cancel` stops (what is
/// left is then no answer). Afterwards for the UI thread.
class Occurrences {
 public:
  /// Slices of that name and category that overlap `range`, ascending by start.
  void find(const Trace& trace, StringId name, CategoryId category, TimeSpan range,
            const std::atomic<bool>* cancel = nullptr);
  /// Slices of a row of torch's table: any of `names`, on that side of the machine. name() and
  /// category() are then invalid.
  void find(const Trace& trace, const std::vector<StringId>& names, bool on_gpu, bool is_annotation, TimeSpan range,
            const std::atomic<bool>* cancel = nullptr);
  /// Any slices, in any order. name() and category() are then invalid.
  void assign(const Trace& trace, std::vector<SliceId> slices);
  /// Makes an empty list that stands for slices of that name and category until they are found.
  void expect(StringId name, CategoryId category);
  void clear();

  bool empty() const { return slices_.empty(); }
  std::size_t size() const { return slices_.size(); }
  /// Returns the slices of any duration, ascending by start.
  const std::vector<SliceId>& all() const { return all_; }
  StringId name() const { return name_; }
  CategoryId category() const { return category_; }
  /// Returns the durations of all slices of the name, whatever durations are stepped through.
  const DurationHistogram& histogram() const { return histogram_; }
  /// Steps only through slices with durations in [begin, end); nothing = all of them.
  void restrict(const Trace& trace, std::optional<TimeSpan> durations);
  const std::optional<TimeSpan>& durations() const { return durations_; }
  /// Position of the slice last stepped to, from 0.
  std::optional<std::size_t> current() const { return current_; }

  /// Moves on by `direction` (+1, -1) and wraps around; the first step takes the slice that starts
  /// next after (or last before) `from`. Invalid when there are none.
  SliceId step(const Trace& trace, int direction, Nanos from);
  /// Makes `slice` current if it is one of them, else leaves none current.
  void point_at(const Trace& trace, SliceId slice);

 private:
  template <class Matches>
  void collect(const Trace& trace, TimeSpan range, const std::atomic<bool>* cancel, Matches matches);
  void finish(const Trace& trace);

  StringId name_;
  CategoryId category_;
  std::vector<SliceId> all_;
  std::vector<SliceId> slices_;  // of all_, those that are stepped through
  DurationHistogram histogram_;  // of all_
  std::optional<TimeSpan> durations_;
  std::optional<std::size_t> current_;
};

}  // namespace lacuna
