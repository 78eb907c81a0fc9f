#include "model/report/report_cards.h"

#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "render/format.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

const ReportFormat kCardFormat{format_duration, format_count, format_percent, format_bytes};

std::vector<ReportCard> cards_of(const Trace& trace) {
  return make_report_cards(trace, compute_report(trace, SourceId{0}), kCardFormat);
}

const ReportCard& card_of(const std::vector<ReportCard>& cards, std::string_view section) {
  const auto found = std::ranges::find(cards, section, &ReportCard::section);
  REQUIRE(found != cards.end());
  return *found;
}

double sum_of_sizes(const ReportCard& card) {
  return std::accumulate(card.parts.begin(), card.parts.end(), 0.0,
                         [](double sum, const ReportCard::Part& part) { return sum + part.size; });
}

/// `steps` steps of 1 ms: the data loader for 0.6, then a GEMM of 0.2 and a copy of 0.1 ms; the fifth is twice as long.
Trace steps_with_loading(int steps) {
  TraceMaker make;
  Nanos t = 0;
  for (int s = 0; s < steps; ++s) {
    const Nanos ms = s == 4 ? 2'000'000 : 1'000'000;
    const auto id = static_cast<std::uint64_t>(s) * 2 + 1;
    make.thread("ProfilerStep#" + std::to_string(s), t, t + ms, "user_annotation")
        .thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", t, t + ms * 6 / 10, "user_annotation")
        .thread("aten::mm", t + ms * 6 / 10, t + ms * 7 / 10)
        .launch("cudaLaunchKernel", t + ms * 61 / 100, t + ms * 62 / 100, id)
        .launch("cudaMemcpyAsync", t + ms * 63 / 100, t + ms * 64 / 100, id + 1)
        .kernel("volta_sgemm_128x64_nn", t + ms * 7 / 10, t + ms * 9 / 10, id)
        .kernel("Memcpy HtoD (Pageable -> Device)", t + ms * 9 / 10, t + ms, id + 1, "7", "0", "gpu_memcpy");
    t += ms;
  }
  return make.build();
}

}  // namespace

TEST_CASE("cards: each answer with its number, a picture that adds up, and its place") {
  const Trace trace = steps_with_loading(8);
  const std::vector<ReportCard> cards = cards_of(trace);
  REQUIRE(cards.size() >= 5);

  const ReportCard& verdict = card_of(cards, "summary");
  CHECK(verdict.number == "70.0 % idle");
  CHECK(verdict.caption.starts_with("bound by data loading: "));
  CHECK(sum_of_sizes(verdict) == doctest::Approx(1));
  CHECK(verdict.parts.front().text == "kernel: 1.80 ms (20.0 %)");
  CHECK(verdict.place.span.duration() >= 1'200'000);  // the longest wait for data, of the fifth step

  const ReportCard& steps = card_of(cards, "steps");
  CHECK(steps.number == "1.00 ms a step");
  CHECK(steps.caption == "the median of 8; the longest 2.00 ms");
  REQUIRE(steps.parts.size() == 8);
  CHECK(steps.parts[4].size == 1);
  CHECK(steps.parts[5].size == doctest::Approx(0.5));
  CHECK(steps.parts[4].text == "ProfilerStep#4: 2.00 ms");
  CHECK(trace.name(steps.place.slice) == "ProfilerStep#4");

  const ReportCard& classes = card_of(cards, "kernelClasses");
  CHECK(classes.number == "66.7 % GEMM");
  CHECK(classes.caption == "then copy (33.3 %)");
  CHECK(sum_of_sizes(classes) == doctest::Approx(1));

  const ReportCard& copies = card_of(cards, "copies");
  CHECK(copies.number == "900 \u00b5s (10.0 % of the time)");
  CHECK(copies.caption == "most of it Memcpy HtoD (Pageable -> Device)");

  const ReportCard& changes = card_of(cards, "advice");
  CHECK(changes.number.ends_with(" of 9.00 ms to gain"));
  REQUIRE_FALSE(changes.parts.empty());
  CHECK(std::ranges::is_sorted(changes.parts, std::ranges::greater{}, &ReportCard::Part::size));
}

TEST_CASE("cards: of many steps a bar stands for several, by the longest") {
  const std::vector<ReportCard> cards = cards_of(steps_with_loading(3 * static_cast<int>(kMostCardParts)));
  const ReportCard& steps = card_of(cards, "steps");
  REQUIRE(steps.parts.size() == kMostCardParts);
  CHECK(steps.parts[1].text == "ProfilerStep#4: 2.00 ms, the longest of 3");
  CHECK(steps.parts[1].size == 1);
  CHECK(steps.parts[0].size == doctest::Approx(0.5));
}

TEST_CASE("cards: without a GPU the operators' own time; of nothing there is no card") {
  TraceMaker make;
  make.thread("aten::mm", 0, 600'000).thread("aten::add", 600'000, 800'000);
  const Trace trace = make.build();
  const std::vector<ReportCard> cards = cards_of(trace);
  const ReportCard& operators = card_of(cards, "operators");
  CHECK(operators.number == "75.0 % aten::mm");
  CHECK(operators.parts[1].text == "aten::add: 200 \u00b5s (25.0 %)");
  CHECK(sum_of_sizes(card_of(cards, "summary")) == doctest::Approx(1));
  for (const std::string_view absent : {"steps", "kernelClasses", "copies", "memory", "advice"})
    CHECK(std::ranges::find(cards, absent, &ReportCard::section) == cards.end());
}
