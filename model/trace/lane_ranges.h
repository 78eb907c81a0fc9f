#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/base/ids.h"

namespace lacuna {

/// The range of each lane's rows in a table ordered by slice: the search for a slice's row is limited to that range
/// and starts near the row, as the slices of one lane are spread evenly. 4 bytes per lane. Immutable once made.
class LaneRanges {
 public:
  /// Empty: finds nothing.
  LaneRanges() = default;
  /// Each of `rows` has a slice_of(), ascending. Fewer than 2^32 rows. O(lanes log rows).
  template <class Row, class SliceOf>
  LaneRanges(std::span<const Row> rows, SliceOf slice_of) {
    if (rows.empty()) return;
    const auto lane_of = [&](const Row& row) { return std::invoke(slice_of, row).lane; };
    begins_.resize(lane_of(rows.back()).value + std::size_t{2}, static_cast<std::uint32_t>(rows.size()));
    std::size_t next = 0;  // lane
    for (auto first = rows.begin(); first != rows.end();) {
      const LaneId lane = lane_of(*first);
      for (; next <= lane.value && next < begins_.size(); ++next)
        begins_[next] = static_cast<std::uint32_t>(first - rows.begin());
      first = std::partition_point(first, rows.end(), [&](const Row& row) { return lane_of(row) == lane; });
    }
  }
  bool empty() const { return begins_.empty(); }

  /// Returns the index of the first of the same `rows` that is not before `slice`. Starts at the position expected for
  /// evenly spread slices: O(log of the distance from there).
  template <class Row, class SliceOf>
  std::size_t lower_bound(std::span<const Row> rows, SliceId slice, SliceOf slice_of) const {
    if (slice.lane.value + std::size_t{1} >= begins_.size()) return rows.size();
    const auto index_at = [&](std::size_t row) { return std::invoke(slice_of, rows[row]).index; };
    std::size_t low = begins_[slice.lane.value], high = begins_[slice.lane.value + 1];
    if (low == high || slice.index <= index_at(low)) return low;
    const std::uint64_t first = index_at(low), last = index_at(high - 1);
    if (slice.index > last) return high;
    // Invariant: the row at `low` is before the slice, the one at `high` is not.
    const auto is_before = [&](std::size_t row) { return index_at(row) < slice.index; };
    --high;
    const std::size_t guess = low + (slice.index - first) * (high - low) / (last - first);
    if (is_before(guess)) {
      low = guess;
      std::size_t step = 1;
      for (; low + step < high && is_before(low + step); step *= 2) low += step;
      high = std::min(high, low + step);
    } else {
      high = guess;
      std::size_t step = 1;
      for (; low + step < high && !is_before(high - step); step *= 2) high -= step;
      low += high - low > step ? high - low - step : 0;
    }
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (is_before(middle) ? low : high) = middle;
    }
    return high;
  }

 private:
  std::vector<std::uint32_t> begins_;  // by lane, plus an end
};

}  // namespace lacuna
