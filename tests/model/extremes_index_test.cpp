#include "model/trace/extremes_index.h"

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

/// NaN loses against every number; of equals the earliest wins.
template <class Wins>
std::uint32_t by_looking_at_all(std::uint32_t first, std::uint32_t last, const std::vector<double>& values, Wins wins) {
  std::uint32_t best = first;
  for (std::uint32_t i = first; i < last; ++i)
    if (wins(values[i], values[best]) || (std::isnan(values[best]) && !std::isnan(values[i]))) best = i;
  return best;
}

}  // namespace

TEST_CASE("extremes of any part, whatever of the values the index knows") {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 40; ++round) {
    const std::size_t size = 1 + below(6000);
    std::vector<double> values(size);
    for (double& value : values)
      value = below(40) == 0 ? std::numeric_limits<double>::quiet_NaN() : below(round % 3 == 0 ? 1'000'000 : 50);
    ExtremesIndex index;  // of nothing, of a part, in two steps, of all
    if (round % 4 == 1) index.extend(std::span(values).first(size / 2));
    if (round % 4 == 2) index.extend(std::span(values).first(size / 3));
    if (round % 4 > 1) index.extend(values);
    std::size_t wrong = 0;
    for (int query = 0; query < 200; ++query) {
      const std::uint32_t first = below(size);
      const std::uint32_t last = first + 1 + below(size - first);
      wrong += index.greatest(first, last, values) !=
               by_looking_at_all(first, last, values, [](double a, double b) { return a > b; });
      wrong += index.least(first, last, values) !=
               by_looking_at_all(first, last, values, [](double a, double b) { return a < b; });
    }
    CAPTURE(round);
    CHECK(wrong == 0);
  }
}
