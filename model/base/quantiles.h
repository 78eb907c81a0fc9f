#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
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

/// The lower median of `values`, which is one of them: for norms and limits. Value{} for none.
template <class Value>
Value lower_median(std::vector<Value> values) {
  return nearest_rank(std::span(values), 50);
}

/// Median of `values`, as it is shown: of an even number the mean of the two in the middle, for whole numbers rounded
/// down; Value{} for none.
template <class Value>
Value median_of(std::vector<Value> values) {
  if (values.empty()) return Value{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const Value lower = *std::max_element(values.begin(), middle), upper = *middle;
  // Not std::midpoint(): its header is 18 kB more in each unit. Neither of these overflows.
  if constexpr (std::is_integral_v<Value>) return (lower & upper) + ((lower ^ upper) >> 1);
  return lower / 2 + upper / 2;
}

}  // namespace lacuna
