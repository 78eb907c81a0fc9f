#include "model/base/level_of_detail.h"

#include <random>

#include <doctest/doctest.h>

#include "model/trace/lane.h"
#include "tests/support/lanes.h"

using namespace lacuna;

namespace {

Lane make_lane(const std::vector<TimeSpan>& spans) {
  std::vector<SliceRecord> slices;
  for (const TimeSpan& span : spans) {
    SliceRecord& slice = slices.emplace_back();
    slice.start = span.begin;
    slice.duration = span.duration();
  }
  return lane_of(slices);
}

std::vector<LaneRun> runs_of(const Lane& lane, TimeSpan view, Nanos fold, Nanos origin = 0) {
  std::vector<LaneRun> runs;
  for_each_run(lane, view, fold, origin, [&](LaneRun run) { runs.push_back(run); });
  return runs;
}

}  // namespace

TEST_CASE("the longest of a range is found at every size and alignment") {
  std::mt19937 random(1);
  std::vector<Nanos> durations;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    durations.push_back(static_cast<Nanos>(random() % 1000));
    const LongestIndex index(durations);
    for (int k = 0; k < 3; ++k) {
      const auto first = static_cast<std::uint32_t>(random() % (i + 1));
      const auto last = static_cast<std::uint32_t>(first + 1 + random() % (i + 1 - first));
      std::uint32_t expected = first;
      for (std::uint32_t j = first; j < last; ++j)
        if (durations[j] > durations[expected]) expected = j;
      REQUIRE(index.longest(first, last, durations.data()) == expected);
    }
  }
}

TEST_CASE("slices at least as wide as a pixel are runs of their own") {
  const Lane lane = make_lane({{0, 100}, {100, 250}, {300, 400}});
  const auto runs = runs_of(lane, {0, 1000}, 100);
  REQUIRE(runs.size() == 3);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK((runs[i].first == i && runs[i].last == i + 1 && runs[i].longest == i));
}

TEST_CASE("small neighbours fold into one run per grid cell that keeps the longest") {
  const Lane lane = make_lane({{0, 10}, {20, 50}, {60, 70}, {110, 120}, {130, 500}, {510, 520}});
  const auto runs = runs_of(lane, {0, 1000}, 100);
  REQUIRE(runs.size() == 4);
  CHECK((runs[0].first == 0 && runs[0].last == 3 && runs[0].longest == 1));
  CHECK((runs[1].first == 3 && runs[1].last == 4));  // not folded with the wide one behind it
  CHECK((runs[2].first == 4 && runs[2].last == 5));
  CHECK((runs[3].first == 5 && runs[3].last == 6));
}

TEST_CASE("only what overlaps the view is visited; zero-length slices count where they stand") {
  const Lane lane = make_lane({{0, 100}, {100, 100}, {200, 300}, {300, 300}, {400, 500}});
  CHECK(runs_of(lane, {250, 300}, 1).size() == 1);
  CHECK(runs_of(lane, {300, 301}, 1).size() == 1);
  CHECK(runs_of(lane, {100, 101}, 1).size() == 1);
  CHECK(runs_of(lane, {500, 600}, 1).empty());
  CHECK(runs_of(lane, {99, 100}, 1).size() == 1);
}

TEST_CASE("runs cover every slice in view exactly once, in a number bounded by the pixels") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<TimeSpan> spans;
    Nanos t = static_cast<Nanos>(random() % 1000) - 500;
    for (int i = 0; i < 300; ++i) {
      const Nanos start = t + static_cast<Nanos>(random() % 50);
      const Nanos length = static_cast<Nanos>(random() % (random() % 10 == 0 ? 2000 : 30));
      spans.push_back({start, start + length});
      t = start + length;
    }
    const Lane lane = make_lane(spans);
    const TimeSpan view{static_cast<Nanos>(random() % 4000) - 1000, static_cast<Nanos>(random() % 9000) + 3000};
    const Nanos fold = 1 + static_cast<Nanos>(random() % 200);
    const auto runs = runs_of(lane, view, fold, static_cast<Nanos>(random() % 77));
    std::vector<int> hits(spans.size(), 0);
    for (const LaneRun& run : runs) {
      REQUIRE(run.first < run.last);
      for (std::uint32_t i = run.first; i < run.last; ++i) ++hits[i];
    }
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const bool visible =
          spans[i].begin < view.end &&
          (spans[i].end > view.begin || (spans[i].begin == spans[i].end && spans[i].begin == view.begin));
      REQUIRE(hits[i] == (visible ? 1 : 0));
    }
    CHECK(static_cast<Nanos>(runs.size()) <= 2 * (view.duration() / fold) + 4);
  }
}
