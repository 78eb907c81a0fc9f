#include "model/statistics/statistics.h"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "model/statistics/growing_statistics.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// The only row of that name; a row with count 0 when there is none.
StatisticsRow row(const Trace& trace, const Statistics& statistics, std::string_view name,
                  std::string_view category = {}) {
  StatisticsRow result;
  for (const StatisticsRow& r : statistics.rows) {
    if (trace.text(r.name) != name) continue;
    if (!category.empty() && trace.category_name(r.category) != category) continue;
    CHECK(result.count == 0);
    result = r;
  }
  return result;
}

std::string names(const Trace& trace, const Statistics& statistics) {
  std::string text;
  for (const StatisticsRow& r : statistics.rows) text += std::string(trace.text(r.name)) + " ";
  return text;
}

}  // namespace

TEST_CASE("count, total, self, min, max and average") {
  TraceMaker make;
  make.thread("outer", 0, 100).thread("inner", 10, 40).thread("leaf", 15, 20).thread("inner", 50, 61);
  const Trace trace = make.build();
  const Statistics statistics = compute_statistics(trace);
  CHECK(statistics.rows.size() == 3);
  CHECK(row(trace, statistics, "outer").total == 100);
  CHECK(row(trace, statistics, "outer").self == 59);
  const StatisticsRow inner = row(trace, statistics, "inner");
  CHECK(inner.count == 2);
  CHECK(inner.total == 41);
  CHECK(inner.self == 36);
  CHECK(inner.min == 11);
  CHECK(inner.max == 30);
  CHECK(inner.average() == 21);  // 20.5
  CHECK(row(trace, statistics, "leaf").self == 5);
  CHECK(statistics.cpu_self == 100);
  CHECK(statistics.share(trace, inner) == doctest::Approx(0.36));
}

TEST_CASE("recursion counts each level in the total, but no time twice in self") {
  TraceMaker make;
  make.thread("f", 0, 100).thread("f", 10, 90).thread("f", 20, 80);
  const Trace trace = make.build();
  const StatisticsRow f = row(trace, compute_statistics(trace), "f");
  CHECK(f.count == 3);
  CHECK(f.total == 240);
  CHECK(f.self == 100);
}

TEST_CASE("the same name in two categories makes two rows") {
  TraceMaker make;
  make.thread("step", 0, 10, "user_annotation").thread("step", 20, 25, "python_function");
  make.thread("step", 30, 33, "user_annotation");
  const Trace trace = make.build();
  const Statistics statistics = compute_statistics(trace);
  CHECK(statistics.rows.size() == 2);
  CHECK(row(trace, statistics, "step", "user_annotation").total == 13);
  CHECK(row(trace, statistics, "step", "python_function").total == 5);
}

TEST_CASE("slices that cross are nobody's child") {
  TraceMaker make;
  make.thread("a", 0, 100).thread("b", 50, 150).thread("c", 60, 70);
  const Trace trace = make.build();
  const Statistics statistics = compute_statistics(trace);
  CHECK(row(trace, statistics, "b").self == 100);
  CHECK(row(trace, statistics, "a").self == 90);  // c fits in the main nest
  CHECK(row(trace, statistics, "c").self == 10);
}

TEST_CASE("kernels side by side keep all their time as self; threads do not mix") {
  TraceMaker make;
  make.kernel("big", 0, 100).kernel("small", 10, 20).thread("op", 0, 50).thread("op", 0, 50, "cpu_op", "2");
  make.gpu_annotation("step", 0, 200);
  const Trace trace = make.build();
  const Statistics statistics = compute_statistics(trace);
  CHECK(row(trace, statistics, "big").self == 100);
  CHECK(row(trace, statistics, "small").self == 10);
  CHECK(row(trace, statistics, "op").self == 100);
  CHECK(statistics.gpu_total == 110);
  CHECK(statistics.cpu_self == 100);
  CHECK(statistics.share(trace, row(trace, statistics, "big")) == doctest::Approx(100.0 / 110));
  CHECK(statistics.share(trace, row(trace, statistics, "op")) == doctest::Approx(1));
  CHECK(statistics.share(trace, row(trace, statistics, "step")) == 0);
}

TEST_CASE("times are clipped to the range, extremes are of whole durations") {
  TraceMaker make;
  make.thread("outer", 0, 100).thread("inner", 10, 40).thread("inner", 60, 90).thread("late", 200, 210);
  const Trace trace = make.build();
  const Statistics statistics = compute_statistics(trace, {.range = {20, 70}, .tracks = {}});
  CHECK(statistics.rows.size() == 2);
  CHECK(row(trace, statistics, "outer").total == 50);
  CHECK(row(trace, statistics, "outer").self == 20);
  const StatisticsRow inner = row(trace, statistics, "inner");
  CHECK(inner.count == 2);
  CHECK(inner.total == 30);
  CHECK(inner.min == 30);
  CHECK(inner.max == 30);
  CHECK(statistics.cpu_self == 50);
}

TEST_CASE("only the chosen tracks") {
  TraceMaker make;
  make.thread("a", 0, 10, "cpu_op", "1").thread("b", 0, 10, "cpu_op", "2");
  const Trace trace = make.build();
  for (const Track& track : trace.tracks()) {
    const Statistics statistics = compute_statistics(trace, {.range = TimeSpan::everything(), .tracks = {track.id}});
    CHECK(names(trace, statistics) == (trace.text(track.tid) == "1" ? "a " : "b "));
  }
}

TEST_CASE("rows sort by any column, ties by total, then name") {
  TraceMaker make;
  make.thread("b", 0, 10).thread("a", 20, 30).thread("c", 40, 70).thread("d", 80, 82).thread("d", 90, 92);
  const Trace trace = make.build();
  Statistics statistics = compute_statistics(trace);
  const auto sorted = [&](StatisticsColumn column, bool descending) {
    sort_rows(trace, statistics, column, descending);
    return names(trace, statistics);
  };
  CHECK(sorted(StatisticsColumn::kName, false) == "a b c d ");
  CHECK(sorted(StatisticsColumn::kName, true) == "d c b a ");
  CHECK(sorted(StatisticsColumn::kCategory, false) == "c a b d ");
  CHECK(sorted(StatisticsColumn::kCount, true) == "d c a b ");
  CHECK(sorted(StatisticsColumn::kTotal, true) == "c a b d ");
  CHECK(sorted(StatisticsColumn::kTotal, false) == "d a b c ");
  CHECK(sorted(StatisticsColumn::kSelf, true) == "c a b d ");
  CHECK(sorted(StatisticsColumn::kAverage, true) == "c a b d ");
  CHECK(sorted(StatisticsColumn::kMin, false) == "d a b c ");
  CHECK(sorted(StatisticsColumn::kMax, true) == "c a b d ");
  CHECK(sorted(StatisticsColumn::kShare, true) == "c a b d ");
}

TEST_CASE("sums of hostile durations saturate instead of overflowing") {
  TraceMaker make;
  constexpr Nanos kHuge = (Nanos{1} << 62) - 1;
  make.thread("f", 0, kHuge, "cpu_op", "1").thread("f", 0, kHuge, "cpu_op", "2").thread("f", 0, kHuge, "cpu_op", "3");
  const Trace trace = make.build();
  CHECK(row(trace, compute_statistics(trace), "f").total == kMaxNanos);
}

TEST_CASE("random nests: self times add up to the time covered, in any range") {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    TraceMaker make;
    std::vector<TimeSpan> open{{0, 1000}};
    make.thread("n0", 0, 1000);
    for (int i = 1; i < 60; ++i) {
      // Each slice lies inside a random earlier one, so all nest or cross.
      const TimeSpan parent = open[random() % open.size()];
      const Nanos a = parent.begin + static_cast<Nanos>(random() % static_cast<unsigned>(parent.duration() + 1));
      const Nanos b = a + static_cast<Nanos>(random() % static_cast<unsigned>(parent.end - a + 1));
      make.thread("n" + std::to_string(i % 7), a, b);
      if (b > a) open.push_back({a, b});
    }
    const Trace trace = make.build();
    const TimeSpan range = round % 2 == 0 ? TimeSpan::everything() : TimeSpan{200, 700};
    const Statistics statistics = compute_statistics(trace, {.range = range, .tracks = {}});
    // Brute force: the sum over outermost slices of every nest is what self times add up to.
    Nanos roots = 0;
    for (const Lane& lane : trace.lanes())
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (lane.depth == 0) roots += lane.span(i).intersect(range).duration();
    Nanos self = 0;
    for (const StatisticsRow& r : statistics.rows) {
      CHECK(r.self >= 0);
      CHECK(r.self <= r.total);
      self += r.self;
    }
    CHECK(self == roots);
    CHECK(statistics.cpu_self == roots);
  }
}

TEST_CASE("random nests: each row against adding up its slices, and the time of their children") {
  std::mt19937 random(13);
  const auto roll = [&](int n) { return static_cast<Nanos>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 120; ++round) {
    TraceMaker make;
    for (int i = 0; i < 40; ++i) {
      const Nanos begin = roll(100);
      make.thread("n" + std::to_string(roll(6)), begin, begin + roll(40), i % 3 == 0 ? "user_annotation" : "cpu_op",
                  i % 2 == 0 ? "1" : "2");
    }
    const Trace trace = make.build();
    const TimeSpan range = round % 2 == 0 ? TimeSpan::everything() : TimeSpan{30, 90};
    Statistics statistics = compute_statistics(trace, {.range = range, .tracks = {}});
    std::vector<StatisticsRow> expected;
    for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
      for (std::uint32_t i = 0; i < trace.lanes()[l].size(); ++i) {
        const Lane& lane = trace.lanes()[l];
        const TimeSpan span = lane.span(i), part = span.intersect(range);
        // Slices of no length count where they lie in the range.
        if (span.empty() ? span.begin < range.begin || span.begin >= range.end : part.begin >= part.end) continue;
        auto known = std::ranges::find_if(expected, [&](const StatisticsRow& r) {
          return r.name == lane.name(i) && r.category.value == lane.category(i).value;
        });
        if (known == expected.end()) {
          known = expected.emplace(known);
          known->name = lane.name(i);
          known->category = lane.category(i);
        }
        Nanos self = part.duration();
        for (std::uint32_t c = 0; c < trace.lanes().size(); ++c)
          for (std::uint32_t k = 0; k < trace.lanes()[c].size(); ++k)
            if (trace.parent({LaneId{c}, k}) == SliceId{LaneId{l}, i})
              self -= std::max<Nanos>(0, trace.lanes()[c].span(k).intersect(range).duration());
        known->total += part.duration();
        known->self += self;
        known->min = known->count == 0 ? span.duration() : std::min(known->min, span.duration());
        if (known->count++ == 0 || span.duration() > known->max) known->longest = {LaneId{l}, i};
        known->max = std::max(known->max, span.duration());
      }
    REQUIRE(statistics.rows.size() == expected.size());
    for (std::size_t r = 0; r < expected.size(); ++r) {
      const StatisticsRow &made = statistics.rows[r], &hand = expected[r];
      CHECK(made.name == hand.name);
      CHECK(made.count == hand.count);
      CHECK(made.total == hand.total);
      CHECK(made.self == hand.self);
      CHECK(made.counted == hand.self);
      CHECK(made.min == hand.min);
      CHECK(made.max == hand.max);
      CHECK(made.longest == hand.longest);
    }
  }
}

TEST_CASE("the recording itself counts, but tops no list") {
  TraceMaker make;
  make.thread("aten::mm", 0, 100).thread("aten::add", 100, 110).kernel("gemm", 0, 50);
  make.thread("PyTorch Profiler (0)", 0, 1'000'000, "Trace", "PyTorch Profiler");
  const Trace trace = make.build();
  Statistics statistics = compute_statistics(trace);
  CHECK(row(trace, statistics, "PyTorch Profiler (0)").total == 1'000'000);
  CHECK(statistics.share(trace, row(trace, statistics, "PyTorch Profiler (0)")) == 0);
  for (const bool descending : {true, false})
    for (const StatisticsColumn column :
         {StatisticsColumn::kTotal, StatisticsColumn::kCount, StatisticsColumn::kName}) {
      sort_rows(trace, statistics, column, descending);
      CHECK(trace.text(statistics.rows.back().name) == "PyTorch Profiler (0)");
    }
}

TEST_CASE("statistics: shares of next to nothing, and of nothing") {
  TraceMaker one;
  one.thread("op", 5, 6);
  const Trace short_trace = one.build();
  const Statistics of_one = compute_statistics(short_trace);
  CHECK(of_one.share(short_trace, of_one.rows.front()) == 1);
  TraceMaker none;
  none.thread("op", 5, 5);
  const Trace empty_trace = none.build();
  const Statistics of_none = compute_statistics(empty_trace);
  CHECK(of_none.share(empty_trace, of_none.rows.front()) == 0);
}

TEST_CASE("what counts for a GPU is its work on a stream, and for the CPU what is on a thread") {
  TraceMaker make;
  make.thread("a kernel's name on a thread", 0, 10, "kernel")
      .thread("Recording", 100, 1100, "Trace", "2")
      .kernel("gemm", 0, 100)
      .kernel("no activity", 200, 1200, 0, "7", "0", "something else");
  const Trace trace = make.build();
  const Statistics statistics = compute_statistics(trace);
  GrowingStatistics growing;
  for (const Statistics& found : {statistics, growing.update(trace)}) {
    CHECK(found.gpu_total == 100);
    CHECK(found.cpu_self == 10);
    CHECK(found.sampled_self == 0);
  }
}
