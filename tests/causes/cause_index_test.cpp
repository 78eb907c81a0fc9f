#include "model/causes/cause_index.h"

#include "model/causes/cause_ranking.h"
#include "model/causes/gap_evidence.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

std::string us_of(Nanos ns) {
  return std::to_string(ns / kUs) + " us";
}

struct Verdict {
  GapCause cause;
  GapDiagnosis diagnosis;
  GapFacts facts;
  GapEvidence evidence;
  std::string why;
};

/// The verdict on the only, or the longest, gap of the stream.
Verdict judge(const Trace& trace, std::string_view stream = "7") {
  const CauseIndex index(trace);
  for (const StreamActivity& s : analyze_streams(trace)) {
    if (trace.text(s.stream) != stream) continue;
    REQUIRE_FALSE(s.gaps.empty());
    const Gap gap = *std::ranges::max_element(s.gaps, {}, &Gap::duration);
    Verdict v;
    v.diagnosis = index.diagnose(gap);
    v.cause = v.diagnosis.cause;
    v.facts = index.facts(gap);
    v.evidence = gather_evidence(trace, gap, v.diagnosis);
    v.why = explain_gap(trace, gap, v.diagnosis, v.evidence, us_of);
    CHECK(v.diagnosis.before_issue + v.diagnosis.in_queue == gap.duration());
    return v;
  }
  FAIL("no such stream");
  return {};
}

/// A kernel up to 100 us and one from 400 us on; what lies between is the gap.
struct Gap100To400 : TraceMaker {
  explicit Gap100To400(std::uint64_t launch_of_second = 2) {
    launch("cudaLaunchKernel", 0, 5 * kUs, 1)
        .kernel("first", 10 * kUs, 100 * kUs, 1)
        .kernel("second", 400 * kUs, 500 * kUs, launch_of_second);
  }
};

}  // namespace

TEST_CASE("launch-bound: what the CPU did meanwhile") {
  Gap100To400 make;
  make.thread("step", 0, 450 * kUs, "user_annotation")
      .thread("aten::linear", 120 * kUs, 398 * kUs)
      .thread("aten::addmm", 130 * kUs, 397 * kUs)
      .launch("cudaLaunchKernel", 380 * kUs, 395 * kUs, 2);
  const Trace trace = make.build();
  const Verdict v = judge(trace);
  CHECK(v.cause == GapCause::kLaunchBound);
  CHECK(v.diagnosis.late);
  CHECK(v.diagnosis.before_issue == 295 * kUs);
  CHECK(v.diagnosis.in_queue == 5 * kUs);
  CHECK(trace.text(v.evidence.at(CpuLevel::kCalledOperator).name) == "aten::linear");
  CHECK(v.evidence.at(CpuLevel::kCalledOperator).time == 275 * kUs);
  CHECK(trace.text(v.evidence.at(CpuLevel::kOperator).name) == "aten::addmm");
  CHECK(v.evidence.at(CpuLevel::kOperator).time == 265 * kUs);
  CHECK(v.evidence.at(CpuLevel::kOperator).longest == slice_named(trace, "aten::addmm"));
  CHECK(v.evidence.at(CpuLevel::kRuntime).time == 15 * kUs);
  CHECK(v.evidence.unrecorded == 20 * kUs);
  CHECK(v.why == "cudaLaunchKernel came 295 us late: 275 us in aten::linear (most in aten::addmm), in step");
}

TEST_CASE("launch-bound in Python, and where nothing is recorded") {
  Gap100To400 python;
  python.thread("model.py(9): forward", 50 * kUs, 398 * kUs, "python_function")
      .thread("aten::add", 300 * kUs, 396 * kUs)
      .launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
  CHECK(judge(python.build()).why ==
        "cudaLaunchKernel came 295 us late: 295 us in Python model.py(9): forward and below, 95 us "
        "in "
        "aten::add");
  Gap100To400 silent;
  silent.launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
  const Verdict v = judge(silent.build());
  CHECK(v.cause == GapCause::kLaunchBound);
  CHECK(v.why.find("nothing recorded on thread 1 for 290 us") != std::string::npos);
}

TEST_CASE("a slow launch call that was open when the gap began, and CUDA's loading of code") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 90 * kUs, 399 * kUs, 2)
      .thread("Lazy Function Loading", 150 * kUs, 300 * kUs, "overhead", "0");
  const Verdict v = judge(make.build());
  CHECK(v.cause == GapCause::kFirstUse);
  CHECK_FALSE(v.diagnosis.late);
  CHECK(v.diagnosis.before_issue == 299 * kUs);
  CHECK(v.why.find("CUDA loaded code for 150 us") != std::string::npos);
}

TEST_CASE("synchronisation: the CPU waited while the GPU worked, so it could not run ahead") {
  Gap100To400 make;
  make.thread("aten::item", 5 * kUs, 110 * kUs)
      .launch("cudaStreamSynchronize", 20 * kUs, 105 * kUs, 9)
      .launch("cudaLaunchKernel", 250 * kUs, 255 * kUs, 2);
  // 80 us of waiting (20 … 100) against 155 us of delay.
  const Trace trace = make.build();
  const Verdict v = judge(trace);
  CHECK(v.facts.sync_saves == 80 * kUs);
  CHECK(v.cause == GapCause::kSynchronisation);
  CHECK(v.diagnosis.sync_call == slice_named(trace, "cudaStreamSynchronize"));
  CHECK(v.why.find("80 us of it because the CPU had waited for the GPU in cudaStreamSynchronize of "
                   "aten::item") != std::string::npos);

  Gap100To400 longer;
  longer.launch("cudaStreamSynchronize", 20 * kUs, 105 * kUs, 9).launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
  CHECK(judge(longer.build()).cause == GapCause::kLaunchBound);  // 80 of 295 us
}

TEST_CASE("a synchronising call while the GPU is idle waits for nothing") {
  Gap100To400 make;
  make.launch("cudaFree", 110 * kUs, 390 * kUs, 9).launch("cudaLaunchKernel", 391 * kUs, 395 * kUs, 2);
  const Verdict v = judge(make.build());
  CHECK(v.facts.sync_saves == 0);
  CHECK(v.cause == GapCause::kAllocation);
  CHECK(v.why.find("280 us in cudaFree") != std::string::npos);
}

TEST_CASE("copies: pageable ones block although they are called Async; pinned ones do not") {
  for (const bool blocks : {true, false}) {
    TraceMaker make;
    make.launch("cudaLaunchKernel", 0, 2 * kUs, 1)
        .kernel("first", 10 * kUs, 100 * kUs, 1)
        .launch("cudaMemcpyAsync", 5 * kUs, (blocks ? 105 : 8) * kUs, 2)
        .kernel("Memcpy DtoH (Device -> Pageable)", 100 * kUs, 102 * kUs, 2, "7", "0", "gpu_memcpy")
        .launch("cudaLaunchKernel", 150 * kUs, 155 * kUs, 3)
        .kernel("second", 160 * kUs, 170 * kUs, 3);
    CHECK(judge(make.build()).cause == (blocks ? GapCause::kSynchronisation : GapCause::kLaunchBound));
  }
}

TEST_CASE("a blocking copy to the host was issued when its call began; the rest is waiting") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 0, 1 * kUs, 4)
      .kernel("ncclDevKernel_AllToAll", 50 * kUs, 398 * kUs, 4, "20")
      .launch("cudaMemcpyAsync", 130 * kUs, 410 * kUs, 5)
      .kernel("Memcpy DtoH (Device -> Pageable)", 400 * kUs, 405 * kUs, 5, "9", "0", "gpu_memcpy")
      .kernel("before", 80 * kUs, 100 * kUs, 0, "9");
  const Trace trace = make.build();
  const Verdict v = judge(trace, "9");
  CHECK(v.diagnosis.before_issue == 30 * kUs);
  CHECK(v.cause == GapCause::kCommunication);
  CHECK(v.diagnosis.waited_for == slice_named(trace, "ncclDevKernel_AllToAll"));
}

TEST_CASE("the other thread's synchronisation: loss.item() before loss.backward()") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 5 * kUs, 1)
      .kernel("first", 10 * kUs, 100 * kUs, 1)
      .thread("aten::item", 5 * kUs, 110 * kUs)
      .launch("cudaStreamSynchronize", 20 * kUs, 105 * kUs, 9)
      .thread("autograd::engine::evaluate_function", 120 * kUs, 170 * kUs, "cpu_op", "2")
      .launch("cudaLaunchKernel", 160 * kUs, 165 * kUs, 2, "2")
      .kernel("second", 170 * kUs, 500 * kUs, 2);
  const Trace trace = make.build();
  const Verdict v = judge(trace);
  CHECK(v.cause == GapCause::kSynchronisation);
  CHECK(v.diagnosis.sync_call == slice_named(trace, "cudaStreamSynchronize"));
}

TEST_CASE("a thread with little to show for the time waited for another one") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2)
      .thread("autograd::engine", 90 * kUs, 380 * kUs, "cpu_op", "2")
      .launch("cudaLaunchKernel", 95 * kUs, 97 * kUs, 3, "2")
      .kernel("elsewhere", 98 * kUs, 99 * kUs, 3, "20");
  const Trace trace = make.build();
  const Verdict v = judge(trace);
  CHECK(v.cause == GapCause::kLaunchBound);
  CHECK(trace.text(trace.track(v.diagnosis.thread).tid) == "2");
  CHECK(trace.text(v.evidence.at(CpuLevel::kOperator).name) == "autograd::engine");
}

TEST_CASE("a thread stays responsible when no other one has more than half of the time to show") {
  Gap100To400 make;
  make.thread("aten::addcmul_", 350 * kUs, 396 * kUs)
      .launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2)
      .thread("autograd::engine", 100 * kUs, 200 * kUs, "cpu_op", "2")
      .launch("cudaLaunchKernel", 101 * kUs, 102 * kUs, 3, "2")
      .kernel("elsewhere", 105 * kUs, 106 * kUs, 3, "20");
  const Trace trace = make.build();
  const Verdict v = judge(trace);
  CHECK(trace.text(trace.track(v.diagnosis.thread).tid) == "1");
  CHECK(v.why.find("nothing recorded on thread 1 for 250 us") != std::string::npos);
}

TEST_CASE("a call that began in time but took most of a short gap is no queue") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 5 * kUs, 1)
      .kernel("first", 10 * kUs, 100 * kUs, 1)
      .launch("cudaMemcpyAsync", 98 * kUs, 124 * kUs, 2)
      .kernel("second", 125 * kUs, 130 * kUs, 2);
  const Verdict v = judge(make.build());
  CHECK_FALSE(v.diagnosis.late);
  CHECK(v.cause == GapCause::kLaunchBound);
}

TEST_CASE("data loading") {
  Gap100To400 make;
  make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 110 * kUs, 380 * kUs, "user_annotation")
      .thread("aten::stack", 150 * kUs, 160 * kUs)
      .launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
  CHECK(judge(make.build()).cause == GapCause::kDataLoading);
  Gap100To400 frames;
  frames.thread("torch/utils/data/dataloader.py(703): __next__", 110 * kUs, 380 * kUs, "python_function")
      .launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
  CHECK(judge(frames.build()).cause == GapCause::kDataLoading);
}

TEST_CASE("dependency: the last end on another stream released it") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 20 * kUs, 25 * kUs, 2)
      .kernel("producer", 50 * kUs, 395 * kUs, 0, "20")
      .kernel("bystander", 50 * kUs, 200 * kUs, 0, "21");
  const Trace trace = make.build();
  const Verdict v = judge(trace);
  CHECK(v.cause == GapCause::kDependency);
  CHECK(v.diagnosis.waited_for == slice_named(trace, "producer"));
  CHECK(v.why == "second was issued 80 us before the gap and waited 300 us for producer on stream 20");
}

TEST_CASE("what takes no time waits for nothing of its own stream") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 5 * kUs, 1)
      .kernel("first", 10 * kUs, 100 * kUs, 1)
      .launch("cudaMemsetAsync", 20 * kUs, 25 * kUs, 2)
      .kernel("second", 170 * kUs, 170 * kUs, 2)
      .kernel("third", 170 * kUs, 180 * kUs, 3);
  const Verdict v = judge(make.build());
  CHECK(v.cause == GapCause::kUnknown);
  CHECK_FALSE(v.diagnosis.waited_for.valid());
}

TEST_CASE("communication: what released it moves data between GPUs") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 20 * kUs, 25 * kUs, 2)
      .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 50 * kUs, 395 * kUs, 0,
              "20");
  CHECK(judge(make.build()).cause == GapCause::kCommunication);
}

TEST_CASE("communication: the CPU waited in a synchronisation while a collective ran") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 0, 1 * kUs, 4)
      .kernel("ncclDevKernel_AllToAll", 90 * kUs, 380 * kUs, 4, "20")
      .launch("cudaStreamSynchronize", 105 * kUs, 382 * kUs, 9)
      .launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
  CHECK(judge(make.build()).cause == GapCause::kCommunication);
}

TEST_CASE("dependency: a kernel that runs all the while leaves no room; a collective does") {
  for (const char* name : {"big_kernel", "ncclDevKernel_AllReduce"}) {
    Gap100To400 make;
    make.launch("cudaLaunchKernel", 20 * kUs, 25 * kUs, 2).kernel(name, 50 * kUs, 900 * kUs, 0, "20");
    CHECK(judge(make.build()).cause ==
          (std::string_view(name) == "big_kernel" ? GapCause::kDependency : GapCause::kUnknown));
  }
}

TEST_CASE("a stream of another device does not count") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 20 * kUs, 25 * kUs, 2).kernel("producer", 50 * kUs, 395 * kUs, 0, "20", "1");
  CHECK(judge(make.build()).cause == GapCause::kUnknown);
}

TEST_CASE("profiler overhead") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2)
      .thread("Activity Buffer Request", 110 * kUs, 300 * kUs, "overhead", "0");
  const Verdict v = judge(make.build());
  CHECK(v.cause == GapCause::kProfilerOverhead);
  CHECK(v.why.find("at work for 190 us") != std::string::npos);
}

TEST_CASE("first use: an operator in which code is loaded, however CUDA says so") {
  enum class Loads { kNever, kByCall, kSomewhere };
  const auto cause_where = [](Loads loads, bool has_other_thread) {
    Gap100To400 make;
    make.thread("aten::linear", 110 * kUs, 398 * kUs)
        .thread("aten::addmm", 120 * kUs, 397 * kUs)
        .launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
    if (loads == Loads::kByCall) make.thread("cuModuleLoadData", 200 * kUs, 210 * kUs, "cuda_runtime");
    if (loads == Loads::kSomewhere) make.thread("Lazy Function Loading", 200 * kUs, 210 * kUs, "overhead", "0");
    if (has_other_thread)
      make.thread("aten::other", 150 * kUs, 300 * kUs, "cpu_op", "2")
          .launch("cudaLaunchKernel", 260 * kUs, 265 * kUs, 3, "2")
          .kernel("elsewhere", 500 * kUs, 501 * kUs, 3, "9");
    return judge(make.build()).cause;
  };
  CHECK(cause_where(Loads::kNever, false) == GapCause::kLaunchBound);
  CHECK(cause_where(Loads::kByCall, false) == GapCause::kFirstUse);
  CHECK(cause_where(Loads::kSomewhere, false) == GapCause::kFirstUse);
  // Two threads might have done it: nobody is blamed.
  CHECK(cause_where(Loads::kByCall, true) == GapCause::kFirstUse);
  CHECK(cause_where(Loads::kSomewhere, true) == GapCause::kLaunchBound);
}

TEST_CASE("full queue: CUDA says that its command buffer was full for half of the delay") {
  for (const Nanos end : {250 * kUs, 240 * kUs}) {
    Gap100To400 make;
    make.launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2)
        .thread("Command Buffer Full", 100 * kUs, end, "overhead", "0");
    CHECK(judge(make.build()).cause == (end == 250 * kUs ? GapCause::kFullQueue : GapCause::kLaunchBound));
  }
}

TEST_CASE("blocking copy: the call of the copy before the gap held the CPU up") {
  for (const Nanos called : {150 * kUs, 850 * kUs}) {
    CAPTURE(called);
    TraceMaker make;
    make.launch("cudaMemcpyAsync", called, 990 * kUs, 1)
        .kernel("Memcpy HtoD (Pageable -> Device)", 970 * kUs, 985 * kUs, 1, "7", "0", "gpu_memcpy")
        .launch("cudaLaunchKernel", 1280 * kUs, 1285 * kUs, 2)
        .kernel("second", 1290 * kUs, 1400 * kUs, 2);
    const Verdict v = judge(make.build());
    CHECK(v.cause == (called == 150 * kUs ? GapCause::kBlockingCopy : GapCause::kLaunchBound));
    if (called == 150 * kUs) CHECK_MESSAGE(v.why.find("because cudaMemcpyAsync held the CPU up") != v.why.npos, v.why);
  }
}

TEST_CASE("outside any step, and what a step issued in time belongs to it") {
  Gap100To400 outside;
  outside.thread("ProfilerStep#1", 350 * kUs, 600 * kUs, "user_annotation")
      .launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
  CHECK(judge(outside.build()).cause == GapCause::kOutsideSteps);
  Gap100To400 inside;
  inside.thread("ProfilerStep#1", 0, 50 * kUs, "user_annotation").launch("cudaLaunchKernel", 20 * kUs, 25 * kUs, 2);
  CHECK(judge(inside.build()).cause == GapCause::kUnknown);
}

TEST_CASE("outside any step: of whatever marks the steps of the file") {
  const auto cause = [](std::initializer_list<const char*> names, const char* steps_from) {
    Gap100To400 make;
    make.launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2);
    Nanos begin = 350 * kUs;
    for (const char* name : names) {
      make.thread(name, begin, begin + 100 * kUs, "user_annotation");
      begin += 200 * kUs;
    }
    Trace trace = make.build();
    trace.set_steps_from(steps_from);
    return judge(std::move(trace)).cause;
  };
  CHECK(cause({"step[DECODE bs=4]"}, "") == GapCause::kOutsideSteps);
  CHECK(cause({"train 1", "train 2", "train 3"}, "") == GapCause::kOutsideSteps);
  CHECK(cause({"train 1", "train 2"}, "") != GapCause::kOutsideSteps);  // two are no steps
  CHECK(cause({"part 1"}, "part *") == GapCause::kOutsideSteps);
  CHECK(cause({"part 1"}, "") != GapCause::kOutsideSteps);
  CHECK(cause({"ProfilerStep#1"}, "part *") != GapCause::kOutsideSteps);  // it was told that these are no steps
}

TEST_CASE("graphs: inside one, and a graph that another stream began") {
  TraceMaker inside;
  inside.launch("cudaGraphLaunch", 0, 300 * kUs, 1)
      .kernel("first", 10 * kUs, 100 * kUs, 1)
      .kernel("second", 400 * kUs, 500 * kUs, 1);
  const Verdict v = judge(inside.build());
  CHECK(v.cause == GapCause::kInsideGraph);
  CHECK(v.facts.inside_graph);
  CHECK(v.diagnosis.before_issue == 0);  // although the call itself was still open
  TraceMaker other;
  other.kernel("first", 10 * kUs, 100 * kUs)
      .launch("cudaGraphLaunch", 110 * kUs, 120 * kUs, 1)
      .kernel("root", 130 * kUs, 390 * kUs, 1, "20")
      .kernel("second", 395 * kUs, 500 * kUs, 1);
  const Verdict w = judge(other.build());
  CHECK(w.cause == GapCause::kDependency);
  CHECK(w.diagnosis.before_issue == 20 * kUs);
}

TEST_CASE("a replay of a graph of which the file lacks a node is no idle time of the graph's") {
  // Nodes a to h of 10 us each, 100 us apart; `lacks` of the last replay is not in the file.
  const auto verdicts = [](std::string_view lacks, int full) {
    TraceMaker make;
    for (int r = 0; r <= full; ++r) {
      const Nanos begin = r * 2000 * kUs;
      make.launch("cudaGraphLaunch", begin, begin + 5 * kUs, static_cast<std::uint64_t>(r + 1));
      Nanos start = begin + 20 * kUs;
      for (const std::string_view node : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
        if (r < full || node != lacks) make.kernel(node, start, start + 10 * kUs, static_cast<std::uint64_t>(r + 1));
        start += 110 * kUs;
      }
    }
    const Trace trace = make.build();
    const CauseIndex index(trace);
    std::vector<std::pair<Gap, GapDiagnosis>> found;
    for (const StreamActivity& stream : analyze_streams(trace))
      for (const Gap& gap : stream.gaps)
        if (gap.launch.valid() && trace.span(gap.launch).begin == full * 2000 * kUs && gap.start > full * 2000 * kUs)
          found.emplace_back(gap, index.diagnose(gap));
    return found;
  };
  const auto lacking = verdicts("c", 3);
  REQUIRE(lacking.size() == 6);  // a to b, b to d, d to e and so on
  for (const auto& [gap, diagnosis] : lacking) {
    CHECK(diagnosis.cause == GapCause::kNotRecorded);
    CHECK(diagnosis.missing_nodes == 1);
    CHECK(diagnosis.graph_nodes == 8);
  }
  for (const auto& [gap, diagnosis] : verdicts("none", 3)) CHECK(diagnosis.cause == GapCause::kInsideGraph);
  // Two others are no proof of what the graph has.
  for (const auto& [gap, diagnosis] : verdicts("c", 2)) CHECK(diagnosis.cause == GapCause::kInsideGraph);
}

TEST_CASE("the launch is not in the file") {
  const Trace trace = Gap100To400(0).build();
  const Verdict v = judge(trace);
  CHECK(v.cause == GapCause::kNotRecorded);
  CHECK_FALSE(v.diagnosis.thread.valid());
  CHECK(v.why.find("second was launched before the recording began") == 0);
}

TEST_CASE("a device is idle when all of its streams are") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2).kernel("other", 90 * kUs, 250 * kUs, 0, "20");
  const Trace trace = make.build();
  const CauseIndex index(trace);
  const auto devices = diagnose_devices(index);
  REQUIRE(devices.size() == 1);
  REQUIRE(devices[0].gaps.size() == 1);
  CHECK(devices[0].gaps[0].start == 250 * kUs);
  CHECK(devices[0].diagnoses[0].cause == GapCause::kLaunchBound);
  CHECK(devices[0].idle() == 150 * kUs);
}

TEST_CASE("clocks that disagree do no harm") {
  Gap100To400 make;
  make.launch("cudaLaunchKernel", 450 * kUs, 460 * kUs, 2);  // after its own kernel
  const Verdict v = judge(make.build());
  CHECK(v.diagnosis.before_issue == 300 * kUs);
  CHECK(v.cause == GapCause::kLaunchBound);
}

TEST_CASE("short names of kernels") {
  CHECK(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::f<(int)1>>(int, x)") ==
        "at::native::vectorized_elementwise_kernel");
  CHECK(short_kernel_name("void (anonymous namespace)::softmax<float>(float*)") == "softmax");
  CHECK(short_kernel_name("Memcpy DtoH (Device -> Pageable)") == "Memcpy DtoH (Device -> Pageable)");
  CHECK(short_kernel_name("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "ncclDevKernel_AllGather_RING_LL");
  CHECK(short_kernel_name(std::string(100, 'x'), 10) == "xxxxxxxxxx…");
  CHECK(short_kernel_name("") == "");
}

TEST_CASE("many gaps have the same verdicts from several threads as one by one") {
  TraceMaker make;
  constexpr Nanos kGaps = 25'000;
  for (Nanos i = 0; i <= kGaps; ++i) {
    const auto id = static_cast<std::uint64_t>(i + 1);
    const Nanos begin = i * 40 * kUs, late = i % 3 == 0 ? 30 * kUs : 0;
    make.launch("cudaLaunchKernel", begin + late, begin + late + 2 * kUs, id);
    make.kernel("gemm", begin + late + 3 * kUs, begin + late + 8 * kUs, id);
  }
  const Trace trace = make.build();
  const CauseIndex index(trace);
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  REQUIRE(streams.size() == 1);
  const auto& gaps = streams.front().gaps;
  REQUIRE(gaps.size() == kGaps);
  const SharedVector<GapDiagnosis> all = index.diagnose(gaps, 2);
  REQUIRE(all.size() == gaps.size());
  for (std::size_t g = 0; g < gaps.size(); g += 7) {
    const GapDiagnosis one = index.diagnose(gaps[g]);
    REQUIRE(all[g].cause == one.cause);
    REQUIRE(all[g].thread == one.thread);
    REQUIRE(all[g].before_issue == one.before_issue);
  }
}
