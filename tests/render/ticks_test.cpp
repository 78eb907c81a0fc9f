#include "render/ticks.h"

#include <cmath>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "render/format.h"

using namespace lacuna;

namespace {

constexpr Nanos kUs = 1'000, kMs = 1'000'000, kS = 1'000'000'000, kMin = 60 * kS, kH = 60 * kMin;

std::string label(Nanos offset, Nanos step) {
  std::string out;
  append_tick_label(out, offset, step);
  return out;
}

std::vector<DrawTick> majors(const Recycled<DrawTick>& ticks) {
  std::vector<DrawTick> out;
  for (const DrawTick& tick : ticks)
    if (tick.is_major) out.push_back(tick);
  return out;
}

void ticks_of(const Camera& camera, double width_px, Nanos origin, const TickStyle& style, Recycled<DrawTick>& ticks) {
  ticks.clear();
  append_ticks(camera, width_px, origin, style, 0, ticks);
}

}  // namespace

TEST_CASE("steps are nice from nanoseconds to days") {
  CHECK(nice_step(0.001) == 1);
  CHECK(nice_step(1.5) == 2);
  CHECK(nice_step(2.5) == 5);
  CHECK(nice_step(51) == 100);
  CHECK(nice_step(101 * kUs) == 200 * kUs);
  CHECK(nice_step(10e9) == 10 * kS);
  CHECK(nice_step(11e9) == 15 * kS);
  CHECK(nice_step(31e9) == kMin);
  CHECK(nice_step(3.0 * 60e9) == 5 * kMin);
  CHECK(nice_step(61.0 * 60e9) == 2 * kH);
  CHECK(nice_step(13.0 * 3600e9) == 24 * kH);
  CHECK(nice_step(25.0 * 3600e9) == 48 * kH);
  CHECK(nice_step(1e300) > 0);
  for (Nanos step = 1; step < kMaxNanos / 20; step = nice_step(static_cast<double>(step) * 1.01))
    CHECK(nice_step(static_cast<double>(step)) == step);
}

TEST_CASE("labels have the digits that the step needs and no more") {
  CHECK(label(0, kMs) == "0");
  CHECK(label(250, 50) == "250 ns");
  CHECK(label(1250, 50) == "1.25 \u00b5s");
  CHECK(label(2000, 1000) == "2 \u00b5s");
  CHECK(label(2000, 500) == "2.0 \u00b5s");
  CHECK(label(1'294'789'123, 1) == "1.294789123 s");
  CHECK(label(1200 * kUs, 200 * kUs) == "1.2 ms");
  CHECK(label(1500 * kMs, 500 * kMs) == "1.5 s");
  CHECK(label(45 * kS, 15 * kS) == "45 s");
  CHECK(label(60 * kS, 15 * kS) == "1 min 00 s");
  CHECK(label(63 * kS + 500 * kMs, 500 * kMs) == "1 min 03.5 s");
  CHECK(label(5 * kMin, kMin) == "5 min");
  CHECK(label(kH + 2 * kMin, kMin) == "1 h 02 min");
  CHECK(label(2 * kH, kH) == "2 h");
  CHECK(label(kH + 2 * kMin + 3 * kS, kS) == "1 h 02 min 03 s");
  CHECK(label(24 * kH, 12 * kH) == "1 d 0 h");
  CHECK(label(48 * kH, 24 * kH) == "2 d");
  CHECK(label(-1200 * kUs, 200 * kUs) == "-1.2 ms");
  CHECK(label(kMinNanos, 1) == "-106751 d 23 h 47 min 16.854775808 s");
}

TEST_CASE("majors sit on multiples of the step, minors between them") {
  Recycled<DrawTick> ticks;
  ticks_of(Camera::at(0, 0, 1000), 1000, 0, {.min_label_px = 90, .glyph_px = 7}, ticks);
  const auto found = majors(ticks);
  REQUIRE(found.size() >= 10);
  CHECK(found[0].x == 0);
  CHECK(found[0].label == "0");
  CHECK(found[1].x == 100);
  CHECK(found[1].label == "100 \u00b5s");
  CHECK(found[2].label == "200 \u00b5s");
  CHECK(ticks.size() > 90);  // ten minors of 10 px each
  for (std::size_t i = 1; i < 90; ++i) CHECK(ticks[i].x - ticks[i - 1].x == doctest::Approx(10));
}

TEST_CASE("ticks follow the origin") {
  Recycled<DrawTick> ticks;
  ticks_of(Camera::at(1'000'123, 0, 1000), 1000, 1'000'123, {}, ticks);
  CHECK(majors(ticks)[0].label == "0");
  CHECK(majors(ticks)[0].x == 0);
  ticks_of(Camera::at(0, 0, 1000), 1000, 500'000, {}, ticks);
  CHECK(majors(ticks)[0].label == "-500 \u00b5s");
}

TEST_CASE("labels never overlap and neighbours differ, at any zoom and place") {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> exponent(-3, 13);
  Recycled<DrawTick> ticks;
  for (int round = 0; round < 5000; ++round) {
    const Nanos origin = round % 2 == 0 ? 0 : 1'700'000'000'000'000'000;
    const Nanos begin =
        origin + static_cast<Nanos>(random() % 604'800'000'000'000) - (round % 3 == 0 ? 302'400'000'000'000 : 0);
    const double ns_per_px = std::pow(10.0, exponent(random));
    const TickStyle style{.min_label_px = 60.0 + static_cast<double>(random() % 60), .glyph_px = 7};
    const Camera camera = Camera::at(begin, static_cast<double>(random() % 10) / 10.0, ns_per_px);
    ticks_of(camera, 1920, origin, style, ticks);
    const auto found = majors(ticks);
    CAPTURE(ns_per_px);
    CAPTURE(begin);
    REQUIRE(!found.empty());
    CHECK(ticks.size() < 400);
    for (std::size_t i = 1; i < ticks.size(); ++i) REQUIRE(ticks[i].x > ticks[i - 1].x);
    for (std::size_t i = 1; i < found.size(); ++i) {
      const double distance = double{found[i].x} - double{found[i - 1].x};
      REQUIRE(found[i].label != found[i - 1].label);
      REQUIRE(distance >= style.min_label_px - 0.01);
      REQUIRE(distance >= (static_cast<double>(glyph_count(found[i - 1].label)) + 1) * style.glyph_px);
    }
    // The whole width is covered.
    CHECK(found.front().x <= 1920 * 0.999);
    CHECK(found.front().x - 1920 < 0);
  }
}

TEST_CASE("a tick keeps its place in time and its label while panning") {
  Recycled<DrawTick> ticks;
  const double ns_per_px = 137.0;
  std::set<std::string> before;
  for (int step = 0; step < 300; ++step) {
    const Camera camera = Camera::at(1'000'000, 0, ns_per_px).panned(step * 0.7);
    ticks_of(camera, 1000, 0, {}, ticks);
    std::set<std::string> now;
    for (const DrawTick& tick : majors(ticks)) {
      const Nanos time = camera.begin() + std::llround(double{tick.x} * ns_per_px + camera.begin_fraction());
      const Nanos on_grid = (time + 10'000) / 20'000 * 20'000;
      CHECK(std::abs(time - on_grid) <= 5);  // float pixels
      now.insert(tick.label);
    }
    if (step > 0) {
      std::size_t common = 0;
      for (const std::string& text : now) common += before.count(text);
      CHECK(common + 1 >= now.size());
    }
    before = now;
  }
}

TEST_CASE("the ends of time and odd sizes are harmless") {
  Recycled<DrawTick> ticks;
  ticks_of(Camera::at(kMaxNanos - 100, 0, 1), 1000, 0, {}, ticks);
  CHECK(ticks.size() < 400);
  ticks_of(Camera::at(kMinNanos, 0, Camera::kMaxNsPerPx), 1000, kMaxNanos, {}, ticks);
  CHECK(ticks.size() < 400);
  ticks_of(Camera::at(0, 0, 1), 0, 0, {}, ticks);
  CHECK(ticks.empty());
}
