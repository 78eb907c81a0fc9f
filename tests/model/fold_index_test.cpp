#include "model/index/fold_index.h"

#include <cstdlib>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "tests/support/lanes.h"
#include "tests/support/rounds.h"

using namespace lacuna;

namespace {

using Random = std::mt19937_64;

Lane lane_of(const std::vector<TimeSpan>& spans) {
  std::vector<SliceRecord> slices;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    SliceRecord& slice = slices.emplace_back();
    slice.start = spans[i].begin;
    slice.duration = spans[i].duration();
    slice.name = StringId{static_cast<std::uint32_t>(i % 97)};
    slice.category = static_cast<std::uint16_t>(i % 7);
    slice.flags = i % 11 == 0 ? std::uint16_t{kSliceUnfinished} : std::uint16_t{0};
  }
  return lane_of(slices);
}

/// Slices of all lengths in bursts and pauses of all lengths.
Lane random_lane(Random& random, std::size_t count) {
  std::vector<TimeSpan> spans;
  Nanos t = random() % 2 == 0 ? -1'000'000 : 1'700'000'000'000'000'000;
  const std::uint64_t spread = 4 + random() % (random() % 4 == 0 ? 32 : 16);  // up to 2^35 ns
  for (std::size_t i = 0; i < count; ++i) {
    const Nanos length = static_cast<Nanos>(random() % (std::uint64_t{1} << (random() % spread)));
    spans.push_back({t, t + length});
    t += length + (random() % 3 == 0 ? 0 : static_cast<Nanos>(random() % (std::uint64_t{1} << (random() % spread))));
  }
  return lane_of(spans);
}

std::vector<FoldedRun> folded_runs(const FoldIndex& index, const Lane& lane, TimeSpan view, Nanos fold_ns) {
  std::vector<FoldedRun> runs;
  index.for_each_run(lane, view, fold_ns, [&](const FoldedRun& run) { runs.push_back(run); });
  return runs;
}

/// The name with most time among some slices, and how much that is: the slow and simple way.
std::pair<StringId, Nanos> dominant_name(const Lane& lane, std::uint32_t first, std::uint32_t last) {
  std::map<StringId, Nanos> sums;
  for (std::uint32_t i = first; i < last; ++i) sums[lane.name(i)] += lane.duration(i);
  std::pair<StringId, Nanos> most{lane.name(first), sums[lane.name(first)]};
  for (const auto& [name, time] : sums)
    if (time > most.second) most = {name, time};
  return most;
}

Nanos time_of(const Lane& lane, std::uint32_t first, std::uint32_t last, StringId name) {
  Nanos sum = 0;
  for (std::uint32_t i = first; i < last; ++i) sum += lane.name(i) == name ? lane.duration(i) : 0;
  return sum;
}

/// Every claim that a run makes about its slices.
/// `is_cut`: the view's edge may leave only a part of it, whose name it does not have to be.
void check_run(const Lane& lane, const FoldedRun& run, Nanos fold_ns, bool is_cut) {
  REQUIRE(run.first < run.last);
  REQUIRE(run.start == lane.start(run.first));
  REQUIRE(run.end >= lane.end(run.last - 1));
  REQUIRE(run.end <= lane.end(run.last - 1) + fold_ns / 8192);
  Nanos busy = 0;
  std::uint32_t longest = run.first;
  for (std::uint32_t i = run.first; i < run.last; ++i) {
    busy += lane.duration(i);
    if (lane.duration(i) > lane.duration(longest)) longest = i;
  }
  REQUIRE(run.longest == longest);
  REQUIRE((run.busy == -1 || std::abs(run.busy - busy) <= (run.end - run.start) / 250 + fold_ns / 8192 + 1));
  bool is_there = false;
  for (std::uint32_t i = run.first; i < run.last && !is_there; ++i)
    is_there = lane.name(i) == run.name && lane.category(i) == run.category;
  REQUIRE((is_there || is_cut));
  REQUIRE(run.flags == lane.flags(longest));
}

}  // namespace

TEST_CASE("runs cover the view exactly once and tell the truth, at every width") {
  Random random(31);
  for (int round = 0; round < rounds(30); ++round) {
    const Lane lane = random_lane(random, round % 3 == 0 ? 200 : 20'000);
    const FoldIndex index(lane);
    const Nanos begin = lane.start(0);
    const auto length = static_cast<std::uint64_t>(lane.end(lane.size() - 1) - begin);
    for (int k = 0; k < 60; ++k) {
      const Nanos a = begin + static_cast<Nanos>(random() % length);
      const Nanos b = begin + static_cast<Nanos>(random() % length);
      const TimeSpan view = k == 0 ? TimeSpan::everything() : TimeSpan{std::min(a, b), std::max(a, b)};
      const Nanos fold = 1 + static_cast<Nanos>(random() % (std::uint64_t{1} << (random() % 40)));
      const std::vector<FoldedRun> runs = folded_runs(index, lane, view, fold);
      const std::uint32_t first = lane.first_visible_from(view.begin);
      const std::uint32_t last = lane.first_starting_from(view.end, first);
      std::uint32_t next = first;
      for (const FoldedRun& run : runs) {
        REQUIRE(run.first == next);
        check_run(lane, run, fold, &run == &runs.front() || &run == &runs.back());
        if (run.last - run.first > 1) {
          REQUIRE(lane.duration(run.longest) < 2 * fold);
          REQUIRE(lane.start(run.last - 1) - run.start < 2 * fold);
        }
        next = run.last;
      }
      REQUIRE(next == std::max(first, last));
    }
  }
}

TEST_CASE("a level holds the runs that folding the lane itself would give") {
  Random random(8);
  int compared = 0;
  for (int round = 0; round < rounds(20); ++round) {
    const Lane lane = random_lane(random, 20'000);
    const FoldIndex index(lane);
    for (int bit = 0; bit < 40; ++bit) {
      const Nanos width = Nanos{1} << bit;
      std::vector<LaneRun> expected;
      for_each_run(lane, TimeSpan::everything(), width, 0, [&](const LaneRun& run) { expected.push_back(run); });
      const std::vector<FoldedRun> runs = folded_runs(index, lane, TimeSpan::everything(), width);
      // Where a level was left out, a finer one answers: more runs, but not many.
      if (expected.size() >= 64) CHECK(runs.size() <= 2 * expected.size());
      if (runs.size() != expected.size()) continue;
      ++compared;
      for (std::size_t i = 0; i < runs.size(); ++i) {
        REQUIRE(runs[i].first == expected[i].first);
        REQUIRE(runs[i].last == expected[i].last);
        REQUIRE(runs[i].longest == expected[i].longest);
      }
    }
  }
  CHECK(compared > 10 * rounds(20));
}

TEST_CASE("a run has the name with most time in it, not that of its longest slice") {
  // Eight slices of two names in each microsecond; the longest is called 1, most of the time goes to 2.
  std::vector<SliceRecord> slices;
  for (Nanos cell = 0; cell < 1000; ++cell) {
    for (Nanos i = 0; i < 8; ++i) {
      SliceRecord& slice = slices.emplace_back();
      slice.start = cell * 1024 + i * 120;
      slice.duration = i == 3 ? 100 : 40;
      slice.name = StringId{i == 3 ? 1u : i < 6 ? 2u : 3u};
      slice.category = static_cast<std::uint16_t>(slice.name.value + 10);
    }
  }
  const Lane lane = lane_of(slices);
  const FoldIndex index(lane);
  for (const Nanos fold : {1024, 4096, 65536}) {
    for (const FoldedRun& run : folded_runs(index, lane, TimeSpan::everything(), fold)) {
      REQUIRE(run.name == StringId{2});  // 5 * 40 of 380 ns
      REQUIRE(run.category == CategoryId{12});
      REQUIRE(lane.name(run.longest) == StringId{1});
    }
  }
  // The same without levels.
  for_each_folded_run(lane, TimeSpan{0, 50'000}, 1024, [&](const FoldedRun& run) {
    if (run.last - run.first == 8) REQUIRE(run.name == StringId{2});
  });
}

TEST_CASE("the name of a run takes nearly as much time as the one that takes most") {
  Random random(5);
  std::uint64_t exact = 0, all = 0;
  for (int round = 0; round < rounds(12); ++round) {
    std::vector<SliceRecord> slices;
    const std::uint64_t names = 1 + random() % 12;
    Nanos t = 0;
    for (int i = 0; i < 20'000; ++i) {
      SliceRecord& slice = slices.emplace_back();
      slice.start = t;
      slice.duration = static_cast<Nanos>(random() % 1000);
      slice.name = StringId{static_cast<std::uint32_t>(random() % (1 + random() % names))};
      t += slice.duration + static_cast<Nanos>(random() % 100);
    }
    const Lane lane = lane_of(slices);
    const FoldIndex index(lane);
    for (const Nanos fold : {1'024, 4'096, 16'384, 262'144}) {
      for (const FoldedRun& run : folded_runs(index, lane, TimeSpan::everything(), fold)) {
        const auto [name, most] = dominant_name(lane, run.first, run.last);
        const Nanos time = time_of(lane, run.first, run.last, run.name);
        exact += time == most ? 1 : 0;
        ++all;
        REQUIRE(time * 2 >= most);
      }
    }
  }
  CHECK(exact >= all * 95 / 100);
}

TEST_CASE("the number of runs follows the pixels, not the slices") {
  std::vector<TimeSpan> spans;
  for (int i = 0; i < 400'000; ++i) spans.push_back({i * 100, i * 100 + 60});
  const Lane lane = lane_of(spans);
  const FoldIndex index(lane);
  for (const Nanos pixel : {50'000, 20'000, 5'000}) {
    const TimeSpan view{1'000'000, 1'000'000 + pixel * 700};
    const std::size_t runs = folded_runs(index, lane, view, pixel).size();
    CHECK(runs <= 2 * 700 + 3);
    CHECK(runs >= 300);
  }
  CHECK(index.memory_bytes() <= 20 * 400'000);
}

TEST_CASE("memory stays small for lanes that fold badly") {
  // Pairs far apart: each level has as many runs as the one before.
  std::vector<TimeSpan> spans;
  for (Nanos i = 0; i < 100'000; ++i) {
    const Nanos burst = i / 32 * 1'000'000'000;
    spans.push_back({burst + i % 32 * 2, burst + i % 32 * 2 + 1});
  }
  const FoldIndex index(lane_of(spans));
  CHECK(index.memory_bytes() <= 20 * 100'000);
}

TEST_CASE("short lanes, empty lanes and odd times") {
  const Lane empty;
  CHECK(folded_runs(FoldIndex(empty), empty, TimeSpan::everything(), 10).empty());
  CHECK(folded_runs(FoldIndex(), empty, TimeSpan::everything(), 10).empty());
  const Lane lane = lane_of({{0, 10}, {20, 20}, {30, 1000}});
  CHECK(folded_runs(FoldIndex(lane), lane, TimeSpan::everything(), 100).size() == 2);
  CHECK(folded_runs(FoldIndex(lane), lane, TimeSpan::everything(), kMaxNanos).size() == 1);
  std::vector<TimeSpan> same(5000, TimeSpan{7, 7});
  const Lane points = lane_of(same);
  const auto runs = folded_runs(FoldIndex(points), points, TimeSpan::everything(), 1);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].last == 5000);
  std::vector<TimeSpan> wide;
  for (int i = 0; i < 4096; ++i)
    wide.push_back({kMinNanos / 2 + i * (kMaxNanos / 4096), kMinNanos / 2 + i * (kMaxNanos / 4096) + 5});
  const Lane ends = lane_of(wide);
  std::uint32_t covered = 0;
  for (const FoldedRun& run : folded_runs(FoldIndex(ends), ends, TimeSpan::everything(), kMaxNanos / 100))
    covered += run.last - run.first;
  CHECK(covered == 4096);
}

TEST_CASE("indexes of many lanes are made in their order") {
  Random random(2);
  std::vector<Lane> lanes;
  for (std::size_t i = 0; i < 9; ++i) lanes.push_back(random_lane(random, 100 + i * 3000));
  const std::vector<FoldIndex> indexes = FoldIndex::build(lanes, 3);
  REQUIRE(indexes.size() == 9);
  for (std::size_t i = 0; i < 9; ++i) CHECK(indexes[i].memory_bytes() == FoldIndex(lanes[i]).memory_bytes());
}
