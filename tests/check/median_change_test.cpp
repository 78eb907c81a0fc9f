#include "model/check/median_change.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) / 9007199254740992.0;
}

std::vector<double> draw(std::mt19937_64& random, std::size_t n, double (*shape)(double)) {
  std::vector<double> values(n);
  for (double& value : values) value = shape(uniform(random));
  return values;
}

double flat(double u) {
  return 20 + 40 * u;
}
double long_tail(double u) {
  return 20 - 10 * std::log(1 - u);
}
double two_heights(double u) {
  return u < 0.5 ? 10 + u : 30 + u;
}

/// The interval of medians of values drawn again, by drawing.
std::pair<double, double> by_drawing(const std::vector<double>& a, const std::vector<double>& b) {
  std::mt19937_64 random(7);
  const auto median = [&](const std::vector<double>& from) {
    std::vector<double> again(from.size());
    for (double& value : again) value = from[random() % from.size()];
    std::sort(again.begin(), again.end());
    return again[again.size() / 2];
  };
  std::vector<double> differences(40'000);
  for (double& difference : differences) {
    const double of_a = median(a);
    difference = median(b) - of_a;
  }
  std::sort(differences.begin(), differences.end());
  return {differences[200], differences[39'800]};
}

TEST_CASE("the interval is that of a bootstrap that draws, widened") {
  std::mt19937_64 random(1);
  for (const std::size_t n : {9, 21, 51}) {  // odd: one value is in the middle
    const std::vector<double> a = draw(random, n, flat), b = draw(random, n, flat);
    const auto [low, high] = by_drawing(a, b);
    const auto size = static_cast<double>(n);
    const double wider = student_t_995(2 * size - 2) / 2.5758 * std::sqrt(size / (size - 1));
    const MedianChange change = compare_medians({a}, {b});
    const double middle = change.difference();
    CHECK(change.low == doctest::Approx(middle - wider * (middle - low)).epsilon(0.05));
    CHECK(change.high == doctest::Approx(middle + wider * (high - middle)).epsilon(0.05));
  }
}

TEST_CASE("sides of different sizes: the change back is the change, turned round") {
  std::mt19937_64 random(3);
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{5, 31}, {31, 5}, {9, 8}, {60, 21}}) {
    const std::vector<double> a = draw(random, n, flat), b = draw(random, m, flat);
    const MedianChange there = compare_medians({a}, {b}), back = compare_medians({b}, {a});
    CHECK(there.difference() == doctest::Approx(-back.difference()));
    CHECK(there.low == doctest::Approx(-back.high));
    CHECK(there.high == doctest::Approx(-back.low));
    CHECK(there.low < there.high);
  }
}

TEST_CASE("equal sides are seldom taken for different ones, however few values there are") {
  std::mt19937_64 random(2);
  for (double (*shape)(double) : {flat, long_tail, two_heights})
    for (const std::size_t n : {4, 5, 8, 20, 60}) {
      int wrong = 0;
      constexpr int kTries = 500;
      for (int k = 0; k < kTries; ++k) {
        const MedianChange change = compare_medians({draw(random, n, shape)}, {draw(random, n, shape)});
        wrong += change.low_part > 0.03 ? 1 : 0;
      }
      CAPTURE(n);
      CHECK(wrong <= kTries / 100);
    }
}

TEST_CASE("a difference that steps do not hide is certain from four values on") {
  const std::vector<double> a{100, 101, 99, 100.5}, b{105, 106.2, 104.1, 105.4};
  const MedianChange change = compare_medians({a}, {b});
  CHECK(change.is_more());
  CHECK(change.low_part > 0.015);
  CHECK(change.difference() == doctest::Approx(4.95));
  CHECK_FALSE(compare_medians({{a[0], a[1], a[2]}}, {b}).is_enough);
  CHECK_FALSE(compare_medians({}, {b}).is_more());
  CHECK(compare_medians({b}, {a}).is_less());
}

TEST_CASE("runs that lie apart make the difference of one more run uncertain") {
  // Each run is steady, but runs differ by 5 %.
  SampleRuns baseline;
  for (const double middle : {100.0, 105.0, 95.0, 102.0, 98.0}) baseline.push_back(std::vector<double>(10, middle));
  const SampleRuns slower{std::vector<double>(10, 106.0)};
  CHECK_FALSE(compare_medians(baseline, slower).is_more());
  CHECK(compare_medians({baseline[0]}, slower).is_more());
  CHECK(compare_medians(baseline, {std::vector<double>(10, 140.0)}).is_more());
}

TEST_CASE("many values cost little, and none is NaN") {
  std::vector<double> many(200'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i % 1000);
  const MedianChange change = compare_medians({many}, {many});
  CHECK(change.low <= 0);
  CHECK(change.high >= 0);
  CHECK(change.error() < 20);
  const MedianChange nothing = compare_medians({{0, 0, 0, 0}}, {{0, 0, 0, 0}});
  CHECK(nothing.part() == 0);
  CHECK(nothing.low_part == 0);
}

TEST_CASE("Student's t") {
  CHECK(student_t_995(6) == doctest::Approx(3.707).epsilon(0.01));
  CHECK(student_t_995(30) == doctest::Approx(2.750).epsilon(0.005));
}

}  // namespace
}  // namespace lacuna
