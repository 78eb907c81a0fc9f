#include "app/gui/duration_histogram.h"

#include <doctest/doctest.h>

#include <random>

namespace lacuna {
namespace {

TEST_CASE("every duration is in one bin, and the bins touch") {
  std::mt19937_64 random(7);
  for (const Nanos most : {Nanos{1}, Nanos{15}, Nanos{1'000}, Nanos{1'000'000'000}}) {
    CAPTURE(most);
    std::uniform_int_distribution<Nanos> length(0, most);
    std::vector<Nanos> durations(500);
    Nanos total = 0;
    for (Nanos& d : durations) total += d = length(random);
    const DurationHistogram histogram = make_histogram(durations);
    REQUIRE(!histogram.bins.empty());
    std::uint64_t count = 0, in_modes = 0;
    Nanos sum = 0;
    for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
      const DurationHistogram::Bin& bin = histogram.bins[i];
      std::uint64_t expected = 0;
      const bool is_last = i + 1 == histogram.bins.size();
      for (const Nanos d : durations)
        expected += d >= bin.from && (d < bin.to || (is_last && d == bin.to)) ? 1u : 0u;
      CHECK(bin.count == expected);
      if (i > 0) CHECK(bin.from == histogram.bins[i - 1].to);
      count += bin.count;
      sum += bin.total;
    }
    CHECK(count == 500);
    CHECK(sum == total);
    for (const DurationHistogram::Mode& mode : histogram.modes) in_modes += mode.count;
    CHECK(in_modes == 500);
  }
}

TEST_CASE("two kinds of work are two humps") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> quick(10'000, 600), slow(40'000, 2'000);
  std::vector<Nanos> durations;
  for (int i = 0; i < 300; ++i) durations.push_back(static_cast<Nanos>(quick(random)));
  for (int i = 0; i < 100; ++i) durations.push_back(static_cast<Nanos>(slow(random)));
  const DurationHistogram histogram = make_histogram(durations);
  REQUIRE(histogram.modes.size() == 2);
  CHECK(histogram.modes[0].count == 300);
  CHECK(histogram.modes[1].count == 100);
  CHECK(histogram.modes[0].last == histogram.modes[1].first);
  CHECK(!histogram.is_logarithmic);
}

TEST_CASE("one kind of work is one hump; a few outliers are none") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> length(10'000, 800);
  std::vector<Nanos> durations;
  for (int i = 0; i < 2000; ++i) durations.push_back(static_cast<Nanos>(length(random)));
  CHECK(make_histogram(durations).modes.size() == 1);
  for (int i = 0; i < 5; ++i) durations.push_back(18'000);
  CHECK(make_histogram(durations).modes.size() == 1);
}

TEST_CASE("nothing, one length, and lengths far apart") {
  CHECK(make_histogram({}).bins.empty());
  CHECK(make_histogram({}).modes.empty());
  const DurationHistogram same = make_histogram({5, 5, 5});
  REQUIRE(same.bins.size() == 1);
  CHECK(same.bins[0].count == 3);
  CHECK(same.modes.size() == 1);
  const DurationHistogram wide = make_histogram({0, 100, 1'000'000'000});
  CHECK(wide.is_logarithmic);
  CHECK(wide.bins.front().from == 0);
  CHECK(wide.bins.back().to == 1'000'000'000);
}

}  // namespace
}  // namespace lacuna
