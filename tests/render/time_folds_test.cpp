#include "render/time_folds.h"

#include <random>

#include <doctest/doctest.h>

#include "tests/render/scene.h"

namespace lacuna {
namespace {

constexpr Nanos kFoldEpoch = 1'700'000'000'123'456'789;
constexpr Nanos kFoldWeek = Nanos{7} * 24 * 3600 * 1'000'000'000;

TEST_CASE("stretches become short, the rest is only moved") {
  const std::vector<TimeSpan> idle = {{100, 1'100}, {2'000, 2'005}, {3'000, 5'000}};
  const TimeFolds folds(idle, 10);
  REQUIRE(folds.stretches().size() == 2);  // five nanoseconds are shorter than what is kept
  CHECK(folds.removed() == 990 + 1'990);
  CHECK(folds.fold(50) == 50);
  CHECK(folds.fold(100) == 100);
  CHECK(folds.fold(600) == 105);
  CHECK(folds.fold(1'100) == 110);
  CHECK(folds.fold(2'000) == 1'010);
  CHECK(folds.fold(3'000) == 2'010);
  CHECK(folds.fold(5'000) == 2'020);
  CHECK(folds.fold(6'000) == 3'020);
  CHECK(folds.unfold(105) == 600);
  CHECK(folds.unfold(3'020) == 6'000);
  CHECK(folds.in({0, 100}).empty());
  CHECK(folds.in({0, 101}).size() == 1);
  CHECK(folds.in({1'100, 3'000}).empty());
  CHECK(folds.in({0, 10'000}).size() == 2);
  CHECK(TimeFolds().fold(7) == 7);
}

TEST_CASE("outside of stretches every nanosecond comes back; everywhere order stays") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    // Stretches in a week at Unix times.
    std::vector<TimeSpan> idle;
    Nanos t = kFoldEpoch;
    for (int i = 0; i < 20; ++i) {
      t += 1 + static_cast<Nanos>(random() % 1'000'000'000);
      const Nanos begin = t;
      t += 2 + static_cast<Nanos>(random() % static_cast<std::uint64_t>(kFoldWeek / 20));
      idle.push_back({begin, t});
    }
    const Nanos kept = 1 + static_cast<Nanos>(random() % 1'000'000);
    const TimeFolds folds(idle, kept);
    Nanos last = kMinNanos;
    Nanos last_time = kMinNanos;
    std::vector<Nanos> times;
    for (int i = 0; i < 200; ++i)
      times.push_back(kFoldEpoch - 1000 + static_cast<Nanos>(random() % static_cast<std::uint64_t>(kFoldWeek)));
    for (const TimeSpan& span : idle)
      for (const Nanos d : {-1, 0, 1}) {
        times.push_back(span.begin + d);
        times.push_back(span.end + d);
      }
    std::ranges::sort(times);
    for (const Nanos now : times) {
      const Nanos folded = folds.fold(now);
      CHECK(folded >= last);
      bool is_inside = false;
      for (const TimeFolds::Stretch& s : folds.stretches())
        if (s.span.begin < now && now < s.span.end) is_inside = true;
      if (!is_inside) {
        CHECK(folds.unfold(folded) == now);
        // Neighbours outside of stretches stay as far apart as they are.
        if (!folds.in({last_time, now}).empty() || last_time == kMinNanos) {
        } else {
          CHECK(folded - last == now - last_time);
        }
        last_time = now;
        last = folded;
      } else {
        CHECK(folds.unfold(folded) <= now);
        last_time = kMinNanos;
        last = folded;
      }
    }
  }
}

TEST_CASE("idle is where nothing runs, between the first and the last") {
  CHECK(idle_stretches({}, 1).empty());
  CHECK(idle_stretches({{5, 10}}, 1).empty());
  const auto idle = idle_stretches({{100, 110}, {0, 50}, {10, 20}, {105, 130}, {200, 200}, {131, 140}}, 2);
  CHECK(idle == std::vector<TimeSpan>{{50, 100}, {140, 200}});
}

TEST_CASE("a frame of folded time: one nanosecond can be told from the next a week later") {
  // Two bursts, six days apart.
  const Nanos later = kFoldEpoch + kFoldWeek - 1'000;
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("first", kFoldEpoch, 1'000)
                  .slice("second", later, 400)
                  .slice("third", later + 401, 300)
                  .make());
  const std::vector<TimeSpan> idle = {{kFoldEpoch + 1'000, later}};
  const TimeFolds folds(idle, 100);
  scene.input.view.time_folds = &folds;
  scene.input.view.camera = Camera::fit(folds.fold({kFoldEpoch, later + 701}), 1'000);
  scene.frame();
  const double ns_per_px = scene.input.view.camera.ns_per_px();
  CHECK(ns_per_px == doctest::Approx(1'801.0 / 1'000));
  const DrawSlice* second = scene.drawn("second");
  const DrawSlice* third = scene.drawn("third");
  REQUIRE(second != nullptr);
  REQUIRE(third != nullptr);
  CHECK(second->x0 == doctest::Approx(1'100 / ns_per_px).epsilon(1e-5));
  CHECK(second->x1 - second->x0 == doctest::Approx(400 / ns_per_px).epsilon(1e-4));
  CHECK(third->x0 - second->x1 == doctest::Approx(1 / ns_per_px).epsilon(1e-2));
  CHECK(scene.input.view.time_at(scene.input.view.x_of(later + 401)) == later + 401);
  REQUIRE(scene.list.time_folds.size() == 1);
  CHECK(scene.list.time_folds[0].x0 == doctest::Approx(1'000 / ns_per_px).epsilon(1e-4));
  CHECK(scene.list.time_folds[0].x1 == doctest::Approx(1'100 / ns_per_px).epsilon(1e-4));
  // Ticks ascend, and none lies inside of what is folded.
  float last = -1e9f;
  for (const DrawTick& tick : scene.list.ticks) {
    CHECK(tick.x >= last);
    last = tick.x;
    CHECK((tick.x <= scene.list.time_folds[0].x0 + 0.5f || tick.x >= scene.list.time_folds[0].x1 - 0.5f));
  }
}

}  // namespace
}  // namespace lacuna
