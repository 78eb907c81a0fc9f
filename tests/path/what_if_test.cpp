#include "model/path/what_if.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

constexpr Nanos kMicro = 1000;
using Kind = WhatIfChange::Kind;

/// Two steps: an operator launches a kernel of 100 us, waits for it, works 50 us, launches another.
Trace two_steps() {
  TraceMaker make;
  for (int s = 0; s < 2; ++s) {
    const Nanos t = s * 400 * kMicro;
    const auto c = static_cast<std::uint64_t>(10 * s);
    make.thread("ProfilerStep#" + std::to_string(s + 1), t, t + 400 * kMicro, "user_annotation");
    make.thread("aten::mm", t + 10 * kMicro, t + 30 * kMicro);
    make.launch("cudaLaunchKernel", t + 20 * kMicro, t + 25 * kMicro, c + 1);
    make.kernel("gemm", t + 30 * kMicro, t + 130 * kMicro, c + 1);
    make.launch("cudaStreamSynchronize", t + 30 * kMicro, t + 135 * kMicro, c + 2);
    make.thread("aten::item", t + 135 * kMicro, t + 185 * kMicro);
    make.launch("cudaLaunchKernel", t + 190 * kMicro, t + 195 * kMicro, c + 3);
    make.kernel("relu", t + 200 * kMicro, t + 350 * kMicro, c + 3);
    make.launch("cudaDeviceSynchronize", t + 200 * kMicro, t + 355 * kMicro, c + 4);
  }
  return make.build();
}

Nanos predicted(const Trace& trace, const WhatIfChange& change) {
  const Result<WhatIfAnswer> answer = WhatIf(trace, SourceId{0}).ask({change});
  REQUIRE(answer.has_value());
  CHECK(answer->replayed == answer->measured);
  return answer->predicted;
}

}  // namespace

TEST_CASE("a replay without a change gives the measured steps") {
  const Trace trace = two_steps();
  const Result<WhatIfAnswer> answer = WhatIf(trace, SourceId{0}).ask({});
  REQUIRE(answer.has_value());
  CHECK(answer->steps == 2);
  CHECK(answer->measured == 800 * kMicro);
  CHECK(answer->replayed == 800 * kMicro);
  CHECK(answer->predicted == 800 * kMicro);
  CHECK_FALSE(answer->assumptions.empty());
}

TEST_CASE("a kernel that the CPU waits for shortens the step by what it saves") {
  const Trace trace = two_steps();
  CHECK(predicted(trace, {Kind::kScale, "gemm", 0.5}) == 700 * kMicro);
  CHECK(predicted(trace, {Kind::kScale, "gemm", 2}) == 1000 * kMicro);
  CHECK(predicted(trace, {Kind::kScale, "aten::item", 0}) == 700 * kMicro);
}

TEST_CASE("without synchronisation the CPU runs ahead") {
  // The threads would be done after 300 us; the GPU has 500 us of work, begins at 30 and has 5 us between two of them.
  CHECK(predicted(two_steps(), {Kind::kNoCause, "sync", 1}) == 545 * kMicro);
}

TEST_CASE("without a GPU the operators of the step's thread are replayed") {
  TraceMaker make;
  for (int s = 0; s < 2; ++s) {
    const Nanos t = s * 400 * kMicro;
    make.thread("ProfilerStep#" + std::to_string(s + 1), t, t + 400 * kMicro, "user_annotation");
    make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", t, t + 300 * kMicro, "user_annotation");
    make.thread("aten::mm", t + 300 * kMicro, t + 380 * kMicro);
    make.thread("beside", t, t + 390 * kMicro, "cpu_op", "2");
  }
  const Trace trace = make.build();
  CHECK(predicted(trace, {Kind::kScale, "aten::mm", 0.5}) == 720 * kMicro);
  CHECK(predicted(trace, {Kind::kScale, "beside", 0.5}) == 800 * kMicro);  // another thread's
  const std::vector<WhatIfGain> gains = WhatIf(trace, SourceId{0}).rank();
  REQUIRE_FALSE(gains.empty());
  CHECK(gains.front().change.argument == "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  CHECK(gains.front().gain == 300 * kMicro);
}

TEST_CASE("without steps the window goes on until threads that launch nothing are done, as long as they did") {
  TraceMaker make;
  make.thread("PjitFunction(train_step)", 0, 900 * kMicro);
  make.launch("cuLaunchKernel", 100 * kMicro, 150 * kMicro, 1, "2");
  make.kernel("gemm", 200 * kMicro, 600 * kMicro, 1);
  const Trace trace = make.build();
  CHECK(WhatIf(trace, SourceId{0}).ask({})->measured == 900 * kMicro);
  CHECK(predicted(trace, {Kind::kScale, "gemm", 0.5}) == 700 * kMicro);
}

TEST_CASE("a thread that goes on behind one that waits for its batch comes as much earlier without the wait") {
  TraceMaker make;
  for (int s = 0; s < 3; ++s) {
    const Nanos t = s * 400 * kMicro;
    const auto c = static_cast<std::uint64_t>(10 * s);
    make.thread("ProfilerStep#" + std::to_string(s + 1), t, t + 400 * kMicro, "user_annotation");
    make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", t, t + 300 * kMicro, "user_annotation");
    make.thread("aten::mm", t + 300 * kMicro, t + 320 * kMicro);
    make.launch("cudaLaunchKernel", t + 310 * kMicro, t + 315 * kMicro, c + 1);
    make.kernel("forward", t + 320 * kMicro, t + 330 * kMicro, c + 1);
    make.thread("aten::mm_backward", t + 325 * kMicro, t + 345 * kMicro, "cpu_op", "2");
    make.launch("cudaLaunchKernel", t + 330 * kMicro, t + 335 * kMicro, c + 2, "2");
    make.kernel("backward", t + 340 * kMicro, t + 390 * kMicro, c + 2);
  }
  const Trace trace = make.build();
  const Nanos gained = 1'200 * kMicro - predicted(trace, {Kind::kNoCause, "data_loading", 1});
  CHECK(gained > 2 * 280 * kMicro);  // all but the first step, where that thread begins
}

TEST_CASE("only the steps of a window count") {
  const Trace trace = two_steps();
  const Result<WhatIfAnswer> answer = WhatIf(trace, SourceId{0}, {400 * kMicro, 800 * kMicro}).ask({});
  REQUIRE(answer.has_value());
  CHECK(answer->steps == 1);
  CHECK(answer->measured == 400 * kMicro);
  CHECK(answer->replayed == 400 * kMicro);
}

TEST_CASE("what the trace does not have is said") {
  const Trace trace = two_steps();
  const WhatIf what_if(trace, SourceId{0});
  const auto code = [&](const WhatIfChange& change) {
    const auto answer = what_if.ask({change});
    REQUIRE_FALSE(answer.has_value());
    return answer.error().code;
  };
  CHECK(code({Kind::kScale, "no such kernel", 0.5}) == ErrorCode::kInvalidArgument);
  CHECK(code({Kind::kNoCause, "bad luck", 1}) == ErrorCode::kInvalidArgument);
  CHECK(code({Kind::kGraph, "7", 1}) == ErrorCode::kInvalidArgument);
  CHECK(code({Kind::kRankEven, "", 1}) == ErrorCode::kUnsupported);
}

TEST_CASE("the ranking is of gains, the most first") {
  const Trace trace = two_steps();
  const std::vector<WhatIfGain> gains = WhatIf(trace, SourceId{0}).rank();
  REQUIRE_FALSE(gains.empty());
  for (std::size_t g = 1; g < gains.size(); ++g) CHECK(gains[g - 1].gain >= gains[g].gain);
  CHECK(gains.front().gain > 0);
}

namespace {

/// Launches to two streams that are waited for now and then, at random times.
Trace random_launches(std::uint32_t seed) {
  std::mt19937 engine(seed);
  const auto roll = [&](int n) { return static_cast<Nanos>(engine() % static_cast<unsigned>(n)); };
  TraceMaker make;
  Nanos t = 0;
  Nanos busy[2] = {0, 0};
  for (std::uint64_t c = 1; c < 40; ++c) {
    t += roll(30) * kMicro;
    const Nanos end = t + roll(10) * kMicro;
    const auto stream = static_cast<std::size_t>(roll(2));
    if (roll(4) == 0) {
      const Nanos until = std::max({end, busy[0], busy[1]});
      make.launch("cudaDeviceSynchronize", t, until, c);
      t = until;
      continue;
    }
    make.launch("cudaLaunchKernel", t, end, c);
    const Nanos start = std::max(busy[stream], end) + roll(3) * kMicro;
    busy[stream] = start + roll(100) * kMicro;
    make.kernel("k", start, busy[stream], c, stream == 0 ? "7" : "20");
    t = end;
  }
  return make.build();
}

}  // namespace

TEST_CASE("whatever the times, a replay without a change gives what was measured") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Trace trace = random_launches(seed);
    const Result<WhatIfAnswer> answer = WhatIf(trace, SourceId{0}).ask({});
    REQUIRE(answer.has_value());
    CHECK(answer->replayed == answer->measured);
  }
}

TEST_CASE("whatever the times, work may take as much longer as its slack, and no longer") {
  std::size_t held = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const Trace trace = random_launches(seed);
    const Replay replay(trace, SourceId{0});
    const TrackId thread = replay.threads().front();
    const Replay::Slack slack = replay.slack(replay.window().end, thread);
    for (std::size_t w = 0; w < replay.works().size(); ++w) {
      const auto duration = static_cast<double>(replay.works()[w].span.duration());
      if (duration == 0) continue;
      const auto longer_by = [&](Nanos by) {
        ReplayEdit edit = replay.no_change();
        edit.work_factor[w] = (duration + static_cast<double>(by)) / duration;
        return replay.play(edit);
      };
      CAPTURE(w);
      CHECK(longer_by(slack.of_work[w]) <= replay.measured());
      CHECK(longer_by(slack.of_work[w] + 10 * kMicro) > replay.measured());
      held += slack.of_work[w] > 0;
    }
  }
  CHECK(held > 100);
}

TEST_CASE("work launched inside calls inside a call is that call's") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 100, 1).launch("cuLaunchKernel", 10, 90, 2).launch("cuLaunchKernelEx", 20, 80, 3);
  make.kernel("a", 200, 250, 1).kernel("b", 250, 300, 2).kernel("c", 300, 350, 3);
  // The outer one neither launched nor waited: none of them is played.
  make.launch("cudaFuncGetAttributes", 400, 500, 0).launch("cuLaunchKernel", 410, 490, 4);
  make.launch("cuLaunchKernelEx", 420, 480, 5).kernel("d", 600, 650, 4).kernel("e", 650, 700, 5);
  const Trace trace = make.build();
  const Replay replay(trace, SourceId{0});
  REQUIRE(replay.calls().size() == 1);
  REQUIRE(replay.works().size() == 5);
  for (std::size_t w = 0; w < 5; ++w) CHECK(replay.works()[w].launch == (w < 3 ? 0 : Replay::kNone));
  CHECK(replay.play(replay.no_change()) == replay.measured());
}

TEST_CASE("work whose launch came after what ended just before it on another stream did not wait for that") {
  const auto doubled = [](Nanos launched) {
    TraceMaker make;
    for (int s = 0; s < 2; ++s) {
      const Nanos t = s * 400 * kMicro;
      const auto c = static_cast<std::uint64_t>(10 * s);
      make.thread("ProfilerStep#" + std::to_string(s + 1), t, t + 400 * kMicro, "user_annotation");
      make.launch("cudaLaunchKernel", t + 5 * kMicro, t + 8 * kMicro, c + 1);
      make.kernel("first", t + 10 * kMicro, t + 100 * kMicro, c + 1);
      make.launch("cudaLaunchKernel", t + 10 * kMicro, t + 13 * kMicro, c + 2);
      make.kernel("beside", t + 26 * kMicro, t + 126 * kMicro, c + 2, "20");
      make.launch("cudaLaunchKernel", t + launched - 5 * kMicro, t + launched, c + 3);
      make.kernel("second", t + 131 * kMicro, t + 331 * kMicro, c + 3);
      make.launch("cudaDeviceSynchronize", t + 200 * kMicro, t + 340 * kMicro, c + 4);
    }
    return predicted(make.build(), {Kind::kScale, "beside", 2});
  };
  CHECK(doubled(40 * kMicro) > 900 * kMicro);  // issued long before: it waited, so far as one can tell
  CHECK(doubled(128 * kMicro) == 800 * kMicro);
}

TEST_CASE("the steps end when the work is done that ends with the last of them") {
  TraceMaker make;
  for (int s = 0; s < 2; ++s) {
    const Nanos t = s * 400 * kMicro;
    const auto c = static_cast<std::uint64_t>(s + 1);
    make.thread("ProfilerStep#" + std::to_string(s + 1), t, t + 400 * kMicro, "user_annotation");
    make.launch("cudaLaunchKernel", t + 5 * kMicro, t + 8 * kMicro, c);
    make.kernel("tail", t + 200 * kMicro, t + 400 * kMicro, c);
  }
  CHECK(predicted(make.build(), {Kind::kScale, "tail", 2}) > 800 * kMicro);
}
