#include "model/index/busy_index.h"

#include <random>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

/// Activities [start, end) ascending and apart, as analyze_streams would report them.
StreamActivity activity_of(const std::vector<TimeSpan>& busy) {
  StreamActivity activity;
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
  for (int round = 0; round < 50; ++round) {
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
