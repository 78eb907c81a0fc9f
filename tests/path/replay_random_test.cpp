// Replays with changes, against adding up what each change does by itself.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/path/replay.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

constexpr Nanos kTicks = 1000;

TEST_CASE("a thread that nothing holds up takes longer by what is longer of its time") {
  std::mt19937 random(20);
  const auto roll = [&](int n) { return static_cast<Nanos>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    TraceMaker make;
    const bool has_steps = round % 2 == 0;
    Nanos t = 0;
    for (std::uint64_t c = 1; c <= 10; ++c) {
      t += roll(20) * kTicks;
      const Nanos end = t + (1 + roll(8)) * kTicks;
      make.launch("cudaLaunchKernel", t, end, c).kernel("k", end, end + 1, c);
      t = end;
    }
    const Nanos all = t + 20 * kTicks;
    make.thread("aten::last", t + 10 * kTicks, all);
    if (has_steps) make.thread("ProfilerStep#1", 0, all, "user_annotation");
    const Trace trace = make.build();
    const Replay replay(trace, SourceId{0});
    REQUIRE(replay.threads().size() == 1);
    const TimeSpan window = replay.window();
    REQUIRE(window.end == all);
    CHECK(replay.play(replay.no_change()) == window.duration());
    ReplayEdit edit = replay.no_change();
    Nanos longer = 0;
    for (const double factor : {0.5, 3.0}) {
      std::vector<TimeSpan> where;
      for (int i = 0; i < 3; ++i) {
        const Nanos begin = roll(static_cast<int>(all / kTicks)) * kTicks;
        where.push_back({begin, begin + 2 * (1 + roll(10)) * kTicks});
      }
      edit.cpu[0].push_back({IntervalSet(where), factor});
      Nanos inside = 0;
      for (Nanos at = window.begin; at < window.end; at += kTicks)
        inside += std::ranges::any_of(where, [&](TimeSpan span) { return span.contains(at); }) ? kTicks : 0;
      longer += static_cast<Nanos>((factor - 1) * static_cast<double>(inside));
      // Two changes of the same time add up; where that would be less than nothing it is a case of its own.
      CAPTURE(round);
      CAPTURE(factor);
      CHECK(replay.play(edit) == window.duration() + longer);
    }
  }
}

TEST_CASE("works of one stream that wait for nothing but each other take what they take, one after the other") {
  std::mt19937 random(21);
  const auto roll = [&](int n) { return static_cast<Nanos>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    TraceMaker make;
    // All is launched before the first one begins.
    constexpr std::uint64_t kWorks = 8;
    for (std::uint64_t c = 1; c <= kWorks; ++c) {
      const Nanos begin = static_cast<Nanos>(c) * kTicks;
      make.launch("cudaLaunchKernel", begin, begin + kTicks / 2, c);
    }
    Nanos t = 10 * kTicks;
    std::vector<Nanos> lengths, spacings;
    for (std::uint64_t c = 1; c <= kWorks; ++c) {
      spacings.push_back(c == 1 ? 0 : roll(3) * kTicks);
      lengths.push_back((1 + roll(30)) * kTicks);
      t += spacings.back();
      make.kernel("k", t, t + lengths.back(), c);
      t += lengths.back();
    }
    const Replay replay(make.build(), SourceId{0});
    REQUIRE(replay.works().size() == kWorks);
    const Nanos measured = replay.measured();
    for (std::size_t w = 0; w < kWorks; ++w) {
      ReplayEdit edit = replay.no_change();
      edit.work_factor[w] = 3;
      CHECK(replay.play(edit) == measured + 2 * lengths[w]);
      edit = replay.no_change();
      edit.at_once[w] = true;
      CHECK(replay.play(edit) == measured - spacings[w]);
      edit = replay.no_change();
      edit.aside[w] = true;
      // What is behind it comes as much earlier, and has the least spacing that there is to what is before it; the
      // last of them is not waited for.
      if (w + 1 == kWorks) CHECK(replay.play(edit) == measured - lengths[w] - spacings[w]);
    }
  }
}

TEST_CASE("a step that begins inside its thread's first call is as long as it was") {
  for (const Nanos begin : {Nanos{0}, 3 * kTicks, 9 * kTicks}) {
    TraceMaker make;
    make.launch("cudaLaunchKernel", 0, 10 * kTicks, 1).kernel("k", 11 * kTicks, 20 * kTicks, 1);
    make.launch("cudaDeviceSynchronize", 30 * kTicks, 40 * kTicks, 2);
    make.thread("ProfilerStep#1", begin, 60 * kTicks, "user_annotation");
    const Replay replay(make.build(), SourceId{0});
    CAPTURE(begin);
    CHECK(replay.window() == TimeSpan{begin, 60 * kTicks});
    CHECK(replay.play(replay.no_change()) == replay.measured());
  }
}

}  // namespace
}  // namespace lacuna
