#include "model/trace/lane_ranges.h"

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("a slice is found in a table of slices where a binary search finds it") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<SliceId> rows;
    const std::uint32_t lanes = static_cast<std::uint32_t>(random()) % 5;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      std::uint32_t index = 0;
      const std::uint32_t most_skipped = 1 + static_cast<std::uint32_t>(random()) % 50;
      for (std::uint32_t n = static_cast<std::uint32_t>(random()) % 40; n > 0; --n) {
        index += static_cast<std::uint32_t>(random()) % most_skipped;  // several of one slice, too
        rows.push_back({LaneId{2 * lane}, index});
      }
    }
    const std::span<const SliceId> table(rows);
    const LaneRanges ranges(table, std::identity());
    CHECK(ranges.empty() == rows.empty());
    for (std::uint32_t lane = 0; lane < 2 * lanes + 3; ++lane)
      for (std::uint32_t index = 0; index < 300; index += 1 + static_cast<std::uint32_t>(random()) % 3) {
        const SliceId slice{LaneId{lane}, index};
        const auto expected = std::ranges::lower_bound(rows, slice);
        REQUIRE(ranges.lower_bound(table, slice, std::identity()) == static_cast<std::size_t>(expected - rows.begin()));
      }
  }
}
