#include "render/camera.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

constexpr Nanos kUnixTime = 1'700'000'000'123'456'789;
constexpr Nanos kWeek = Nanos{7} * 24 * 3600 * 1'000'000'000;

/// 113 bits, where the camera has 64 + 53 and 53.
#ifdef __SIZEOF_FLOAT128__
__extension__ using Wide = __float128;
#else
using Wide = long double;  // as wide on ARM
#endif

/// The time at `x_px` relative to `base`.
Wide exact_time_at(const Camera& camera, double x_px, Nanos base) {
  return static_cast<Wide>(camera.begin() - base) + static_cast<Wide>(camera.begin_fraction()) +
         static_cast<Wide>(x_px) * static_cast<Wide>(camera.ns_per_px());
}

double error_px(const Camera& before, const Camera& after, double x_px, Nanos base) {
  const Wide error = exact_time_at(after, x_px, base) - exact_time_at(before, x_px, base);
  return std::fabs(static_cast<double>(error / static_cast<Wide>(after.ns_per_px())));
}

}  // namespace

TEST_CASE("times and pixels map onto each other") {
  const Camera camera = Camera::at(1000, 0.0, 10.0);
  CHECK(camera.x_of(1000) == 0.0);
  CHECK(camera.x_of(1500) == 50.0);
  CHECK(camera.x_of(900) == -10.0);
  CHECK(camera.time_at(0) == 1000);
  CHECK(camera.time_at(49.95) == 1499);
  CHECK(camera.time_at(50) == 1500);
  CHECK(camera.time_at(-0.01) == 999);
  CHECK(camera.visible(100) == TimeSpan{1000, 2000});
  CHECK(camera.visible(100.05) == TimeSpan{1000, 2001});
}

TEST_CASE("fit shows the span with its margins") {
  const Camera exact = Camera::fit({2000, 3000}, 500);
  CHECK(exact.x_of(2000) == doctest::Approx(0));
  CHECK(exact.x_of(3000) == doctest::Approx(500));
  const Camera roomy = Camera::fit({2000, 3000}, 500, 0.1);
  CHECK(roomy.x_of(2000) == doctest::Approx(50));
  CHECK(roomy.x_of(3000) == doctest::Approx(450));
}

TEST_CASE("fit copes with spans that have no length or all of it") {
  const Camera point = Camera::fit({5000, 5000}, 800);
  CHECK(point.x_of(5000) == doctest::Approx(400));
  CHECK(point.ns_per_px() == doctest::Approx(1000.0 / 800));
  CHECK(Camera::fit(TimeSpan::nothing(), 800).x_of(0) == doctest::Approx(400));
  const Camera all = Camera::fit(TimeSpan::everything(), 1000);
  CHECK(all.x_of(0) == doctest::Approx(500));
  CHECK(all.visible(1000).begin <= kMinNanos + 1);
  CHECK(all.time_at(1e9) == kMaxNanos);
  CHECK(all.time_at(-1e9) == kMinNanos);
  const Camera tiny = Camera::fit({100, 101}, 1000, 0.25);  // wants 0.002 ns/px
  CHECK(tiny.x_of(100) == doctest::Approx(250));
}

TEST_CASE("one nanosecond can be told from the next in a week-long trace at Unix times") {
  Camera camera = Camera::fit({kUnixTime, kUnixTime + kWeek}, 1920);
  const double x = 1234.567;
  const Nanos before = camera.time_at(x);
  camera = camera.zoomed_at(x, 1e18);  // as far as it goes, in one step
  CHECK(camera.ns_per_px() == Camera::kMinNsPerPx);
  CHECK(camera.time_at(x) == before);
  const Nanos t = camera.begin() + 1;
  CHECK(camera.x_of(t + 1) - camera.x_of(t) == doctest::Approx(1000).epsilon(1e-12));
  CHECK(camera.visible(1920).duration() <= 3);
}

TEST_CASE("zooming keeps the time under the cursor, at any zoom, in one step or many") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> where(0, 3840);
  std::uniform_real_distribution<double> exponent(-3, 12);  // of ns per pixel: picoseconds to weeks
  double worst = 0;
  for (int round = 0; round < 2000; ++round) {
    Camera camera = Camera::fit({kUnixTime, kUnixTime + kWeek}, 3840);
    for (int step = 0; step < 20; ++step) {
      const double x = where(random);
      double factor = camera.ns_per_px() / std::pow(10.0, exponent(random));
      if (step % 2 == 1) factor = 1.0 + static_cast<double>(random() % 1000) / 5000.0;
      const Camera next = camera.zoomed_at(x, factor);
      worst = std::max(worst, error_px(camera, next, x, kUnixTime));
      camera = next;
      if (step % 5 == 4) camera = camera.clamped({kUnixTime, kUnixTime + kWeek}, 3840);
    }
  }
  CHECK(worst < 1e-3);
  INFO("worst error in px: ", worst);
#if !defined(_WIN32)  // mingw-w64 computes std::fma in long double, which rounds the product
  CHECK(worst < 1e-9);
#endif
}

TEST_CASE("many small zooms and pans do not drift") {
  std::mt19937_64 random(11);
  const Camera start = Camera::at(kUnixTime, 0.25, 0.013);
  Camera camera = start;
  for (int i = 0; i < 10'000; ++i) camera = camera.zoomed_at(777.7, i % 2 == 0 ? 1.01 : 1 / 1.01);
  CHECK(error_px(start, camera, 777.7, kUnixTime) < 1e-3);
  camera = start;
  std::vector<double> moves;
  for (int i = 0; i < 10'000; ++i) moves.push_back(static_cast<double>(random() % 2001) / 7.0 - 142.0);
  for (const double dx : moves) camera = camera.panned(dx);
  for (const double dx : moves) camera = camera.panned(-dx);
  CHECK(error_px(start, camera, 0, kUnixTime) < 1e-3);
}

TEST_CASE("panning moves by that many pixels, fractions included") {
  const Camera camera = Camera::at(kUnixTime, 0.0, 0.5).panned(3);
  CHECK(camera.begin() == kUnixTime + 1);
  CHECK(camera.begin_fraction() == 0.5);
  CHECK(camera.panned(-3) == Camera::at(kUnixTime, 0.0, 0.5));
  CHECK(camera.x_of(kUnixTime + 2) == 1.0);
}

TEST_CASE("x_of and time_at agree at random zooms") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-3, 12);
  for (int round = 0; round < 5000; ++round) {
    const double fraction = static_cast<double>(random() % 1000) / 1000.0;
    const Camera camera =
        Camera::at(kUnixTime + static_cast<Nanos>(random() % 1'000'000), fraction, std::pow(10.0, exponent(random)));
    const double x = static_cast<double>(random() % 1920'000) / 1000.0;
    const Nanos t = camera.time_at(x);
    const double slack = 1e-9 + 1e-12 * x;
    CHECK(camera.x_of(t) <= x + slack);
    CHECK(camera.x_of(t + 1) > x - slack);
    CHECK(camera.begin_fraction() >= 0.0);
    CHECK(camera.begin_fraction() < 1.0);
  }
}

TEST_CASE("a clamped view reaches neither too far out nor beyond the ends") {
  const TimeSpan limits{kUnixTime, kUnixTime + kWeek};
  const double width = 1000;
  const Camera widest = Camera::fit(limits, width, Camera::kOuterMargin);
  CHECK(widest.zoomed_at(300, 0.01).clamped(limits, width) == widest);
  CHECK(widest.clamped(limits, width) == widest);

  std::mt19937_64 random(5);
  for (int round = 0; round < 1000; ++round) {
    Camera camera =
        widest.zoomed_at(static_cast<double>(random() % 1000), std::exp2(static_cast<double>(random() % 40)));
    camera = camera.panned(static_cast<double>(random() % 10'000'000) - 5'000'000).clamped(limits, width);
    CHECK(camera.x_of(limits.begin) <= width / 2 + 1e-6);
    CHECK(camera.x_of(limits.end) >= width / 2 - 1e-6);
    CHECK(camera.clamped(limits, width).ns_per_px() == camera.ns_per_px());
  }
  // Inside the limits nothing changes.
  const Camera inside = Camera::at(kUnixTime + 1'000'000, 0.125, 3.0);
  CHECK(inside.clamped(limits, width) == inside);
  // A trace of one point, and no area to draw on.
  CHECK(Camera::at(0, 0, 1).panned(1e9).clamped({7, 7}, width).x_of(7) <= width);
  CHECK(inside.clamped(limits, 0) == inside);
}

TEST_CASE("hostile times and factors saturate instead of wrapping") {
  Camera camera = Camera::at(kMaxNanos, 0.5, 1e9);
  camera = camera.panned(1e300);
  CHECK(camera.begin() == kMaxNanos);
  camera = camera.panned(-1e300).panned(-1e300);
  CHECK(camera.begin() == kMinNanos);
  CHECK(std::isfinite(camera.x_of(kMaxNanos)));
  camera = Camera::at(0, 0, 1).zoomed_at(10, 0.0);
  CHECK(camera.ns_per_px() == Camera::kMaxNsPerPx);
  camera = Camera::at(0, 0, 1).zoomed_at(10, INFINITY);
  CHECK(camera.ns_per_px() == Camera::kMinNsPerPx);
  CHECK(camera.begin() == 9);
}
