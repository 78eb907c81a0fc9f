#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lacuna {

/// std::stable_sort for rows that consist of few sorted runs, such as concatenated lanes: merges the runs.
/// O(n log runs).
template <class Row, class Less>
void sort_runs(std::vector<Row>& rows, Less less) {
  constexpr std::size_t kShortRun = 32;  // average length from which std::stable_sort is as good
  std::vector<std::size_t> ends;         // ends of the runs
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!less(rows[i], rows[i - 1])) continue;
    ends.push_back(i);
    if (ends.size() * kShortRun > rows.size()) return std::stable_sort(rows.begin(), rows.end(), less);
  }
  ends.push_back(rows.size());
  const auto at = [&](std::size_t i) { return rows.begin() + static_cast<std::ptrdiff_t>(i); };
  while (ends.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t r = 0; r < ends.size(); r += 2) {
      const std::size_t end = ends[std::min(r + 1, ends.size() - 1)];
      if (r + 1 < ends.size()) std::inplace_merge(at(begin), at(ends[r]), at(end), less);
      merged.push_back(begin = end);
    }
    ends.swap(merged);
  }
}

}  // namespace lacuna
