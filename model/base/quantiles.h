#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lacuna {

/// The index, from 0, of the nearest-rank percentile in `count` sorted values, count >= 1: the least value such that
/// `percent` of 100 values are at most it. https://en.wikipedia.org/wiki/Percentile#The_nearest-rank_method
constexpr std::size_t nearest_rank_index(std::size_t count, std::size_t percent) {
  return std::max<std::size_t>((count * percent + 99) / 100, 1) - 1;
}

/// Returns the nearest-rank percentile of `values`, which are reordered; Value{} for none.
template <class Value>
Value nearest_rank(std::span<Value> values, std::size_t percent) {
  if (values.empty()) return Value{};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(nearest_rank_index(values.size(), percent));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Median of `values`: the lower of the two in the middle; Value{} for none.
template <class Value>
Value lower_median(std::vector<Value> values) {
  return nearest_rank(std::span(values), 50);
}

}  // namespace lacuna
