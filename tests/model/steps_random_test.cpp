// Patterns of steps and ranges of them, against trying everything.

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "model/steps/steps.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// '*' stands for each text that there is, one after the other.
bool fits(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*')
    return !text.empty() && pattern.front() == text.front() && fits(pattern.substr(1), text.substr(1));
  for (std::size_t length = 0; length <= text.size(); ++length)
    if (fits(pattern.substr(1), text.substr(length))) return true;
  return false;
}

std::string letters(std::mt19937& random, std::string_view of, std::size_t most) {
  std::string text(random() % (most + 1), ' ');
  for (char& c : text) c = of[random() % of.size()];
  return text;
}

TEST_CASE("what a pattern fits is what some text for each star makes of it") {
  std::mt19937 random(6);
  std::vector<std::string> names;
  TraceMaker make;
  for (int i = 0; i < 120; ++i) {
    names.push_back("s" + letters(random, "ab", 6));
    make.thread(names.back(), i * 10, i * 10 + 5, "user_annotation");
  }
  Trace trace = make.build();
  std::size_t found = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string pattern = "s" + letters(random, round % 2 == 0 ? "ab*" : "a*", 6);
    trace.set_steps_from(pattern);
    std::vector<Nanos> begins, expected;
    for (const StepMark& mark : find_step_marks(trace, SourceId{0})) begins.push_back(mark.span.begin);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (fits(pattern, names[i])) expected.push_back(static_cast<Nanos>(i) * 10);
    CAPTURE(pattern);
    CHECK(begins == expected);
    found += begins.size();
  }
  CHECK(found > 500);
}

TEST_CASE("steps of a pattern: what lies in another one, or ends with it, is none of its own") {
  std::mt19937 random(8);
  for (int round = 0; round < 150; ++round) {
    TraceMaker make;
    std::vector<TimeSpan> spans;
    for (int i = 0; i < 12; ++i) {
      const auto begin = static_cast<Nanos>(random() % 60);
      spans.push_back({begin, begin + 1 + static_cast<Nanos>(random() % 20)});
      make.thread("epoch", spans.back().begin, spans.back().end, "user_annotation");
    }
    Trace trace = make.build();
    trace.set_steps_from("epoch");
    // In the order of their begins, the longer ones first, those that go on longer than all before them.
    std::ranges::sort(spans,
                      [](TimeSpan a, TimeSpan b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    std::vector<TimeSpan> expected;
    for (std::size_t i = 0; i < spans.size(); ++i)
      if (std::none_of(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(i),
                       [&](TimeSpan before) { return before.end >= spans[i].end; }))
        expected.push_back(spans[i]);
    std::vector<TimeSpan> found;
    for (const StepMark& mark : find_step_marks(trace, SourceId{0})) {
      CHECK(mark.number == static_cast<std::int64_t>(found.size()));
      found.push_back(mark.span);
    }
    CHECK(found == expected);
    const std::vector<Step> steps = find_steps(trace);
    REQUIRE(steps.size() == expected.size());
    for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i] == Step{static_cast<std::int64_t>(i), expected[i]});
  }
}

TEST_CASE("ranges of steps by number and by time, against looking at each") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Step> steps;
    std::int64_t number = 0;
    Nanos t = 0;
    for (int i = 0, n = static_cast<int>(random() % 6); i < n; ++i) {
      number += 1 + static_cast<std::int64_t>(random() % 3);
      t += static_cast<Nanos>(random() % 3);
      steps.push_back({number, {t, t + 1 + static_cast<Nanos>(random() % 5)}});
      t = steps.back().span.end;
    }
    const auto a = static_cast<std::int64_t>(random() % 14), b = static_cast<std::int64_t>(random() % 14);
    const char* separators[] = {"..", "-", ":", " .. ", " - "};
    const std::string text = random() % 4 == 0 ? " " + std::to_string(a) + " "
                                               : std::to_string(a) + separators[random() % 5] + std::to_string(b);
    const bool is_one = text.front() == ' ';
    std::optional<StepRange> expected;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::int64_t n = steps[i].number;
      if (is_one ? n != a : n < std::min(a, b) || n > std::max(a, b)) continue;
      if (!expected) expected = StepRange{i, i};
      expected->last = i;
    }
    CAPTURE(text);
    const auto range = parse_step_range(steps, text);
    CHECK(range == expected);
    if (!range) continue;
    TimeSpan span = TimeSpan::nothing();
    for (std::size_t i = range->first; i <= range->last; ++i) span = span.unite(steps[i].span);
    CHECK(span_of(steps, *range) == span);
    CHECK(span_of(steps, {range->last, range->first}) == span);
    CHECK(span_of(steps, {range->first, 99}) == span_of(steps, {range->first, steps.size() - 1}));
    CHECK(steps_of(steps, span) == range);
    CHECK_FALSE(steps_of(steps, {span.begin, span.end + 100}).has_value());
    if (range->first < range->last)
      CHECK_FALSE(steps_of(steps, {steps[range->last].span.begin, steps[range->first].span.end}).has_value());
  }
  CHECK(span_of({}, {0, 0}) == TimeSpan::nothing());
}

}  // namespace
}  // namespace lacuna
