#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/page_memory.h"

namespace lacuna {

/// An element to sort: a key and the index of what it refers to.
struct SortKey {
  std::uint64_t key = 0;
  std::uint32_t index = 0;
};

/// Sorts by key; equal keys keep their order. O(n) per eleven bits in which keys differ: for the dense ids of
/// a trace (correlations, flows, slice ids) it takes a third of a comparison sort's time. `scratch` is
/// resized to match; its contents are unspecified afterwards.
inline void radix_sort(PageVector<SortKey>& keys, PageVector<SortKey>& scratch) {
  constexpr unsigned kDigit = 11;
  constexpr std::size_t kDigits = (64 + kDigit - 1) / kDigit;
  constexpr std::size_t kValues = std::size_t{1} << kDigit;
  const auto digit = [](std::uint64_t key, std::size_t d) { return key >> (d * kDigit) & (kValues - 1); };
  std::uint64_t all = 0;
  std::uint64_t common = ~std::uint64_t{0};
  bool is_sorted = true;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    all |= keys[i].key;
    common &= keys[i].key;
    is_sorted &= i == 0 || keys[i - 1].key <= keys[i].key;
  }
  if (is_sorted) return;
  if (keys.size() < kValues) {
    std::ranges::stable_sort(keys, {}, &SortKey::key);
    return;
  }
  std::array<std::size_t, kDigits> differing{};
  std::size_t count = 0;
  for (std::size_t d = 0; d < kDigits; ++d)
    if (digit(all ^ common, d) != 0) differing[count++] = d;
  // Where each value of each of these digits goes.
  std::vector<std::array<std::uint32_t, kValues>> at(count);
  for (const SortKey& k : keys)
    for (std::size_t d = 0; d < count; ++d) ++at[d][digit(k.key, differing[d])];
  scratch.resize(keys.size());
  for (std::size_t d = 0; d < count; ++d) {
    std::uint32_t sum = 0;
    for (std::uint32_t& a : at[d]) sum += std::exchange(a, sum);
    for (const SortKey& k : keys) scratch[at[d][digit(k.key, differing[d])]++] = k;
    keys.swap(scratch);
  }
}

}  // namespace lacuna
