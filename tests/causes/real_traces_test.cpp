// The rules on real traces: which gap has which cause was read off the raw events by hand.

#include "model/causes/cause_ranking.h"
#include "model/causes/gap_evidence.h"
#include "model/causes/gap_rules.h"
#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

std::string in_us(Nanos ns) {
  return std::to_string(ns / kUs) + " us";
}

struct Expected {
  const char* file;
  const char* gap;  // its label
  Nanos duration;
  GapCause cause;
  const char* says;  // a part of the sentence
};

constexpr const char* kTraceDiff = "hta_v100_ddp_rank1_trace_diff_test.json.gz";
constexpr const char* kB200 = "tracelens_b200_eager.json.gz";
constexpr const char* kQwen = "tracelens_h100_qwen1.5_0.5b.json.gz";
constexpr const char* kDlrm0 = "param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz";
constexpr const char* kDlrm1 = "param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz";

const Expected kExpected[] = {
    // aten::addmm looks for an algorithm and loads code: 204.0 … 2657.7 us after the gap's start.
    {kB200, "0:7#30", 2'638'105, GapCause::kFirstUse, "2460 us in aten::linear (most in aten::addmm)"},
    {kB200, "0:7#30", 2'638'105, GapCause::kFirstUse, "CUDA loaded code for 46 us"},
    {kB200, "0:7#39", 354'175, GapCause::kLaunchBound, "351 us in vllm::moe_forward"},
    {kB200, "0:7#567", 210'239, GapCause::kLaunchBound, "207 us in vllm::moe_forward"},
    // The call spans -2.2 … 24.0 us of a gap of 25.1: no queue, although HTA calls it kernel_wait.
    {kB200, "0:7#135", 25'088, GapCause::kLaunchBound, "in vllm::all_reduce"},
    // cudaDeviceSynchronize from 14.1 ms before the gap to 7.8 us into it.
    {kQwen, "0:7#508", 290'943, GapCause::kSynchronisation, "in cudaDeviceSynchronize"},
    {kQwen, "0:7#509", 81'791, GapCause::kLaunchBound, "in aten::arange"},
    {kQwen, "0:7#680", 2'655, GapCause::kKernelSpacing, "was queued already"},
    {kQwen, "0:7#2", 1'888, GapCause::kOutsideSteps, "outside any"},
    {kQwen, "0:7#600", 0, GapCause::kKernelSpacing, "spacing"},
    {kDlrm0, "0:7#55", 2'489'000, GapCause::kLaunchBound, "1040 us in aten::to"},
    // Issued 293 us into the gap; the collective on stream 84 ends 1 us before the gap does.
    {kDlrm0, "0:7#19", 1'775'000, GapCause::kCommunication,
     "for ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t on stream 84"},
    {kDlrm0, "0:24#20", 1'117'000, GapCause::kCommunication, "issued 245 us into the gap"},
    // The main thread prepares the optimizer without an operator to show for it.
    {kDlrm0, "0:7#160", 1'001'000, GapCause::kLaunchBound, "then 482 us in the queue for ncclKernel_AllReduce"},
    {kDlrm0, "0:84#0", 1'745'000, GapCause::kSynchronisation, "cudaStreamSynchronize of aten::index"},
    // In a synchronisation while the collective runs.
    {kDlrm1, "1:24#9", 0, GapCause::kCommunication, "the CPU waited for communication"},
    {kTraceDiff, "1:14#278", 86'946'000, GapCause::kDependency, "waited 51759 us for split_embedding_backward"},
    {kTraceDiff, "1:14#258", 41'750'000, GapCause::kCommunication, "on stream 15"},
    // permute_indices_weights_kernel on stream 14 runs 4 … 500 us of it.
    {kTraceDiff, "1:7#11736", 495'000, GapCause::kDependency, "no room on the GPU"},
    {kTraceDiff, "1:7#7429", 42'000, GapCause::kUnknown, "nothing recorded that it could have waited for"},
    {kTraceDiff, "1:7#265", 29'000, GapCause::kKernelSpacing, "is not in the file"},
    {kTraceDiff, "1:7#205", 33'000, GapCause::kNotRecorded, "its launch was left out"},
    {"kineto_v100_resnet50_legacy.pt.trace.json.gz", "0:7#5937", 62'339'000, GapCause::kDataLoading,
     "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"},
    {"tracelens_h100_owlv2_large.json.gz", "0:7#4131", 126'054'327, GapCause::kDataLoading, "zoom"},
    // Leaving and entering record_function: frames of torch/autograd/profiler.py for 107.7 of 201
    // us.
    {"tracelens_mi300x_normalization.json.gz", "2:0#56", 214'080, GapCause::kProfilerOverhead, "at work for 107 us"},
    {"tracelens_mi300x_normalization.json.gz", "2:0#13", 331'737'885, GapCause::kFirstUse, "in hipLaunchKernel"},
    // cudaStreamWaitEvent on stream 7 for stream 20 (cuda_sync, correlation 5610), whose last activity
    // issued before it, correlation 5606, ends 2 us before the gap does.
    {"quirks/hta__end_to_end_simple_add_output_overlaid_critical_path_trace.json.gz", "0:7#59", 511'000,
     GapCause::kDependency, "had to wait for an event after fft2d_c2r_32x32 on stream 20"},
    {"tracelens_mi300x_sglang_decode_hipgraph.json.gz", "9:3#39", 273'690, GapCause::kInsideGraph,
     "inside one hipGraphLaunch"},
    {"tracelens_mi300x_sglang_decode_hipgraph.json.gz", "9:2#0", 465'581'139, GapCause::kBlockingCopy,
     "because hipMemcpyWithStream of aten::copy_ held the CPU up"},
    // 1,204 calls are in the file, their correlations count 259,691.
    {"quirks/hta__sampled_rank-0.json.gz", "0:7#935", 58'865'000, GapCause::kNotRecorded,
     "the file lacks what was issued"},
};

}  // namespace

TEST_CASE("every rule fires where the raw events say so") {
  std::string loaded;
  std::optional<Trace> trace;
  std::vector<bool> fired(gap_rules().size(), false);
  bool all_there = true;
  for (const Expected& expected : kExpected) {
    if (loaded != expected.file) {
      trace = shared_trace(expected.file);
      loaded = expected.file;
    }
    all_there = all_there && trace.has_value();
    if (!trace) continue;
    CAPTURE(std::string(expected.file));
    CAPTURE(std::string(expected.gap));
    const CauseIndex index(*trace);
    bool seen = false;
    for (const CausedGaps& set : diagnose_streams(index)) {
      for (std::uint32_t g = 0; g < set.gaps.size(); ++g) {
        fired[set.diagnoses[g].rule] = true;
        if (gap_label(*trace, set, g) != expected.gap) continue;
        seen = true;
        if (expected.duration != 0) CHECK(set.gaps[g].duration() == expected.duration);
        CHECK(cause_name(set.diagnoses[g].cause) == cause_name(expected.cause));
        const std::string why = explain_gap(*trace, set.gaps[g], set.diagnoses[g],
                                            gather_evidence(*trace, set.gaps[g], set.diagnoses[g]), in_us);
        CHECK_MESSAGE(why.find(expected.says) != std::string::npos, why);
      }
    }
    CHECK(seen);
  }
  if (!all_there) return;
  // No public trace has a stream that waits for an event of a collective, host callbacks, thread states or a full
  // queue, or that the profiler held back, and no graph whose first node was recorded late, nor clocks that are wrong
  // by half a gap; that an activity is the first on its stream, or that there are no launches, is about whole devices.
  const auto of_collective = [](const GapRule& rule) {
    if (rule.cause == GapCause::kLateRank) return true;  // of several ranks: tests/job/late_waits_test.cpp
    if (rule.cause == GapCause::kCommunication) return rule.sentence.find("{event}") != std::string_view::npos;
    return rule.cause == GapCause::kFullQueue || rule.cause == GapCause::kNotScheduled ||
           rule.cause == GapCause::kHostCallback ||
           rule.sentence.find("of the time since its launch") != rule.sentence.npos ||
           rule.sentence.find("first recorded node") != rule.sentence.npos ||
           rule.sentence.find("clocks of CPU and GPU") != rule.sentence.npos ||
           rule.sentence.find("a copy call blocked") != rule.sentence.npos ||
           (rule.cause == GapCause::kNotRecorded && rule.sentence.find("what was issued before") == rule.sentence.npos);
  };
  for (std::size_t r = 0; r < fired.size(); ++r)
    CHECK_MESSAGE((fired[r] || of_collective(gap_rules()[r])), "rule " << r << ": " << gap_rules()[r].sentence);
}

TEST_CASE("real traces: causes and operators add up to the idle time") {
  for (const char* file : {kTraceDiff, kB200, kQwen, kDlrm0, kDlrm1}) {
    const std::optional<Trace> trace = shared_trace(file);
    if (!trace) continue;
    CAPTURE(file);
    const CauseIndex index(*trace);
    for (const auto& sets : {diagnose_streams(index), diagnose_devices(index)}) {
      Nanos idle = 0;
      for (const CausedGaps& set : sets) idle += set.idle();
      Nanos by_cause = 0;
      for (const CauseTotal& total : rank_causes(sets)) by_cause += total.lost;
      CHECK(by_cause == idle);
      const OperatorCosts costs = charge_operators(*trace, sets);
      Nanos charged = costs.not_charged;
      for (const OperatorCost& row : costs.rows) charged += row.lost;
      CHECK(charged == idle);
    }
  }
}
