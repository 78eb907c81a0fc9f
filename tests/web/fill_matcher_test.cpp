#include "app/web/wire/fill_matcher.h"

#include <random>

#include <doctest/doctest.h>

using namespace lacuna;
using Source = FillMatcher::Source;

namespace {

constexpr int kFills = 12'000;

/// A timeline of 40 lanes: `count` rectangles in 300 colours.
std::vector<WireFill> lanes_of_chance(int count) {
  std::vector<WireFill> fills;
  std::mt19937 chance(1);
  for (int i = 0; i < count; ++i)
    fills.push_back({static_cast<std::int32_t>(chance() % 102'400), static_cast<std::int32_t>(chance() % 40) * 1280,
                     20 + static_cast<std::int32_t>(chance() % 192), 1152,
                     0xff000000u + static_cast<std::uint32_t>(chance() % 300)});
  return fills;
}

/// What the page makes of the answer: the rectangles of `now`, but for one part of rounding where they are shifted.
void check_runs(const FillMatcher& matcher, const std::vector<WireFill>& before, const std::vector<WireFill>& now) {
  std::size_t at = 0, wrong = 0;
  for (const FillMatcher::Run& run : matcher.runs()) {
    for (std::size_t i = 0; i < run.count; ++i, ++at) {
      REQUIRE(at < now.size());
      if (run.source == Source::kNew) continue;
      REQUIRE(run.first + i < before.size());
      const WireFill& old = before[run.first + i];
      const bool is_shifted = run.source == Source::kShifted;
      const int tolerance = is_shifted ? 1 : 0;
      const std::int64_t x = std::int64_t{old.x} + (is_shifted ? matcher.shift() : 0);
      wrong += std::abs(x - now[at].x) > tolerance || std::abs(old.width - now[at].width) > tolerance ||
               old.y != now[at].y || old.height != now[at].height || old.colour != now[at].colour;
    }
  }
  CHECK(at == now.size());
  CHECK(wrong == 0);
}

std::size_t count_of(const FillMatcher& matcher, Source source) {
  std::size_t count = 0;
  for (const FillMatcher::Run& run : matcher.runs()) count += run.source == source ? run.count : 0;
  return count;
}

}  // namespace

TEST_CASE("after zooming all rectangles are new, and no more is asked than the sample") {
  const std::vector<WireFill> before = lanes_of_chance(kFills);
  std::vector<WireFill> now = before;
  for (WireFill& fill : now) {
    fill.x += fill.x / 100;
    fill.width += fill.width / 100;
  }
  FillMatcher matcher;
  matcher.match(before, now);
  check_runs(matcher, before, now);
  CHECK(matcher.runs().size() == 1);
  CHECK(count_of(matcher, Source::kNew) == kFills);
  CHECK(matcher.looks() == kFills);
}

TEST_CASE("what was shifted is found where it was, each with a few looks") {
  const std::vector<WireFill> before = lanes_of_chance(kFills);
  std::vector<WireFill> now = before;
  std::mt19937 chance(2);
  for (WireFill& fill : now) {
    fill.x += 471 + static_cast<std::int32_t>(chance() % 3) - 1;
    fill.width += static_cast<std::int32_t>(chance() % 3) - 1;
  }
  for (int i = 0; i < 50; ++i) now[static_cast<std::size_t>(i) * 200] = before[static_cast<std::size_t>(i) * 200];
  now.insert(now.begin(), WireFill{5, 5, 5, 5, 5});
  FillMatcher matcher;
  matcher.match(before, now);
  check_runs(matcher, before, now);
  CHECK(matcher.shift() >= 470);
  CHECK(matcher.shift() <= 472);
  CHECK(count_of(matcher, Source::kShifted) > kFills * 6 / 10);  // the vote may be for a neighbour of 471
  CHECK(count_of(matcher, Source::kSame) >= 49);
  CHECK(matcher.looks() < 5 * kFills);
}

TEST_CASE("a few that are like no others tell where the many went that are like each other") {
  std::vector<WireFill> before;
  std::mt19937 chance(3);
  const auto up_to = [&](unsigned most) { return static_cast<std::int32_t>(chance() % most); };
  for (int i = 0; i < kFills; ++i)  // 600 kinds, about twenty of each
    before.push_back({up_to(102'400), up_to(60) * 1280, 64 + 64 * up_to(10), 1152, 7});
  for (std::size_t i = 0; i < 5; ++i) before[i * 2400].colour = static_cast<std::uint32_t>(100 + i);
  std::vector<WireFill> now = before;
  for (WireFill& fill : now) fill.x += 471;
  FillMatcher matcher;
  matcher.match(before, now);
  check_runs(matcher, before, now);
  CHECK(matcher.shift() == 471);
  CHECK(count_of(matcher, Source::kShifted) == kFills);
}

TEST_CASE("what stays is named in one run") {
  const std::vector<WireFill> before = lanes_of_chance(kFills);
  std::vector<WireFill> now = before;
  now.push_back({7, 7, 7, 7, 7});
  FillMatcher matcher;
  matcher.match(before, now);
  check_runs(matcher, before, now);
  CHECK(matcher.runs().size() <= 4);  // two that differ in width alone may be taken for each other
  CHECK(count_of(matcher, Source::kSame) == kFills);
}

TEST_CASE("rectangles upon each other cost no more than others") {
  std::vector<WireFill> before, now;
  for (int i = 0; i < kFills; ++i) {
    before.push_back({0, 0, i, 64, 1});
    now.push_back({0, 0, kFills - 1 - i, 64, 1});
  }
  FillMatcher matcher;
  matcher.match(before, now);
  check_runs(matcher, before, now);
  CHECK(matcher.looks() < 12 * kFills);
  matcher.match(before, std::vector<WireFill>(kFills, WireFill{3, 0, 9, 64, 1}));
  CHECK(matcher.looks() < 12 * kFills);
}

TEST_CASE("places at the ends of what can be said are compared") {
  const std::vector<WireFill> before(100, WireFill{-1'000'000'000, 0, 5, 5, 1});
  const std::vector<WireFill> now(3, WireFill{1'000'000'000, 0, 5, 5, 1});
  FillMatcher matcher;
  for (const auto* first : {&before, &now}) {
    matcher.match(*first, first == &before ? now : before);
    check_runs(matcher, *first, first == &before ? now : before);
  }
  matcher.match(before, {});
  CHECK(matcher.runs().empty());
  matcher.match({}, now);
  check_runs(matcher, {}, now);
}
