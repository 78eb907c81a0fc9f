#include "model/diff/trace_diff.h"

#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "app/tables/diff_summary.h"
#include "render/format.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

const DiffRow& row_named(const TraceDiff& diff, std::string_view name) {
  for (const DiffRow& row : diff.rows)
    if (row.name == name) return row;
  FAIL("no row " << name);
  return diff.rows.front();
}

TEST_CASE("diff: new, vanished and changed, largest difference first") {
  TraceMaker make_a, make_b;
  make_a.thread("ProfilerStep#1", 0, 10'000, "user_annotation");
  make_a.kernel("same", 100, 200).kernel("gone", 300, 1300).kernel("slower", 2000, 2100);
  make_b.thread("ProfilerStep#7", 0, 12'000, "user_annotation");
  make_b.kernel("same", 100, 200).kernel("new", 400, 450).kernel("slower", 2000, 5000);
  const Trace a = make_a.build(), b = make_b.build();
  const TraceDiff diff = compute_diff({&a}, {&b});
  REQUIRE(diff.rows.size() == 5);
  CHECK(diff.rows[0].name == "slower");
  CHECK(diff.difference(diff.rows[0], DiffKey::kTotal) == 2900);
  CHECK(diff.rows[1].name == "ProfilerStep#*");
  CHECK(diff.difference(diff.rows[1], DiffKey::kTotal) == 2000);
  CHECK(diff.rows[2].name == "gone");
  CHECK(diff.rows[2].is_vanished());
  CHECK(diff.difference(diff.rows[2], DiffKey::kTotal) == -1000);
  CHECK(diff.rows[3].is_new());
  CHECK(diff.rows[4].name == "same");
  CHECK(diff.difference(diff.rows[4], DiffKey::kTotal) == 0);
  CHECK(b.span(diff.rows[0].b.longest).begin == 2000);
  CHECK_FALSE(diff.rows[2].b.longest.valid());
  CHECK_FALSE(diff.is_per_step);
}

TEST_CASE("diff: servers phase by phase; a phase that one side lacks has no difference") {
  const auto server = [](Nanos gpu, bool reads_prompts) {
    TraceMaker make;
    for (std::uint64_t s = 0; s < 3; ++s) {
      const auto t = static_cast<Nanos>(s) * 10'000;
      make.thread(reads_prompts && s == 0 ? "step[EXTEND bs=1 toks=9]" : "step[DECODE bs=4]", t, t + 1'000,
                  "user_annotation")
          .launch("cudaLaunchKernel", t + 100, t + 200, s + 1)
          .kernel("gemm", t + 500, t + 500 + gpu, s + 1);
    }
    return make.build();
  };
  const Trace a = server(1'500, false), b = server(3'500, true);
  const std::vector<DiffFact> facts = summarise_diff(compute_diff({&a}, {&b}));
  const auto fact = [&](std::string_view what) {
    const auto found = std::ranges::find(facts, what, &DiffFact::what);
    REQUIRE(found != facts.end());
    return found;
  };
  CHECK(fact("Phase prefill, steps")->a == "-");
  CHECK(fact("Phase prefill, steps")->b == "1");
  const auto decode = fact("Phase decode, steps");
  CHECK(decode->a == "3");
  CHECK(decode->b == "2");
  CHECK((decode + 1)->a == format_duration(2'000));
  CHECK((decode + 1)->difference == signed_duration(2'000));
  CHECK((decode + 2)->what == "GPU busy");
  CHECK((decode + 2)->a == "75.0 %");
  CHECK((decode + 2)->difference == "+12.5 points");
}

TEST_CASE("diff: per step where the numbers of steps differ") {
  const auto run = [](int steps) {
    TraceMaker make;
    for (int s = 0; s < steps; ++s) {
      make.thread("ProfilerStep#" + std::to_string(s), s * 1000, s * 1000 + 1000, "user_annotation");
      make.kernel("gemm", s * 1000 + 100, s * 1000 + 300);
    }
    return make.build();
  };
  const Trace two = run(2), five = run(5);
  TraceDiff diff = compute_diff({&two}, {&five});
  CHECK(diff.is_per_step);
  const DiffRow& gemm = row_named(diff, "gemm");
  CHECK(diff.value_a(gemm, DiffKey::kTotal) == 200);
  CHECK(diff.difference(gemm, DiffKey::kTotal) == 0);
  CHECK(diff.difference(gemm, DiffKey::kCount) == 0);
  CHECK(gemm.b.total == 1000);  // itself as it is
  diff = compute_diff({&two}, {&five}, {.per_step = DiffOptions::PerStep::kNever});
  CHECK(diff.difference(row_named(diff, "gemm"), DiffKey::kTotal) == 600);
  CHECK_FALSE(compute_diff({&two}, {&two}).is_per_step);
}

TEST_CASE("diff: a trace and itself, and two files of one trace") {
  TraceMaker make;
  make.thread("op", 0, 100).kernel("k", 10, 30).next_file();
  make.thread("op", 0, 150).kernel("k", 10, 20);
  const Trace trace = make.build();
  for (const DiffRow& row : compute_diff({&trace}, {&trace}).rows) {
    CHECK(row.a.total == row.b.total);
    CHECK(row.a.count == row.b.count);
  }
  const TraceDiff diff = compute_diff({&trace, SourceId{0}}, {&trace, SourceId{1}});
  CHECK(diff.difference(row_named(diff, "op"), DiffKey::kSelf) == 50);
  CHECK(diff.difference(row_named(diff, "k"), DiffKey::kTotal) == -10);
}

TEST_CASE("diff: totals of random traces, against adding up") {
  const Trace a = random_trace(1), b = random_trace(2);
  const TraceDiff diff = compute_diff({&a}, {&b});
  std::map<std::string, Nanos> totals, counts;
  for (const auto& [trace, sign, window] : {std::tuple{&a, -1, diff.a.window}, std::tuple{&b, 1, diff.b.window}})
    for (const Lane& lane : trace->lanes())
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const std::string key = std::string(trace->text(lane.name(i))) + "/" +
                                std::to_string(static_cast<int>(trace->category_class(lane.category(i))));
        totals[key] += sign * lane.span(i).intersect(window).duration();
        counts[key] += sign;
      }
  for (const DiffRow& row : diff.rows) {
    const std::string key = row.name + "/" + std::to_string(static_cast<int>(row.category));
    CHECK(diff.difference(row, DiffKey::kTotal) == static_cast<double>(totals.at(key)));
    CHECK(diff.difference(row, DiffKey::kCount) == static_cast<double>(counts.at(key)));
    CHECK(diff.difference(row, DiffKey::kAverage) == doctest::Approx(row.b.average() - row.a.average()));
  }
  for (std::size_t r = 1; r < diff.rows.size(); ++r)
    CHECK(std::abs(diff.difference(diff.rows[r - 1], DiffKey::kTotal)) >=
          std::abs(diff.difference(diff.rows[r], DiffKey::kTotal)));
}

TEST_CASE("names across traces") {
  CHECK(name_across_traces("ProfilerStep#12") == "ProfilerStep#*");
  CHECK(name_across_traces("<built-in method f of T at 0x7f3a5c0>") == "<built-in method f of T at 0x*>");
  CHECK(name_across_traces("a 0x12 b 0xabcdef01 c 0x123456789") == "a 0x12 b 0x* c 0x*");
  CHECK(name_across_traces("0x") == "0x");
  CHECK(name_across_traces("gemm_0x") == "gemm_0x");
  CHECK(name_across_traces("") == "");
}

TEST_CASE("the recording itself is not compared") {
  TraceMaker a, b;
  a.thread("aten::mm", 0, 100).thread("PyTorch Profiler (0)", 0, 1'000'000, "Trace", "Spans");
  b.thread("aten::mm", 0, 120).thread("PyTorch Profiler (0)", 0, 2'000'000, "Trace", "Spans");
  const Trace first = a.build(), second = b.build();
  const TraceDiff diff = compute_diff({&first, SourceId{0}}, {&second, SourceId{0}});
  REQUIRE(diff.rows.size() == 1);
  CHECK(diff.rows[0].name == "aten::mm");
}

}  // namespace
}  // namespace lacuna
