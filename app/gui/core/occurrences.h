#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/groups/histogram.h"
#include "model/trace/trace.h"

namespace lacuna {

/// All slices of one row of a table, to be highlighted and stepped through ("3 / 72"). find() scans the
/// columns of names once and sorts: call it on a worker thread, where `cancel` stops it (the result is
/// then invalid). After that, use it on the UI thread.
class Occurrences {
 public:
  /// Finds the slices of that name and category that overlap `range`, ascending by start.
  void find(const Trace& trace, StringId name, CategoryId category, TimeSpan range,
            const std::atomic<bool>* cancel = nullptr);
  /// Finds the slices of a row of torch's table: those with any of `names`, on the GPU or on the CPU. name() and
  /// category() are then invalid.
  void find(const Trace& trace, const std::vector<StringId>& names, bool on_gpu, bool is_annotation, TimeSpan range,
            const std::atomic<bool>* cancel = nullptr);
  /// Sets the slices directly, in any order. name() and category() are then invalid.
  void assign(const Trace& trace, std::vector<SliceId> slices);
  /// Makes an empty placeholder for slices of that name and category until they are found.
  void expect(StringId name, CategoryId category);
  void clear();

  bool empty() const { return slices_.empty(); }
  std::size_t size() const { return slices_.size(); }
  /// Returns all slices, whatever restrict() set, ascending by start.
  const std::vector<SliceId>& all() const { return all_; }
  StringId name() const { return name_; }
  CategoryId category() const { return category_; }
  /// Returns the histogram of all slices' durations, whatever restrict() set.
  const DurationHistogram& histogram() const { return histogram_; }
  /// Limits stepping to slices with durations in [begin, end); nothing = all slices.
  void restrict(const Trace& trace, std::optional<TimeSpan> durations);
  const std::optional<TimeSpan>& durations() const { return durations_; }
  /// Returns the position of the current slice, from 0.
  std::optional<std::size_t> current() const { return current_; }

  /// Steps in `direction` (+1, -1) and wraps around; the first step takes the first slice that starts
  /// after (or the last one before) `from`. Returns an invalid id when there are no slices.
  SliceId step(const Trace& trace, int direction, Nanos from);
  /// Makes `slice` current if it is in the list; otherwise no slice is current.
  void point_at(const Trace& trace, SliceId slice);

 private:
  template <class Matches>
  void collect(const Trace& trace, TimeSpan range, const std::atomic<bool>* cancel, Matches matches);
  void finish(const Trace& trace);

  StringId name_;
  CategoryId category_;
  std::vector<SliceId> all_;
  std::vector<SliceId> slices_;  // the subset of all_ that is stepped through
  DurationHistogram histogram_;  // durations of all_
  std::optional<TimeSpan> durations_;
  std::optional<std::size_t> current_;
};

}  // namespace lacuna
