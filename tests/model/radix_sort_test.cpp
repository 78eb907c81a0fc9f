#include "model/base/radix_sort.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("radix sort orders like a stable sort, whatever bytes differ") {
  std::mt19937_64 random(7);
  PageVector<SortKey> scratch;
  for (const std::uint64_t mask : {0xffull, 0xffff00ull, 0xff000000000000ffull, ~0ull, 0ull}) {
    for (const std::size_t count : {0u, 1u, 2u, 1000u, 70000u}) {
      PageVector<SortKey> keys;
      for (std::uint32_t i = 0; i < count; ++i) keys.push_back({random() & mask, i});
      PageVector<SortKey> expected = keys;
      std::ranges::stable_sort(expected, {}, &SortKey::key);
      radix_sort(keys, scratch);
      REQUIRE(keys.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(keys[i].key == expected[i].key);
        REQUIRE(keys[i].index == expected[i].index);
      }
    }
  }
}

TEST_CASE("page vectors keep their content while they grow from malloc's memory into pages") {
  PageVector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 3'000'000; ++i) numbers.push_back(i);  // 24 MB
  bool all = true;
  for (std::uint64_t i = 0; i < numbers.size(); ++i) all &= numbers[i] == i;
  CHECK(all);
  numbers.shrink_to_fit();
  CHECK(numbers.back() == 2'999'999);
}
