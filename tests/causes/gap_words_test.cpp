// The words of gaps, of evidence that is written down here: explain_gap().

#include <string>
#include <string_view>

#include "model/causes/gap_evidence.h"
#include "model/causes/gap_rules.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

/// Gaps of a small trace, and what is known of them; times in us.
struct MadeGap {
  Trace trace = TraceMaker()
                    .thread("aten::outer", 0, 100'000)
                    .thread("aten::inner", 0, 90'000)
                    .thread("train.py(7): step", 0, 80'000, "python_function")
                    .thread("ProfilerStep#1", 0, 70'000, "user_annotation")
                    .launch("cudaLaunchKernel", 40'000, 60'000, 1)
                    .launch("cudaStreamSynchronize", 61'000, 62'000, 2)
                    .kernel("gemm", 100'000, 110'000, 1)
                    .kernel("void relu<float>(float*)", 0, 10'000, 3, "20")
                    .build();
  Gap gap{10'000, 110'000, {}, slice("gemm"), slice("cudaLaunchKernel")};
  GapDiagnosis diagnosis;
  GapEvidence evidence;

  MadeGap() {
    evidence.window = {0, 100'000};
    evidence.thread = trace.track_of(slice("aten::outer")).id;
    diagnosis.before_issue = 30'000;
  }
  SliceId slice(std::string_view name) const { return slice_named(trace, name); }
  MadeGap& did(CpuLevel level, std::string_view name, Nanos us) {
    CpuShare& share = evidence.most[static_cast<std::size_t>(level)];
    share.name = trace.strings().find(name);
    REQUIRE(share.name.valid());
    share.time = us * 1000;
    return *this;
  }
  MadeGap& unrecorded(Nanos us) {
    evidence.unrecorded = us * 1000;
    return *this;
  }
  /// By the first rule whose sentence has `part`.
  std::string says(std::string_view part) {
    while (gap_rules()[diagnosis.rule].sentence.find(part) == std::string_view::npos) ++diagnosis.rule;
    diagnosis.cause = gap_rules()[diagnosis.rule].cause;
    return explain_gap(trace, gap, diagnosis, evidence, [](Nanos t) { return std::to_string(t / 1000) + " us"; });
  }
  /// What stands for {doing}.
  std::string doing() {
    const std::string text = says("{launch} came {late} late: {doing}");
    const std::string_view before = "cudaLaunchKernel came 30 us late: ";
    CHECK(text.starts_with(before));
    return text.substr(before.size());
  }
};

using enum CpuLevel;

}  // namespace

TEST_CASE("gap words: what the CPU did most") {
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 60).doing() == "60 us in aten::outer");
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 60).did(kOperator, "aten::inner", 30).doing() ==
        "60 us in aten::outer (most in aten::inner)");
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 60).did(kOperator, "aten::inner", 29).doing() ==
        "60 us in aten::outer");
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 60).did(kOperator, "aten::outer", 60).doing() ==
        "60 us in aten::outer");
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 60).did(kRuntime, "cudaLaunchKernel", 30).doing() ==
        "60 us in aten::outer, 30 us in cudaLaunchKernel");
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 60).did(kRuntime, "cudaLaunchKernel", 29).doing() ==
        "60 us in aten::outer");
  // Calls of twice the time and more are told alone.
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 30).did(kRuntime, "cudaLaunchKernel", 60).doing() ==
        "30 us in aten::outer, 60 us in cudaLaunchKernel");
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 29).did(kRuntime, "cudaLaunchKernel", 60).doing() ==
        "60 us in cudaLaunchKernel");
  CHECK(MadeGap().did(kRuntime, "cudaLaunchKernel", 60).doing() == "60 us in cudaLaunchKernel");
  CHECK(MadeGap().doing().empty());
}

TEST_CASE("gap words: frames, where operators do not fill half of the time") {
  const auto both = [](Nanos called, Nanos python) {
    return MadeGap().did(kCalledOperator, "aten::outer", called).did(kPython, "train.py(7): step", python).doing();
  };
  CHECK(both(0, 60) == "60 us in Python train.py(7): step");
  CHECK(both(49, 60) == "60 us in Python train.py(7): step and below, 49 us in aten::outer");
  CHECK(both(50, 60) == "50 us in aten::outer");
  CHECK(both(40, 40) == "40 us in aten::outer");
  CHECK(both(10, 60) == "60 us in Python train.py(7): step and below, 10 us in aten::outer");
  CHECK(both(9, 60) == "60 us in Python train.py(7): step");
  CHECK(MadeGap().did(kPython, "train.py(7): step", 60).did(kRuntime, "cudaLaunchKernel", 60).doing() ==
        "60 us in Python train.py(7): step");
  CHECK(MadeGap().did(kPython, "train.py(7): step", 60).did(kRuntime, "cudaLaunchKernel", 61).doing() ==
        "61 us in cudaLaunchKernel");
}

TEST_CASE("gap words: silence and annotations, of more than half of the time and of half of it") {
  CHECK(MadeGap().unrecorded(50).doing().empty());
  CHECK(MadeGap().unrecorded(51).doing() == "nothing recorded on thread 1 for 51 us");
  CHECK(MadeGap().unrecorded(60).did(kCalledOperator, "aten::outer", 40).doing() ==
        "nothing recorded on thread 1 for 60 us, 40 us in aten::outer");
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 60).did(kAnnotation, "ProfilerStep#1", 50).doing() ==
        "60 us in aten::outer, in ProfilerStep#1");
  CHECK(MadeGap().did(kCalledOperator, "aten::outer", 60).did(kAnnotation, "ProfilerStep#1", 49).doing() ==
        "60 us in aten::outer");
}

TEST_CASE("gap words: when it was issued") {
  MadeGap made;
  CHECK(made.says("{after} was issued {issued}, and nothing recorded") ==
        "gemm was issued 30 us into the gap, and nothing recorded that it could have waited for");
  made.diagnosis.before_issue = 0;
  made.gap.start = 45'000;
  CHECK(made.says("{after} was issued {issued}, and nothing recorded").find("issued 5 us before the gap,") !=
        std::string::npos);
  made.gap.launch = {};
  CHECK(made.says("{after} was issued {issued}, and nothing recorded").find("issued at an unknown time,") !=
        std::string::npos);
}

TEST_CASE("gap words: what it waited for, and for how long in its queue") {
  MadeGap made;
  made.did(kCalledOperator, "aten::outer", 60);
  made.diagnosis.in_queue = kLaunchLatencyNs;
  CHECK(made.doing() == "60 us in aten::outer");
  made.diagnosis.in_queue = kLaunchLatencyNs + 1000;
  const std::string in_queue = std::to_string(kLaunchLatencyNs / 1000 + 1);
  CHECK(made.doing() == "60 us in aten::outer; then " + in_queue + " us in the queue");
  made.diagnosis.waited_for = made.slice("void relu<float>(float*)");
  CHECK(made.doing() == "60 us in aten::outer; then " + in_queue + " us in the queue for relu on stream 20");
  made.diagnosis.code_loading = 7'000;
  CHECK(made.doing() ==
        "60 us in aten::outer; CUDA loaded code for 7 us; then " + in_queue + " us in the queue for relu on stream 20");
  MadeGap queued;
  queued.diagnosis.in_queue = 70'000;
  CHECK(queued.says("waited {in_queue} for {waited}").find("waited 70 us for something") != std::string::npos);
}

TEST_CASE("gap words: synchronisations by their call and the operator around it") {
  MadeGap made;
  made.diagnosis.sync_time = 20'000;
  const auto words = [&] { return made.says("because the CPU had waited for the GPU in "); };
  CHECK(words() == "cudaLaunchKernel came 30 us late, 20 us of it because the CPU had waited for the GPU in a call");
  made.diagnosis.sync_call = made.slice("cudaStreamSynchronize");
  CHECK(words().ends_with("waited for the GPU in cudaStreamSynchronize"));
  made.evidence.sync_operator = made.slice("aten::outer");
  CHECK(words().ends_with("waited for the GPU in cudaStreamSynchronize of aten::outer"));
  made.gap.launch = {};
  CHECK(words().starts_with("the launch came 30 us late"));
}

TEST_CASE("gap words: nodes that lack, ranks that were waited for, the profiler") {
  MadeGap made;
  made.diagnosis.missing_nodes = 2;
  made.diagnosis.graph_nodes = 9;
  CHECK(made.says("of which the file lacks {missing}").find("lacks 2 of 9 nodes") != std::string::npos);
  MadeGap late;
  late.diagnosis.rank_wait = 5'000;
  late.diagnosis.late_rank = 3;
  CHECK(late.says("which waited {rank_wait} for {rank}").find("which waited 5 us for rank 3") != std::string::npos);
  MadeGap profiler;
  profiler.diagnosis.profiler_time = 8'000;
  profiler.did(kCalledOperator, "aten::outer", 60);
  CHECK(profiler.says("the profiler was at work for {profiler}: {doing}") ==
        "the profiler was at work for 8 us: 60 us in aten::outer");
  MadeGap spacing;
  CHECK(spacing.says("{gap} is within the usual spacing of queued work").starts_with("100 us is within"));
}

TEST_CASE("gap words: long names are cut, not inside of a character") {
  CHECK(short_kernel_name("ab\u00e4cd", 3) == "ab…");
  CHECK(short_kernel_name("ab\u00e4cd", 4) == "ab\u00e4…");
  CHECK(short_kernel_name("abcd", 4) == "abcd");
  CHECK(short_kernel_name("static f(int)") == "f");
  CHECK(short_kernel_name("std::vector<int> a::b<c<d>>::e(int)") == "a::b::e");
  CHECK(short_kernel_name("bool operator()(int)") == "bool operator");
  CHECK(short_kernel_name("(int)") == "(int)");
  CHECK(short_kernel_name("a>b") == "a>b");
}

TEST_CASE("gap words: work waits for an event, a node of a graph for another node of it") {
  MadeGap made;
  made.diagnosis.waited_for = made.slice("void relu<float>(float*)");
  (void)made.says("had to wait for");  // the first such rule names a rank
  ++made.diagnosis.rule;
  CHECK(made.says("had to wait for") ==
        "gemm was issued 30 us into the gap and had to wait for an event after relu on stream 20");
  const Trace graph = TraceMaker()
                          .launch("cudaGraphLaunch", 0, 20, 1)
                          .kernel("gemm", 100, 110, 1)
                          .kernel("relu", 30, 95, 1, "20")
                          .kernel("gemm", 10, 20, 1)
                          .build();
  Gap gap{20, 100, {}, slice_named(graph, "gemm"), slice_named(graph, "cudaGraphLaunch")};
  GapDiagnosis diagnosis;
  diagnosis.waited_for = slice_named(graph, "relu");
  while (gap_rules()[diagnosis.rule].sentence.find("had to wait for") == std::string_view::npos) ++diagnosis.rule;
  ++diagnosis.rule;  // the first names a rank
  const std::string text = explain_gap(graph, gap, diagnosis, {}, [](Nanos t) { return std::to_string(t) + " ns"; });
  CHECK(text.ends_with("had to wait for relu on stream 20"));
}
