// Each change that can be tried, on steps whose times are written down here.

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/path/what_if.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

using Change = WhatIfChange::Kind;

/// One step; times in us. Launches take 5.
class MadeStep {
 public:
  explicit MadeStep(Nanos end, int number = 1, Nanos begin = 0) { step(number, begin, end); }
  MadeStep& step(int number, Nanos begin, Nanos end) {
    make.thread("ProfilerStep#" + std::to_string(number), us(begin), us(end), "user_annotation");
    return *this;
  }
  MadeStep& op(std::string_view name, Nanos begin, Nanos end, std::string_view category = "cpu_op") {
    make.thread(name, us(begin), us(end), category);
    return *this;
  }
  /// `name` runs in [start, end), launched at `at`.
  MadeStep& work(std::string_view name, Nanos at, Nanos start, Nanos end, std::string_view stream = "7") {
    make.launch("cudaLaunchKernel", us(at), us(at + 5), ++correlation);
    make.kernel(name, us(start), us(end), correlation, stream);
    return *this;
  }
  MadeStep& copy(std::string_view call, std::string_view name, Nanos at, Nanos until, Nanos start, Nanos end) {
    make.launch(call, us(at), us(until), ++correlation);
    make.kernel(name, us(start), us(end), correlation, "7", "0", "gpu_memcpy");
    return *this;
  }
  MadeStep& wait(Nanos begin, Nanos end, std::string_view name = "cudaDeviceSynchronize") {
    make.launch(name, us(begin), us(end), ++correlation);
    return *this;
  }
  static Nanos us(Nanos t) { return t * 1000; }

  TraceMaker make;
  std::uint64_t correlation = 0;
};

/// In us, of source 0; the replay without a change is what was measured.
Nanos with(const Trace& trace, const std::vector<WhatIfChange>& changes) {
  const Result<WhatIfAnswer> answer = WhatIf(trace, SourceId{0}).ask(changes);
  REQUIRE_MESSAGE(answer.has_value(), (answer ? std::string() : answer.error().cause));
  CHECK(answer->replayed == answer->measured);
  return answer->predicted / 1000;
}

bool says(const Trace& trace, const WhatIfChange& change, std::string_view words) {
  const Result<WhatIfAnswer> answer = WhatIf(trace, SourceId{0}).ask({change});
  REQUIRE(answer.has_value());
  for (const std::string& assumption : answer->assumptions)
    if (assumption.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("what if: changes are written as they are typed") {
  CHECK(what_if_text({Change::kNoCause, "sync", 1}) == "--no-cause sync");
  CHECK(what_if_text({Change::kNoGap, "aten::item", 1}) == "--no-gap aten::item");
  CHECK(what_if_text({Change::kScale, "gemm", 0.5}) == "--scale gemm=0.5");
  CHECK(what_if_text({Change::kFuse, "a,b", 1}) == "--fuse a,b");
  CHECK(what_if_text({Change::kGraph, "", 1}) == "--graph all");
  CHECK(what_if_text({Change::kGraph, "3..5", 1}) == "--graph 3..5");
  CHECK(what_if_text({Change::kOverlapComm, "comm", 1}) == "--overlap comm");
  CHECK(what_if_text({Change::kRankEven, "", 1}) == "--rank-even");
}

TEST_CASE("what if: names that are not there, causes that are none, steps that do not exist") {
  MadeStep made(400);
  const Trace trace = made.op("aten::mm", 10, 20).work("gemm", 20, 30, 100).wait(30, 110).make.build();
  const WhatIf what_if(trace, SourceId{0});
  const auto cause = [&](const WhatIfChange& change) {
    const auto answer = what_if.ask({change});
    return answer ? std::string("none") : answer.error().cause;
  };
  CHECK(cause({Change::kScale, "relu", 0.5}) == "nothing in the trace is called 'relu'");
  CHECK(cause({Change::kNoGap, "relu", 1}) == "nothing in the trace is called 'relu'");
  CHECK(cause({Change::kFuse, "gemm,relu", 1}) == "nothing in the trace is called 'relu'");
  CHECK(cause({Change::kScale, "cudaDeviceSynchronize", 0.5}) == "none");
  CHECK(cause({Change::kScale, "kernel", 0.5}) == "nothing in the trace is called 'kernel'");  // a category
  CHECK(cause({Change::kGraph, "2", 1}) == "there are no steps '2'");
  CHECK(cause({Change::kGraph, "1", 1}) == "none");
  CHECK(cause({Change::kNoCause, "luck", 1}).starts_with("'luck' is not a cause of gaps; the causes are "));
  CHECK(cause({Change::kNoCause, "luck", 1}).find(", ") != std::string::npos);
  for (const char* name : {"sync", "synchronization", "synchronisation", "launch_bound", "launch-bound"})
    CHECK(cause({Change::kNoCause, name, 1}) == "none");
  CHECK(
      cause({Change::kNoCause, "late_rank", 1}).starts_with("--no-cause late_rank needs the traces of several ranks"));
  CHECK(cause({Change::kRankEven, "", 1}) == "--rank-even needs the traces of several ranks");
}

TEST_CASE("what if: fused kernels save their launches and the spacing between them") {
  // Launch-bound: 20 us between launches of kernels of 10 us.
  MadeStep made(200);
  for (Nanos k = 0; k < 4; ++k) made.work(k % 2 == 0 ? "add" : "mul", 20 + 20 * k, 30 + 20 * k, 40 + 20 * k);
  const Trace trace = made.op("aten::relu", 105, 145).work("relu", 150, 160, 170).wait(165, 175).make.build();
  const Nanos whole = 200;
  CHECK(with(trace, {}) == whole);
  // Three launches of 5 us go.
  CHECK(with(trace, {{Change::kFuse, "add,mul", 1}}) == whole - 15);
  CHECK(with(trace, {{Change::kFuse, ",add,,mul,", 1}}) == whole - 15);
  CHECK(with(trace, {{Change::kFuse, "add", 1}}) == whole);            // never two of them in a row
  CHECK(with(trace, {{Change::kFuse, "mul,relu", 1}}) == whole - 10);  // nor does the CPU wait for relu, then
  CHECK(says(trace, {Change::kFuse, "add,mul", 1}, "what is saved is launches and spacing"));
}

TEST_CASE("what if: a graph leaves the first launch of a step, and the waits") {
  MadeStep made(200);
  for (Nanos k = 0; k < 4; ++k) made.work("add", 20 + 30 * k, 30 + 30 * k, 40 + 30 * k);
  made.wait(125, 135).step(2, 200, 400);
  for (Nanos k = 0; k < 4; ++k) made.work("add", 220 + 30 * k, 230 + 30 * k, 240 + 30 * k);
  const Trace trace = made.wait(325, 335).make.build();
  CHECK(with(trace, {}) == 400);
  const Nanos one = with(trace, {{Change::kGraph, "1", 1}});
  const Nanos all = with(trace, {{Change::kGraph, "all", 1}});
  CHECK(with(trace, {{Change::kGraph, "", 1}}) == all);
  CHECK(with(trace, {{Change::kGraph, "1..2", 1}}) == all);
  // Between the end of the first launch and that of the last one are 90 us; kernels run back to back, 30 us of them.
  CHECK(400 - one == 400 - with(trace, {{Change::kGraph, "2", 1}}));
  CHECK(400 - all == 2 * (400 - one));
  CHECK(400 - one == 60);
}

TEST_CASE("what if: communication beside everything else") {
  MadeStep made(300);
  made.work("gemm", 10, 20, 60).work("ncclDevKernel_AllReduce", 20, 60, 200).work("relu", 30, 200, 240).wait(40, 245);
  const Trace trace = made.make.build();
  CHECK(with(trace, {}) == 300);
  // relu follows gemm at 65, the wait ends at 110, and 55 us follow it.
  CHECK(with(trace, {{Change::kOverlapComm, "comm", 1}}) == 165);
  CHECK(says(trace, {Change::kOverlapComm, "comm", 1}, "communication takes longer than all else"));
  MadeStep shorter(300);
  shorter.work("gemm", 10, 20, 160).work("ncclDevKernel_AllReduce", 20, 160, 200).work("relu", 30, 200, 240);
  const Trace small = shorter.wait(40, 245).make.build();
  CHECK_FALSE(says(small, {Change::kOverlapComm, "comm", 1}, "communication takes longer than all else"));
  CHECK(says(small, {Change::kOverlapComm, "comm", 1}, "beside computation without slowing it down"));
}

TEST_CASE("what if: collectives as on the rank that came last") {
  const auto job = [](Nanos other, int times_of_other) {
    MadeStep made(300);
    made.work("ncclDevKernel_AllReduce", 10, 20, 120).wait(20, 125);
    made.make.next_file();
    made.step(1, 0, 300).work("ncclDevKernel_AllReduce", 10, 20, 20 + other);
    for (int n = 1; n < times_of_other; ++n) made.work("ncclDevKernel_AllReduce", 150, 160, 165);
    return made.wait(200, 205).make.build();
  };
  CHECK(with(job(40, 1), {{Change::kRankEven, "", 1}}) == 240);
  CHECK(with(job(200, 1), {{Change::kRankEven, "", 1}}) == 300);  // it came last itself
  CHECK(with(job(40, 2), {{Change::kRankEven, "", 1}}) == 300);   // not the same collectives
}

TEST_CASE("what if: the CPU does not do what kept it from launching") {
  // The GPU is idle from 100 to 200, for which aten::slow is to blame from 110 on.
  MadeStep made(400);
  made.work("gemm", 10, 20, 100).op("aten::slow", 110, 190).work("relu", 190, 200, 300).wait(210, 305);
  const Trace trace = made.make.build();
  const Nanos none = with(trace, {{Change::kNoCause, "launch_bound", 1}});
  CHECK(400 - none == 15 + 95);  // until each launch had been issued: before gemm, and between it and relu
  CHECK(with(trace, {{Change::kNoCause, "data_loading", 1}}) == 400);
  CHECK(400 - with(trace, {{Change::kNoGap, "aten::slow", 1}}) == 80);
  CHECK(with(trace, {{Change::kNoGap, "cudaDeviceSynchronize", 1}}) <= 400);
  CHECK(400 - with(trace, {{Change::kScale, "aten::slow", 0.5}}) == 40);
  CHECK(with(trace, {{Change::kScale, "aten::slow", 2}}) == 480);
  CHECK(says(trace, {Change::kNoCause, "launch_bound", 1}, "the CPU skips all work that kept it from launching"));
  // Two changes at once.
  CHECK(400 - with(trace, {{Change::kScale, "aten::slow", 0.5}, {Change::kScale, "relu", 0.5}}) == 90);
}

TEST_CASE("what if: of a gap in which the CPU did several things each cause is left out with its own time") {
  // The GPU is idle from 100 to 200: the CPU loads data for a part of it, and works for the rest.
  const auto trace_of = [](Nanos loaded_until) {
    MadeStep made(400);
    made.work("gemm", 10, 20, 100)
        .op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100, loaded_until, "user_annotation")
        .op("aten::slow", loaded_until, 190)
        .work("relu", 190, 200, 300)
        .wait(210, 305);
    return made.make.build();
  };
  const WhatIfChange no_loading{Change::kNoCause, "data_loading", 1};
  const Trace mostly = trace_of(160);  // its cause is data loading
  CHECK(400 - with(mostly, {no_loading}) == 60);
  const Trace partly = trace_of(130);  // its cause is that the CPU was busy
  CHECK(400 - with(partly, {no_loading}) == 30);
  CHECK(400 - with(partly, {{Change::kNoCause, "launch_bound", 1}}) == 15 + 95 - 30);
  CHECK(says(partly, no_loading, "the CPU skips what it did for that cause"));
}

TEST_CASE("what if: kernels that overlap on their stream do so by no more than measured") {
  MadeStep made(350);
  made.work("a", 0, 10, 140).work("b", 100, 110, 240).work("c", 200, 210, 340).wait(210, 345);
  const Trace trace = made.make.build();
  CHECK(with(trace, {}) == 350);
  CHECK(with(trace, {{Change::kGraph, "all", 1}}) == 350);
  CHECK(with(trace, {{Change::kScale, "a", 0.5}}) == 350);  // b still waits for its launch
  CHECK(with(trace, {{Change::kScale, "a", 2}}) == 350 + 130);
}

TEST_CASE("what if: work of another stream is not waited for") {
  MadeStep made(400);
  made.work("gemm", 10, 20, 60).work("other", 15, 20, 150, "20").work("relu", 30, 155, 255).wait(40, 260);
  const Trace trace = made.make.build();
  CHECK(400 - with(trace, {{Change::kNoCause, "dependency", 1}}) == 95);  // relu follows gemm at once
  CHECK(says(trace, {Change::kNoCause, "dependency", 1}, "starts when its stream is free"));
}

TEST_CASE("what if: copies that do not block") {
  MadeStep made(400);
  made.work("gemm", 10, 20, 60).copy("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", 20, 110, 60, 100);
  const Trace trace = made.op("aten::mm", 120, 150).work("relu", 150, 160, 260).wait(160, 265).make.build();
  const Nanos without = with(trace, {{Change::kNoCause, "blocking_copy", 1}});
  CHECK(without < 400);
  CHECK(says(trace, {Change::kNoCause, "blocking_copy", 1}, "copies that blocked the CPU run beside everything else"));
  CHECK_FALSE(says(trace, {Change::kNoCause, "sync", 1}, "copies that blocked"));
  CHECK(says(trace, {Change::kNoCause, "sync", 1}, "return at once"));
  CHECK(400 - without == 95);  // relu follows gemm 5 us later
}

TEST_CASE("what if: a copy blocks when its call ends with it, and does not when the call ends before") {
  const auto without = [](Nanos until) {
    MadeStep made(400);
    made.work("gemm", 10, 20, 60).copy("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)", 20, until, 60, 100);
    // A copy that blocks whatever is said of the other.
    made.copy("cudaMemcpy", "Memcpy HtoD (Pageable -> Device)", 110, 150, 120, 140);
    const Trace trace = made.work("relu", 155, 165, 260).wait(170, 265).make.build();
    return with(trace, {{Change::kNoCause, "blocking_copy", 1}});
  };
  CHECK(without(100) == without(105));
  CHECK(without(100) < without(99));
}

TEST_CASE("what if: the ranking has the largest names halved, each cause that there is, and a graph") {
  MadeStep made(400);
  for (Nanos k = 0; k < 7; ++k) made.work("k" + std::to_string(k), 10 + 30 * k, 20 + 30 * k, 30 + 31 * k);
  const Trace trace = made.wait(240, 250).make.build();
  std::vector<std::string> changes;
  for (const WhatIfGain& gain : WhatIf(trace, SourceId{0}).rank()) {
    changes.push_back(what_if_text(gain.change));
    const Result<WhatIfAnswer> answer = WhatIf(trace, SourceId{0}).ask({gain.change});
    REQUIRE(answer.has_value());
    CHECK(gain.predicted == answer->predicted);
    CHECK(gain.gain == answer->replayed - answer->predicted);
  }
  const auto has = [&](std::string_view text) { return std::ranges::find(changes, text) != changes.end(); };
  CHECK(has("--scale k6=0.5"));
  CHECK(has("--scale k2=0.5"));
  CHECK_FALSE(has("--scale k1=0.5"));  // five of them
  CHECK(has("--graph all"));
  CHECK(has("--no-cause launch_bound"));
  CHECK_FALSE(has("--overlap comm"));
  CHECK_FALSE(has("--rank-even"));
  CHECK_FALSE(has("--no-cause late_rank"));
  CHECK_FALSE(has("--no-cause unknown"));
}
