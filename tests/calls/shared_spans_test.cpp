#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "model/calls/call_walk.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

/// What a slice is charged, in all parts of it that were visited.
struct Visited {
  Nanos time = 0, longest = 0;
  std::uint64_t parts = 0;
  bool operator==(const Visited&) const = default;
};
using BySlice = std::map<SliceId, Visited>;

void count(BySlice& by_slice, TimeSpan part, SliceId slice, std::uint64_t times) {
  REQUIRE(!part.empty());
  Visited& sum = by_slice[slice];
  sum.time += part.duration() * static_cast<Nanos>(times);
  sum.longest = std::max(sum.longest, part.duration());
  sum.parts += times;
}

TEST_CASE("spans that overlap are charged as each of them alone, and what they share is visited once") {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Trace trace = random_trace(seed);
    Dice dice(seed);
    for (const Track& track : trace.tracks()) {
      if (track.kind != TrackKind::kThread) continue;
      for (const Nanos length : {2 * kUs, 100 * kUs, kMs}) {
        std::vector<TimeSpan> spans;
        for (int s = 0; s < 40; ++s) {
          const Nanos begin = dice.roll(trace.span().begin, trace.span().end);
          spans.push_back({begin, begin + dice.roll(0, length)});
        }
        std::ranges::sort(spans, {}, &TimeSpan::begin);
        BySlice expected, found;
        InnermostWalk one(trace, track), shared(trace, track);
        for (const TimeSpan span : spans)
          one.for_each(span, [&](TimeSpan part, SliceId slice) { count(expected, part, slice, 1); });
        for_each_shared(shared, spans,
                        [&](TimeSpan part, SliceId slice, std::uint64_t times) { count(found, part, slice, times); });
        CHECK(found == expected);
      }
    }
  }
}

TEST_CASE("a part that many spans share is visited once") {
  TraceMaker make;
  make.thread("a", 0, 10).thread("b", 10, 20).thread("c", 20, 30);
  const Trace trace = make.build();
  InnermostWalk walk(trace, trace.tracks()[0]);
  const std::vector<TimeSpan> spans(100, TimeSpan{5, 25});
  std::uint64_t visits = 0, of_b = 0;
  for_each_shared(walk, spans, [&](TimeSpan part, SliceId slice, std::uint64_t times) {
    ++visits;
    if (trace.name(slice) != "b") return;
    CHECK(part == TimeSpan{10, 20});
    of_b += times;
  });
  CHECK(of_b == 100);
  CHECK(visits == 201);
}

}  // namespace
}  // namespace lacuna
