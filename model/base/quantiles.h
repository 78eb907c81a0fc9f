#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lacuna {

/// Where the nearest-rank percentile lies in `count` sorted values, at least one, from 0: at the least value that
/// `percent` of 100 values are not above. https://en.wikipedia.org/wiki/Percentile#The_nearest-rank_method
constexpr std::size_t nearest_rank_index(std::size_t count, std::size_t percent) {
  return std::max<std::size_t>((count * percent + 99) / 100, 1) - 1;
}

/// The nearest-rank percentile of `values`, whose order is changed; Value{} for none.
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
