#include "model/base/quantiles.h"

#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("nearest rank") {
  std::vector<int> values{50, 10, 40, 20, 30};
  CHECK(nearest_rank(std::span(values), 50) == 30);
  CHECK(nearest_rank(std::span(values), 99) == 50);
  CHECK(nearest_rank(std::span(values), 20) == 10);
  CHECK(nearest_rank(std::span(values), 21) == 20);
  CHECK(nearest_rank(std::span(values), 0) == 10);
  values = {7};
  CHECK(nearest_rank(std::span(values), 1) == 7);
  values.clear();
  CHECK(nearest_rank(std::span(values), 50) == 0);
}

TEST_CASE("the median is the mean of two in the middle, the lower median the lower of them") {
  CHECK(lower_median(std::vector{4, 1, 3, 2}) == 2);
  CHECK(lower_median(std::vector<int>{}) == 0);
  CHECK(median_of(std::vector<double>{}) == 0);
  CHECK(median_of(std::vector{4, 1, 3, 2}) == 2);
  CHECK(median_of(std::vector{4.0, 1.0, 3.0, 2.0}) == 2.5);
  CHECK(median_of(std::vector<std::int64_t>{INT64_MAX, INT64_MAX - 2}) == INT64_MAX - 1);
  CHECK(median_of(std::vector{3, 1, 2}) == 2);
}

TEST_CASE("percentiles of random values against counting") {
  std::mt19937 engine(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> values(1 + engine() % 40);
    for (int& value : values) value = static_cast<int>(engine() % 31);
    for (const std::size_t percent : {1u, 25u, 50u, 75u, 99u, 100u}) {
      const int answer = nearest_rank(std::span(values), percent);
      // The least value that at least so many percent of the values do not exceed.
      const auto share = [&](int limit) {
        std::size_t count = 0;
        for (const int value : values) count += value <= limit;
        return 100 * count;
      };
      CHECK(share(answer) >= percent * values.size());
      CHECK(share(answer - 1) < percent * values.size());
    }
  }
}
