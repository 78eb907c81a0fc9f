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

/// How probable each of `n` values is as the median of n that are drawn from them, from every number of draws that can
/// lie at or below it.
std::vector<double> plain_weights(std::size_t n) {
  std::vector<double> weights;
  long double before = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    const long double p = static_cast<long double>(i) / static_cast<long double>(n);
    long double until = 0;
    long double term = std::pow(1 - p, static_cast<long double>(n));  // of k draws
    for (std::size_t k = 0; k <= n && i < n; ++k) {
      until += term * (k >= (n + 1) / 2 ? 0.5L : 0.0L) + term * (k >= n / 2 + 1 ? 0.5L : 0.0L);
      term *= static_cast<long double>(n - k) / static_cast<long double>(k + 1) * p / (1 - p);
    }
    if (i == n) until = 1;
    weights.push_back(static_cast<double>(until - before));
    before = until;
  }
  return weights;
}

/// Half a percent off both ends of values with weights.
std::pair<double, double> plain_interval(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  double sum = 0, low = 0, high = 0;
  for (const auto& [value, weight] : values) {
    if (sum <= 0.005) low = value;
    if (sum < 0.995) high = value;
    sum += weight;
  }
  return {low, high};
}

TEST_CASE("the interval is that of all pairs of medians, each with how probable it is") {
  std::mt19937_64 random(5);
  std::size_t largest = 0;
  for (std::size_t n = 4; n < 140; ++n) {
    const std::vector<double> weights_a = plain_weights(n), weights_b = plain_weights(5);
    // So many are not put together.
    const auto told = std::count_if(weights_a.begin(), weights_a.end(), [](double weight) { return weight > 1e-9; });
    if (told > 65) break;
    largest = static_cast<std::size_t>(told);
    std::vector<double> a = draw(random, n, long_tail), b = draw(random, 5, flat);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<std::pair<double, double>> differences, parts;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < 5; ++k) {
        differences.emplace_back(b[k] - a[i], weights_a[i] * weights_b[k]);
        parts.emplace_back(b[k] / a[i] - 1, weights_a[i] * weights_b[k]);
      }
    const double least = static_cast<double>(std::min<std::size_t>(n, 5));
    const double wider =
        student_t_995(static_cast<double>(n + 3)) / 2.5758293035489004 * std::sqrt(least / (least - 1));
    const MedianChange change = compare_medians({a}, {b});
    const auto widened = [&](double value, double middle) { return middle + wider * (value - middle); };
    CAPTURE(n);
    CHECK(change.a == (a[(n - 1) / 2] + a[n / 2]) / 2);
    CHECK(change.low == doctest::Approx(widened(plain_interval(differences).first, change.difference())));
    CHECK(change.high == doctest::Approx(widened(plain_interval(differences).second, change.difference())));
    CHECK(change.low_part == doctest::Approx(widened(plain_interval(parts).first, change.part())));
    CHECK(change.high_part == doctest::Approx(widened(plain_interval(parts).second, change.part())));
  }
  CHECK(largest == 65);
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
