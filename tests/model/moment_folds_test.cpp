#include "model/index/moment_folds.h"

#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include <doctest/doctest.h>

#include "tests/support/rounds.h"

using namespace lacuna;

namespace {

using Dice = std::mt19937_64;

/// Moments in bursts and pauses of all lengths, some of them at the same time.
std::vector<Nanos> random_times(Dice& random, std::size_t count) {
  std::vector<Nanos> times;
  Nanos t = random() % 2 == 0 ? -1'000'000 : 1'700'000'000'000'000'000;
  const std::uint64_t spread = 4 + random() % (random() % 4 == 0 ? 32 : 16);  // up to 2^35 ns
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(t);
    if (random() % 4 != 0) t += static_cast<Nanos>(random() % (std::uint64_t{1} << (random() % spread)));
  }
  return times;
}

std::vector<Instant> instants_at(const std::vector<Nanos>& times) {
  std::vector<Instant> out(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) out[i].time = times[i];
  return out;
}

CounterSeries series_at(Dice& random, std::vector<Nanos> times) {
  CounterSeries out;
  out.times = std::move(times);
  for (std::size_t i = 0; i < out.times.size(); ++i) {
    const bool is_number = random() % 8 != 0;
    out.values.push_back(is_number ? static_cast<double>(random() % 50) : std::numeric_limits<double>::quiet_NaN());
  }
  out.extremes.extend(out.values);
  return out;
}

/// Everything that is told of a run; NaN as a text.
using Seen = std::tuple<Nanos, std::uint32_t, std::uint32_t, Nanos, std::uint32_t, std::string, std::string>;

Seen seen(const InstantRow::Run& run, std::uint32_t last, Nanos end) {
  return {run.start, run.first, last, end, 0, {}, {}};
}
Seen seen(const SampleRow::Run& run, std::uint32_t last, Nanos end) {
  return {run.start, run.first, last, end, run.greatest, std::to_string(run.high), std::to_string(run.low)};
}

template <class Row>
std::vector<Seen> runs(const MomentFolds<Row>& folds, const Row& row, TimeSpan view, Nanos fold_ns) {
  std::vector<Seen> out;
  folds.for_each_run(row, view, fold_ns,
                     [&](const auto& run, std::uint32_t last, Nanos end) { out.push_back(seen(run, last, end)); });
  return out;
}

/// At powers of two the runs are those that a search finds at that width or, where a level was left out, at a narrower
/// one, in any view; at other widths they hold all that is in view. Returns whether there was a level.
template <class Row>
bool check(const Row& row, Dice& random) {
  const MomentFolds<Row> folds(row);
  const MomentFolds<Row> none;
  const Nanos begin = row.start(0);
  const Nanos length = row.end(row.size() - 1) - begin + 2;
  for (int k = 0; k < 45; ++k) {
    const auto part = [&] { return begin - 1 + static_cast<Nanos>(random() % static_cast<std::uint64_t>(length)); };
    const Nanos a = part(), b = part();
    const TimeSpan views[] = {{begin - 1, begin + length}, {std::min(a, b), std::max(a, b)}};
    for (const TimeSpan view : views) {
      const Nanos width = Nanos{1} << k;
      const std::vector<Seen> folded = runs(folds, row, view, width);
      bool is_alike = false;
      for (Nanos narrower = width; narrower > 0 && !is_alike; narrower /= 2)
        is_alike = folded == runs(none, row, view, narrower);
      CHECK(is_alike);
      const std::uint32_t first = row.first_visible_from(view.begin);
      std::uint32_t next = first;
      bool is_whole = true;
      for (const Seen& run : runs(folds, row, view, width + static_cast<Nanos>(random() % width))) {
        is_whole &= std::get<1>(run) == next && std::get<2>(run) > next;
        next = std::get<2>(run);
        is_whole &= std::get<0>(run) == row.start(std::get<1>(run));
        is_whole &= std::get<3>(run) == row.end(Row::kLasts ? next - 1 : std::get<1>(run));
      }
      CHECK(is_whole);
      CHECK(next == std::max(first, row.first_starting_from(view.end)));
    }
  }
  return folds.memory_bytes() > 0;
}

}  // namespace

TEST_SUITE("index/moment_folds") {
  TEST_CASE("instants folded in advance are those that a search folds") {
    unsigned with_levels = 0;
    for (unsigned round = 0; round < rounds(8u); ++round) {
      Dice random(round);
      const std::vector<Instant> instants = instants_at(random_times(random, 256 + random() % 4000));
      with_levels += check(InstantRow(instants), random);
    }
    CHECK(with_levels >= rounds(8u) / 2);
  }

  TEST_CASE("samples folded in advance are those that a search folds, with their greatest and least values") {
    unsigned with_levels = 0;
    for (unsigned round = 0; round < rounds(8u); ++round) {
      Dice random(round + 1000);
      const CounterSeries series = series_at(random, random_times(random, 256 + random() % 4000));
      with_levels += check(SampleRow(series, series.times.back() + static_cast<Nanos>(random() % 1000)), random);
    }
    CHECK(with_levels >= rounds(8u) / 2);
  }

  TEST_CASE("few moments have no levels, and moments at one time are one run") {
    const std::vector<Instant> few = instants_at({1, 2, 3});
    CHECK(InstantFolds(InstantRow(few)).memory_bytes() == 0);
    CHECK(runs(InstantFolds(InstantRow(few)), InstantRow(few), {0, 10}, 1).size() == 3);
    const std::vector<Instant> same = instants_at(std::vector<Nanos>(1000, 77));
    const InstantRow row(same);
    const InstantFolds folds(row);
    REQUIRE(runs(folds, row, {0, 100}, 1).size() == 1);
    CHECK(runs(folds, row, {0, 100}, 1)[0] == Seen{77, 0, 1000, 77, 0, {}, {}});
    CHECK(runs(folds, row, {78, 100}, 1).empty());
  }
}
