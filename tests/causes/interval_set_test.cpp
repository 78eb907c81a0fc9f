#include "model/causes/interval_set.h"

#include "model/causes/interval_walk.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

TEST_CASE("overlapping and touching spans become one interval; empty ones nothing") {
  const IntervalSet set({{10, 20}, {15, 30}, {30, 40}, {50, 50}, {60, 70}});
  REQUIRE(set.intervals().size() == 2);
  CHECK(set.intervals()[0] == TimeSpan{10, 40});
  CHECK(set.intervals()[1] == TimeSpan{60, 70});
  CHECK(set.covered({0, 100}) == 40);
  CHECK(set.covered({35, 65}) == 10);
  CHECK(set.covered({40, 60}) == 0);
  CHECK(set.covered({20, 10}) == 0);
  CHECK(set.covered(TimeSpan::everything()) == 40);
  CHECK(set.contains(10));
  CHECK_FALSE(set.contains(40));
  CHECK(IntervalSet().covered({0, 1}) == 0);
}

TEST_CASE("union of random spans against counting each nanosecond") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    std::vector<TimeSpan> spans;
    std::vector<bool> in(200, false);
    for (Nanos n = dice.roll(0, 25); n > 0; --n) {
      const Nanos begin = dice.roll(0, 180);
      const Nanos end = begin + dice.roll(0, 19);
      spans.push_back({begin, end});
      for (Nanos t = begin; t < end; ++t) in[static_cast<std::size_t>(t)] = true;
    }
    const IntervalSet set(spans);
    for (int q = 0; q < 20; ++q) {
      const Nanos begin = dice.roll(0, 199);
      const Nanos end = begin + dice.roll(0, 199 - begin);
      const auto count = std::count(in.begin() + begin, in.begin() + end, true);
      CHECK(set.covered({begin, end}) == count);
      CHECK(set.contains(begin) == in[static_cast<std::size_t>(begin)]);
    }
  }
}

TEST_CASE("a walk over a set and the difference of two, against counting each nanosecond") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    std::vector<TimeSpan> spans[2];
    std::vector<bool> in[2]{std::vector<bool>(200, false), std::vector<bool>(200, false)};
    for (int s = 0; s < 2; ++s)
      for (Nanos n = dice.roll(0, 25); n > 0; --n) {
        const Nanos begin = dice.roll(0, 180);
        const Nanos end = begin + dice.roll(0, 19);
        spans[s].push_back({begin, end});
        for (Nanos t = begin; t < end; ++t) in[s][static_cast<std::size_t>(t)] = true;
      }
    const IntervalSet a(spans[0]), b(spans[1]), left = difference(a, b);
    for (Nanos t = 0; t < 200; ++t) {
      const auto at = static_cast<std::size_t>(t);
      CHECK(left.contains(t) == (in[0][at] && !in[1][at]));
    }
    Nanos last = dice.roll(0, 60);
    IntervalWalk walk(a, last);
    while (last < 199) {
      const Nanos next = dice.roll(last, 199);
      CHECK(walk.to(next) == std::count(in[0].begin() + last, in[0].begin() + next, true));
      last = std::max(next, last + dice.roll(0, 1));
      if (last > next) (void)walk.to(last);
    }
  }
  CHECK(difference(IntervalSet({{0, 10}}), IntervalSet()).covered({0, 100}) == 10);
  CHECK(difference(IntervalSet(), IntervalSet({{0, 10}})).empty());
}

TEST_CASE("merging of runs sorts, and keeps equal items in order") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    std::vector<std::pair<Nanos, int>> items;
    for (int run = 0; run < 6; ++run) {
      Nanos value = dice.roll(0, 5);
      for (Nanos n = dice.roll(0, 8); n > 0; --n)
        items.emplace_back(value += dice.roll(0, 2), static_cast<int>(items.size()));
    }
    auto expected = items;
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::ranges::stable_sort(expected, less);
    merge_runs(items, less);
    CHECK(items == expected);
  }
}

TEST_CASE("what two random sets have in common, against counting each nanosecond") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    std::vector<bool> in[2] = {std::vector<bool>(200, false), std::vector<bool>(200, false)};
    IntervalSet sets[2];
    for (int k = 0; k < 2; ++k) {
      std::vector<TimeSpan> spans;
      for (Nanos n = dice.roll(0, 12); n > 0; --n) {
        const Nanos begin = dice.roll(0, 180);
        spans.push_back({begin, begin + dice.roll(0, 19)});
        for (Nanos t = spans.back().begin; t < spans.back().end; ++t) in[k][static_cast<std::size_t>(t)] = true;
      }
      sets[k] = IntervalSet(std::move(spans));
    }
    const IntervalSet both = common(sets[0], sets[1]);
    for (Nanos t = 0; t < 200; ++t)
      CHECK(both.contains(t) == (in[0][static_cast<std::size_t>(t)] && in[1][static_cast<std::size_t>(t)]));
  }
}
