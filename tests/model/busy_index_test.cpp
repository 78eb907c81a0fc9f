#include "model/index/busy_index.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/rounds.h"

using namespace lacuna;

namespace {

/// Activities [start, end) ascending and apart, as analyze_streams would report them.
StreamActivity activity_of(const std::vector<TimeSpan>& busy) {
  StreamActivity activity;
  activity.track = TrackId{0};
  activity.events = busy.size();
  if (busy.empty()) return activity;
  activity.first_start = busy.front().begin;
  activity.last_end = busy.back().end;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    activity.busy += busy[i].duration();
    if (i > 0 && busy[i].begin > busy[i - 1].end) activity.gaps.push_back({busy[i - 1].end, busy[i].begin, {}, {}, {}});
  }
  return activity;
}

}  // namespace

TEST_CASE("busy and idle time of a range") {
  const StreamBusyIndex index(activity_of({{100, 200}, {250, 300}, {300, 310}, {400, 500}}));
  CHECK(index.window() == TimeSpan{100, 500});
  CHECK(index.gaps().size() == 2);
  CHECK(index.busy_in(TimeSpan::everything()) == 260);
  CHECK(index.idle_in(TimeSpan::everything()) == 140);
  CHECK(index.busy_share(TimeSpan::everything()) == doctest::Approx(260.0 / 400));
  CHECK(index.busy_in({100, 200}) == 100);
  CHECK(index.idle_in({200, 250}) == 50);
  CHECK(index.busy_in({225, 275}) == 25);
  CHECK(index.idle_in({225, 275}) == 25);
  CHECK(index.busy_share({0, 150}) == 1.0);  // what lies before the window does not count
  CHECK(index.busy_share({0, 100}) < 0);
  CHECK(index.busy_share({600, 700}) < 0);
  CHECK(index.busy_share({300, 300}) < 0);
  CHECK(index.busy_share({210, 220}) == 0.0);
}

TEST_CASE("a stream without activity is never busy") {
  const StreamBusyIndex index(activity_of({}));
  CHECK(index.busy_in(TimeSpan::everything()) == 0);
  CHECK(index.idle_in(TimeSpan::everything()) == 0);
  CHECK(index.busy_share(TimeSpan::everything()) < 0);
  CHECK(index.gaps().size() == 0);
}

TEST_CASE("gaps are found by time and length") {
  const StreamBusyIndex index(activity_of({{0, 10}, {20, 30}, {60, 70}, {80, 90}}));  // 10, 30, 10
  CHECK(index.gaps().first_visible_from(0) == 0);
  CHECK(index.gaps().first_visible_from(15) == 0);
  CHECK(index.gaps().first_visible_from(20) == 1);
  CHECK(index.gaps().first_visible_from(80) == 3);
  CHECK(index.gaps().first_starting_from(10) == 0);
  CHECK(index.gaps().first_starting_from(11) == 1);
  CHECK(index.gaps().longest(0, 3) == 1);
  CHECK(index.gaps().longest(2, 3) == 2);
}

TEST_CASE("random streams agree with counting every nanosecond") {
  std::mt19937 random(5);
  for (int round = 0; round < rounds(50); ++round) {
    std::vector<TimeSpan> busy;
    std::vector<bool> is_busy(3000, false);
    Nanos t = static_cast<Nanos>(random() % 100);
    while (t < 2800) {
      const Nanos end = t + 1 + static_cast<Nanos>(random() % 60);
      busy.push_back({t, end});
      for (Nanos k = t; k < end; ++k) is_busy[static_cast<std::size_t>(k)] = true;
      t = end + static_cast<Nanos>(random() % 40);
    }
    const StreamActivity activity = activity_of(busy);
    const StreamBusyIndex index(activity);
    CHECK(index.busy_in(TimeSpan::everything()) == activity.busy);
    CHECK(index.idle_in(TimeSpan::everything()) == activity.idle());
    for (int k = 0; k < 200; ++k) {
      const Nanos a = static_cast<Nanos>(random() % 3000);
      const Nanos b = static_cast<Nanos>(random() % 3000);
      Nanos expected = 0;
      for (Nanos at = a; at < b; ++at) expected += is_busy[static_cast<std::size_t>(at)] ? 1 : 0;
      REQUIRE(index.busy_in({a, b}) == expected);
      const Nanos length = TimeSpan{a, b}.intersect(index.window()).duration();
      REQUIRE(index.busy_in({a, b}) + index.idle_in({a, b}) == length);
    }
  }
}

TEST_CASE("a stream at the ends of time does not overflow") {
  const StreamBusyIndex index(activity_of({{kMinNanos, kMinNanos + 5}, {kMaxNanos - 5, kMaxNanos}}));
  CHECK(index.busy_in({kMinNanos, kMinNanos + 10}) == 5);
  CHECK(index.busy_in(TimeSpan::everything()) >= 0);
  CHECK(index.busy_share(TimeSpan::everything()) >= 0);
}

TEST_CASE("the busy index of a stream that grows is that of the whole stream") {
  std::mt19937 random(3);
  StreamActivity activity;
  activity.track = TrackId{0};
  StreamBusyIndex grown;
  Nanos now = 100;
  activity.first_start = now;
  std::vector<StreamBusyIndex> earlier;
  std::vector<std::pair<Nanos, Nanos>> earlier_idle;
  for (int round = 0; round < rounds(30); ++round) {
    // The last gaps may be others in a later trace, now and then many of them.
    const std::size_t size = activity.gaps.size();
    const std::size_t kept = size - std::min<std::size_t>(size, random() % (round % 10 == 9 ? 30'000 : 50));
    activity.gaps.shorten(kept);
    if (kept > 0) now = activity.gaps.back().end + 5;
    for (int i = 0; i < 9'000; ++i) {
      now += 10 + static_cast<Nanos>(random() % 30);
      const Nanos start = now;
      now += 1 + static_cast<Nanos>(random() % (i % 500 == 0 ? 90'000 : 50));
      activity.gaps.push_back({start, now, {}, {}, {}});
    }
    now += 20;
    activity.events = activity.gaps.size() + 1;
    activity.last_end = now;
    grown.grow(activity, kept);
    const StreamBusyIndex whole(activity);
    CHECK(grown.window() == whole.window());
    REQUIRE(grown.gaps().size() == whole.gaps().size());
    for (int i = 0; i < 300; ++i) {
      const Nanos a = static_cast<Nanos>(random() % static_cast<unsigned>(now));
      const Nanos b = a + static_cast<Nanos>(random() % static_cast<unsigned>(now));
      REQUIRE(grown.idle_in({a, b}) == whole.idle_in({a, b}));
      const std::uint32_t first = static_cast<std::uint32_t>(random()) % grown.gaps().size();
      const std::uint32_t last = first + 1 + static_cast<std::uint32_t>(random()) % (grown.gaps().size() - first);
      const std::uint32_t longest = grown.gaps().longest(first, last);
      std::uint32_t expected = first;
      if (i < 5) {
        for (std::uint32_t g = first; g < last; ++g)
          if (activity.gaps[g].duration() > activity.gaps[expected].duration()) expected = g;
        REQUIRE(longest == expected);
      }
    }
    // All gaps are in the runs, each once.
    for (const Nanos fold : {Nanos{1}, Nanos{1000}, Nanos{1} << 20}) {
      std::uint32_t next = 0;
      grown.for_each_gap_run({0, now + 1}, fold, [&](const FoldedRun& run) {
        REQUIRE(run.first == next);
        REQUIRE(run.longest >= run.first);
        REQUIRE(run.longest < run.last);
        next = run.last;
      });
      CHECK(next == grown.gaps().size());
    }
    earlier.push_back(grown);
    earlier_idle.emplace_back(now, whole.idle_in({0, now}));
  }
  for (std::size_t i = 0; i < earlier.size(); ++i)
    CHECK(earlier[i].idle_in({0, earlier_idle[i].first}) == earlier_idle[i].second);
}
