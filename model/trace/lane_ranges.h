#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/base/ids.h"

namespace lacuna {

/// Where the rows of each lane lie in a table that is ordered by slice: a slice's row is then looked for only where it
/// must be, as the slices of one lane lie about evenly in the table. 4 bytes a lane. Immutable once made.
class LaneRanges {
 public:
  /// Empty: finds nothing.
  LaneRanges() = default;
  /// `rows` ascend by `slice_of` each. Fewer than 2^32. O(lanes log rows).
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

  /// The index of the first of the same `rows` that is not before `slice`. Looks from where the slice would be if those
  /// of its lane lay evenly: O(log of how far it lies from there).
  template <class Row, class SliceOf>
  std::size_t lower_bound(std::span<const Row> rows, SliceId slice, SliceOf slice_of) const {
    if (slice.lane.value + std::size_t{1} >= begins_.size()) return rows.size();
    const auto index_at = [&](std::size_t row) { return std::invoke(slice_of, rows[row]).index; };
    std::size_t low = begins_[slice.lane.value], high = begins_[slice.lane.value + 1];
    if (low == high || slice.index <= index_at(low)) return low;
    const std::uint64_t first = index_at(low), last = index_at(high - 1);
    if (slice.index > last) return high;
    // The row at `low` is always before the slice, the one at `high` never.
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
  std::vector<std::uint32_t> begins_;  // by lane, and one more
};

}  // namespace lacuna
