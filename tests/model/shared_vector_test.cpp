// Vectors that grow while copies of them are read.
#include "model/base/shared_vector.h"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using lacuna::SharedVector;

TEST_CASE("a shared vector is a vector, and its copies stay as they are") {
  std::mt19937 random(7);
  SharedVector<int> grows;
  std::vector<int> expected;
  std::vector<std::pair<SharedVector<int>, std::vector<int>>> copies;
  for (int round = 0; round < 400; ++round) {
    const std::size_t more = random() % 700;
    for (std::size_t i = 0; i < more; ++i) {
      grows.push_back(static_cast<int>(random()));
      expected.push_back(grows.back());
    }
    if (random() % 3 == 0) {
      const std::size_t left = expected.size() - random() % (expected.size() / 4 + 1);
      grows.shorten(left);
      expected.resize(left);
    }
    if (random() % 9 == 0) {  // a copy that goes on by itself
      SharedVector<int> other = grows;
      other.push_back(-1);
      CHECK(other.size() == grows.size() + 1);
      grows.push_back(5);
      expected.push_back(5);
      CHECK(other.back() == -1);
    }
    for (const auto& [copy, values] : copies) {
      const std::size_t same = grows.shared_with(copy);
      REQUIRE(same <= std::min(values.size(), expected.size()));
      CHECK(std::equal(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(same), expected.begin()));
    }
    copies.emplace_back(grows, expected);
    CHECK(grows.shared_with(copies.back().first) == grows.size());
    if (copies.size() > 40) copies.erase(copies.begin());
  }
  for (const auto& [copy, values] : copies) {
    REQUIRE(copy.size() == values.size());
    CHECK(std::ranges::equal(copy, values));
  }
  CHECK(std::ranges::equal(grows, expected));
  std::vector<int> ascending(5000);
  for (int i = 0; i < 5000; ++i) ascending[static_cast<std::size_t>(i)] = 2 * i;
  SharedVector<int> sorted;
  for (const int value : ascending) sorted.push_back(value);
  CHECK(std::ranges::lower_bound(sorted, 4001) - sorted.begin() == 2001);
}
