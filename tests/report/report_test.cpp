#include "model/report/report.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/help/column_help.h"
#include "model/import/importer.h"
#include "model/report/advice.h"
#include "model/report/brief.h"
#include "model/report/report_words.h"
#include "render/format.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

TEST_CASE("report: idle time is causes and edges, to the nanosecond") {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const Trace trace = random_trace(seed);
    const Report report = compute_report(trace, SourceId{0});
    REQUIRE(report.devices.size() == 1);
    const DeviceReport& device = report.devices[0];
    Nanos idle = 0;
    for (const Nanos part : device.by_cause) idle += part;
    CHECK(idle == device.idle);
    CHECK(device.busy + device.idle == report.use.wall);
    CHECK(device.busy == report.use.gpu_busy);  // one GPU
    Nanos sum = 0;
    for (const ReportKernel& kernel : report.kernels) sum += kernel.total;
    CHECK(sum == report.kernel.total);
  }
}

TEST_CASE("report: kernels, operators, launches and what is missing, of a few slices") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 10'000, "user_annotation");
  make.thread("aten::linear", 1000, 4000).thread("aten::addmm", 1100, 3900);
  make.launch("cudaLaunchKernel", 1200, 1300, 1);
  make.launch("cudaLaunchKernel", 2200, 2300, 2);
  make.launch("cudaLaunchKernel", 9000, 9100, 3);  // its kernel is not in the file
  make.kernel("volta_sgemm_128x64_nn", 1500, 2500, 1);
  make.kernel("volta_sgemm_128x64_nn", 9500, 12'000, 2);
  make.kernel("late", 500, 600);  // its launch is not
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  CHECK(report.use.gpu_busy == 1000 + 2500 + 100);
  REQUIRE(report.kernels.size() == 2);
  CHECK(report.kernels[0].count == 2);
  CHECK(report.kernels[0].total == 3500);  // what the step launched, to its end
  CHECK(report.kernels[0].matrix == MatrixUse::kPlain);
  REQUIRE(report.classes.size() == 2);
  CHECK(report.classes[0].kernel_class == KernelClass::kGemm);
  CHECK(report.classes[0].count == 2);
  CHECK(report.classes[0].total == 3500);
  CHECK(report.classes[1].kernel_class == KernelClass::kOther);
  CHECK(report.classes[1].total == 100);
  CHECK(trace.span(report.kernels[0].longest).begin == 9500);
  REQUIRE(report.operators.size() == 2);
  CHECK(trace.text(report.operators[0].name) == "aten::addmm");
  CHECK(report.operators[0].gpu_time == 3500);
  CHECK(report.operators[0].self_cpu == 2800 - 200);
  CHECK(report.operators[1].gpu_time == 0);
  CHECK(report.launch.launches == 2);
  CHECK(report.launch.short_ones == 0);
  CHECK(report.by_step[0].gpu_lag() == 2000);
  CHECK(report.missing.launches_without_work == 1);
  CHECK(report.missing.launches_at_end == 0);
  CHECK(report.missing.unlinked == 1);
  CHECK(report.missing.unlinked_at_start == 1);
  CHECK(report.missing.unlinked_at_start_busy == 100);
}

TEST_CASE("report: calls that allocate add up, the longest is shown; work without a launch counts between other work") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 10'000, "user_annotation");
  make.launch("cudaMalloc", 100, 300, 0).launch("cudaMalloc", 400, 1'000, 0).launch("cudaMalloc", 1'100, 1'200, 0);
  make.launch("cudaLaunchKernel", 2'000, 2'100, 1).launch("cudaLaunchKernel", 3'000, 3'100, 2);
  make.kernel("linked", 2'200, 2'300, 1).kernel("alone", 2'400, 2'500);
  make.kernel("linked", 3'200, 3'300, 2).kernel("alone", 3'400, 3'500);
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  CHECK(report.allocation_count == 3);
  CHECK(report.allocation_calls == 200 + 600 + 100);
  CHECK(trace.span(report.longest_allocation) == TimeSpan{400, 1'000});
  CHECK(report.missing.unlinked == 2);
  CHECK(trace.span(report.missing.first_unlinked).begin == 2'400);
}

TEST_CASE("bound: what limits the speed") {
  const auto bound = [](TraceMaker& make) {
    const Trace trace = make.build();
    return compute_report(trace, SourceId{0}).bound;
  };
  const auto step = [](TraceMaker& make) -> TraceMaker& {
    return make.thread("ProfilerStep#1", 0, 1'000'000, "user_annotation");
  };
  TraceMaker compute, communication, launch, empty, copies;
  step(compute).kernel("gemm", 0, 900'000);
  CHECK(bound(compute) == Bound::kCompute);
  step(communication).kernel("ncclDevKernel_AllReduce", 100'000, 1'000'000).kernel("gemm", 0, 100'000);
  CHECK(bound(communication) == Bound::kCommunication);
  step(copies).copy("Memcpy HtoD (Pageable -> Device)", 0, 900'000);
  CHECK(bound(copies) == Bound::kCopies);
  step(empty).thread("aten::mm", 100, 200);
  CHECK(bound(empty) == Bound::kCpuPython);
  step(launch);
  for (Nanos k = 0; k < 10; ++k) {
    const auto id = static_cast<std::uint64_t>(k + 1);
    launch.launch("cudaLaunchKernel", k * 100'000 + 1, k * 100'000 + 5'000, id);
    launch.kernel("add", k * 100'000 + 8'000, k * 100'000 + 10'000, id);
  }
  CHECK(bound(launch) == Bound::kLaunch);
}

TEST_CASE("uneven steps: not where only the CPU's steps are, which runs ahead and is held up in turns") {
  // Steps of 100, 100 and 200 us on the CPU; their GPU work ends every 130 us.
  const auto trace_of = [](bool even) {
    TraceMaker make;
    const Nanos begins[] = {0, 100'000, 200'000, 400'000};
    const Nanos ends[] = {130'000, even ? 260'000 : 210'000, 400'000};
    for (std::size_t s = 0; s < 3; ++s) {
      const auto id = static_cast<std::uint64_t>(s + 1);
      make.thread("ProfilerStep#" + std::to_string(s + 1), begins[s], begins[s + 1], "user_annotation");
      make.launch("cudaLaunchKernel", begins[s] + 1'000, begins[s] + 2'000, id);
      make.kernel("gemm", ends[s] - 10'000, ends[s], id);
    }
    return make.build();
  };
  const auto advises = [](const Report& report) {
    return std::ranges::any_of(
        report.advice, [](const AdviceGiven& given) { return advice_rules()[given.rule].key == "unevenSteps"; });
  };
  const Trace even = trace_of(true);
  const Report report = compute_report(even, SourceId{0});
  const auto lengths = [](const Report& of) {
    std::vector<Nanos> list;
    for (const StepReport& step : of.by_step) list.push_back(step.step.length());
    return list;
  };
  CHECK(lengths(report) == std::vector<Nanos>{130'000, 130'000, 140'000});
  CHECK_FALSE(advises(report));
  const Trace uneven = trace_of(false);
  CHECK(lengths(compute_report(uneven, SourceId{0})) == std::vector<Nanos>{130'000, 80'000, 190'000});
  CHECK(advises(compute_report(uneven, SourceId{0})));
}

TEST_CASE("work from before the recording is told by its correlation, however late it ran") {
  TraceMaker make;
  make.thread("aten::mm", 0, 5'000).launch("cudaLaunchKernel", 100, 200, 50).kernel("own", 9'000, 9'500, 50);
  make.kernel("early", 150, 1'000, 40).kernel("late", 3'000, 4'000, 41);
  make.kernel("lost", 6'000, 7'000, 60);  // its launch was lost
  const Trace trace = make.build();
  const MissingReport missing = compute_report(trace, SourceId{0}).missing;
  CHECK(missing.unlinked == 3);
  CHECK(missing.unlinked_at_start == 2);
  CHECK(missing.unlinked_at_start_busy == 850 + 1'000);
}

TEST_CASE("a file without launching calls does not tell which work is from before the recording") {
  const Trace trace =
      TraceMaker().thread("aten::mm", 0, 5'000).kernel("a", 150, 1'000, 40).kernel("b", 3'000, 4'000, 41).build();
  const MissingReport missing = compute_report(trace, SourceId{0}).missing;
  CHECK(missing.unlinked == 2);
  CHECK(missing.unlinked_at_start == 0);
  CHECK(missing.unlinked_at_start_busy == 0);
}

TEST_CASE("shapes and stacks are there where operators have them, whatever the head of the file says") {
  const auto missing_of = [](const std::string& args) {
    const Result<Trace> trace = import_json(R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,)"
                                            R"("dur":5,"args":{)" +
                                            args + "}}]");
    REQUIRE(trace.has_value());
    return compute_report(*trace, SourceId{0}).missing;
  };
  CHECK_FALSE(missing_of("").has_shapes);
  CHECK_FALSE(missing_of("").has_stacks);
  CHECK(missing_of(R"("Input Dims":[[2,3],[]])").has_shapes);
  CHECK(missing_of(R"("Call stack":"a.py(1): f;b.py(2): g")").has_stacks);
}

TEST_CASE("tensor-core advice needs matrix products that matter") {
  AdviceFacts facts;
  facts.compute_major = 7;
  facts.tensor_eligible = 0.5;
  facts.tensor_window = 0.0199;
  for (const AdviceRule& rule : advice_rules())
    if (rule.key == "tensorCores") {
      CHECK_FALSE(rule.holds(facts));
      facts.tensor_window = 0.02;
      CHECK(rule.holds(facts));
    }
}

TEST_CASE("several GPUs in one file: a verdict, causes and operators for each") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 1'000'000, "user_annotation");
  make.kernel("gemm", 0, 900'000, 0, "7", "0");
  make.thread("aten::slow", 300'000, 900'000);
  make.launch("cudaLaunchKernel", 880'000, 890'000, 5);
  make.kernel("first", 0, 300'000, 0, "7", "1").kernel("second", 890'000, 900'000, 5, "7", "1");
  make.copy("Memcpy HtoD (Pinned -> Device)", 0, 950'000, "7", "2");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.devices.size() == 3);
  const auto device = [&](std::size_t d) { return trace.text(report.devices[d].device); };
  CHECK(device(0) == "2");  // the busiest first
  CHECK(report.devices[0].verdict.bound == Bound::kCopies);
  CHECK(device(1) == "0");
  CHECK(report.devices[1].verdict.bound == Bound::kCompute);
  CHECK(report.devices[1].use.at(TimeKind::kMemcpy) == 0);  // another GPU's
  CHECK(device(2) == "1");
  CHECK(report.devices[2].verdict.bound == Bound::kLaunch);
  CHECK(report.devices[2].use.gpu_busy == 310'000);
  REQUIRE(report.devices[2].waits.size() == 2);  // the other: nothing recorded, after the last kernel
  CHECK(trace.text(report.devices[2].waits[0].name) == "aten::slow");
  CHECK(report.bound == Bound::kCopies);
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  const auto sections = describe_report(trace, report, format);
  // Most of the work has no launch, so each is said with its doubt.
  constexpr const char* kGuess = ", on less than half of the evidence: ";
  for (const std::string& words :
       {fmt::format("Verdict on GPU 0{}compute-bound", kGuess), fmt::format("Verdict on GPU 1{}overhead-bound", kGuess),
        fmt::format("Verdict on GPU 2{}bound by copies", kGuess)}) {
    CAPTURE(words);
    CHECK(std::ranges::any_of(sections[0].lines,
                              [&](const ReportLine& line) { return line.text.find(words) != std::string::npos; }));
  }
}

TEST_CASE("advice: each rule fires at its threshold and not below") {
  struct Case {
    const char* key;
    double AdviceFacts::*fact;
    double fires;
    double silent;
  };
  const Case cases[] = {{"launchBound", &AdviceFacts::launch_bound, 0.10, 0.0999},
                        {"synchronisation", &AdviceFacts::synchronisation, 0.05, 0.0499},
                        {"dataLoading", &AdviceFacts::data_loading, 0.0501, 0.05},
                        {"communication", &AdviceFacts::exposed_communication, 0.1001, 0.10},
                        {"lateRanks", &AdviceFacts::late_ranks, 0.05, 0.0499},
                        {"profiler", &AdviceFacts::profiler, 0.05, 0.0499},
                        {"blockingCopies", &AdviceFacts::blocking_copies, 0.05, 0.0499},
                        {"firstUse", &AdviceFacts::first_use, 0.05, 0.0499},
                        {"allocationStalls", &AdviceFacts::allocation_idle, 0.05, 0.0499},
                        {"fullQueue", &AdviceFacts::full_queue, 0.05, 0.0499},
                        {"notScheduled", &AdviceFacts::not_scheduled, 0.05, 0.0499},
                        {"hostCallbacks", &AdviceFacts::host_callbacks, 0.05, 0.0499},
                        {"dependency", &AdviceFacts::dependency, 0.10, 0.0999},
                        {"insideGraphs", &AdviceFacts::inside_graphs, 0.10, 0.0999},
                        {"notRecorded", &AdviceFacts::not_recorded, 0.10, 0.0999},
                        {"pageableCopies", &AdviceFacts::pageable_copies, 0.01, 0.0099},
                        {"allocation", &AdviceFacts::allocation, 0.01, 0.0099},
                        {"codeLoading", &AdviceFacts::code_loading, 0.01, 0.0099},
                        {"tensorCores", &AdviceFacts::tensor_eligible, 0.10, 0.0999},
                        {"smallGrids", &AdviceFacts::small_grids, 0.20, 0.1999},
                        {"fuse", &AdviceFacts::fusible, 0.15, 0.1499},
                        {"fewerBytes", &AdviceFacts::memory_product, 0.20, 0.1999},
                        {"largerTiles", &AdviceFacts::slow_product, 0.20, 0.1999},
                        {"lowerPrecision", &AdviceFacts::half_product, 0.30, 0.2999},
                        {"tinyKernels", &AdviceFacts::tiny_kernels, 0.10, 0.0999},
                        {"memory", &AdviceFacts::memory_peak, 0.901, 0.90},
                        {"unevenSteps", &AdviceFacts::step_spread, 1.5, 1.499},
                        {"missingKernels", &AdviceFacts::missing_kernels, 0.01, 0.0099},
                        {"quota", &AdviceFacts::quota, 0.10, 0.0999},
                        {"tooManyThreads", &AdviceFacts::too_many, 0.25, 0.2499},
                        {"cpuMatrix", &AdviceFacts::cpu_matrix, 0.50, 0.4999},
                        {"cpuShortCalls", &AdviceFacts::cpu_short_calls, 0.25, 0.2499},
                        {"cpuCopies", &AdviceFacts::cpu_copies, 0.20, 0.1999},
                        {"cpuOperators", &AdviceFacts::cpu_operators, 0.50, 0.4999},
                        {"cpuPython", &AdviceFacts::cpu_python, 0.20, 0.1999},
                        {"cpuLongGaps", &AdviceFacts::cpu_long_gaps, 0.10, 0.0999},
                        {"cpuDataInProcess", &AdviceFacts::data_in_process, 0.0501, 0.05},
                        {"cpuDataFromWorkers", &AdviceFacts::data_from_workers, 0.0501, 0.05},
                        {"cpuWaiting", &AdviceFacts::cpu_waiting, 0.05, 0.0499},
                        {"cpuCollectives", &AdviceFacts::cpu_collectives, 0.1001, 0.10},
                        {"cpuRanges", &AdviceFacts::cpu_ranges, 0.50, 0.4999},
                        {"cpuUnrecorded", &AdviceFacts::cpu_unrecorded, 0.50, 0.4999},
                        {"cpuGil", &AdviceFacts::cpu_gil, 0.05, 0.0499},
                        {"pageFaults", &AdviceFacts::page_faults, 0.10, 0.0999},
                        {"diskFaults", &AdviceFacts::disk_faults, 100, 99.9},
                        {"programGil", &AdviceFacts::program_gil, 0.10, 0.0999},
                        {"programOutput", &AdviceFacts::program_output, 0.20, 0.1999},
                        {"programSync", &AdviceFacts::program_sync, 0.10, 0.0999},
                        {"programCollection", &AdviceFacts::program_collection, 0.10, 0.0999},
                        {"programNames", &AdviceFacts::program_names, 0.10, 0.0999},
                        {"programLoop", &AdviceFacts::program_loop, 0.10, 0.0999},
                        {"programRunning", &AdviceFacts::program_running, 0.50, 0.4999},
                        {"programPreempted", &AdviceFacts::program_preempted, 0.10, 0.0999},
                        {"programLocks", &AdviceFacts::program_locks, 0.10, 0.0999},
                        {"programContention", &AdviceFacts::program_contention, 0.10, 0.0999},
                        {"programInput", &AdviceFacts::program_input, 0.10, 0.0999},
                        {"programSleep", &AdviceFacts::program_sleep, 0.10, 0.0999},
                        {"programChild", &AdviceFacts::program_child, 0.10, 0.0999}};
  REQUIRE(std::size(cases) == advice_rules().size());
  for (std::size_t r = 0; r < std::size(cases); ++r) {
    const AdviceRule& rule = advice_rules()[r];
    CAPTURE(rule.key);
    CHECK(rule.key == cases[r].key);
    AdviceFacts facts;
    const bool is_about_cpu = rule.key.starts_with("cpu");
    const bool is_about_both = rule.value == &AdviceFacts::quota || rule.value == &AdviceFacts::too_many ||
                               rule.value == &AdviceFacts::page_faults || rule.value == &AdviceFacts::disk_faults;
    facts.has_program = rule.key.starts_with("program") || is_about_both;
    facts.has_gpu = !is_about_cpu && !facts.has_program;
    facts.has_cpu = is_about_cpu;
    // What these rules ask for besides; alone it advises nothing but cpuOperators.
    const bool needs_operators = rule.key == "cpuMatrix" || rule.key == "cpuShortCalls" || rule.key == "cpuCopies";
    facts.cpu_operators = rule.key == "cpuMatrix" ? 0.50 : needs_operators ? 0.25 : 0;
    facts.busy = kBusyEnough;
    facts.compute_major = 7;
    facts.tensor_window = 0.02;
    facts.measured_steps = 3;
    for (const AdviceRule& other : advice_rules()) CHECK_FALSE((other.holds(facts) && other.key != "cpuOperators"));
    facts.*cases[r].fact = cases[r].silent;
    CHECK_FALSE(rule.holds(facts));
    facts.*cases[r].fact = cases[r].fires;
    CHECK(rule.holds(facts));
    CHECK(rule.value == cases[r].fact);
  }
}

TEST_CASE("advice is ranked by what a replay without it gains") {
  // Two causes: the CPU is late with relu, and waits at the end for what it had launched long before.
  TraceMaker make;
  make.thread("aten::to", 0, 130'000);
  make.launch("cudaLaunchKernel", 10'000, 12'000, 1).kernel("gemm", 20'000, 40'000, 1);
  make.launch("cudaMemcpyAsync", 13'000, 130'000, 2)
      .kernel("Memcpy HtoD (Pageable -> Device)", 40'000, 128'000, 2, "7", "0", "gpu_memcpy");
  make.thread("aten::relu", 130'000, 400'000);
  make.launch("cudaLaunchKernel", 250'000, 252'000, 3).kernel("relu", 255'000, 300'000, 3);
  make.launch("cudaDeviceSynchronize", 390'000, 400'000, 4);
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.advice.size() >= 2);
  Nanos before = kMaxNanos;
  bool any = false;
  for (const AdviceGiven& given : report.advice) {
    CAPTURE(advice_rules()[given.rule].key);
    if (!given.gain) continue;
    any = true;
    CHECK_FALSE(given.changes.empty());
    CHECK(*given.gain <= before);
    before = *given.gain;
  }
  REQUIRE(any);
  // The rules' own order has launchBound first.
  const AdviceGiven& first = report.advice.front();
  CHECK(advice_rules()[first.rule].key == "blockingCopies");
  CHECK(first.gain > 0);
  CHECK(first.changes == std::vector<std::string>{"--no-cause blocking_copy"});
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  const auto sections = describe_report(trace, report, format);
  const auto advice = std::ranges::find(sections, "advice", &ReportSection::key);
  REQUIRE(advice != sections.end());
  const ReportLine& line = advice->lines.front();
  CHECK(line.text.starts_with("Gains up to "));
  // A window may fold the rule, and nothing else.
  REQUIRE(line.how_measured < line.text.size());
  CHECK(line.text.substr(line.text.size() - line.how_measured).starts_with(" (Rule: "));
}

TEST_CASE("tensor cores: names of every generation") {
  using enum MatrixUse;
  const std::pair<const char*, MatrixUse> names[] = {
      {"volta_sgemm_128x64_nn", kPlain},
      {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", kTensor},
      {"turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_tn", kTensor},
      {"ampere_sgemm_64x32_sliced1x4_nn", kPlain},
      {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn", kTensor},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1", kPlain},
      {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16", kTensor},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", kTensor},
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>", kTensor},
      {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>", kPlain},
      {"nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", kTensor},
      {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_sm100f", kTensor},
      {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128", kTensor},
      {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128>>", kTensor},
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN", kTensor},
      {"volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1", kTensor},
      {"void deep_gemm::sm90_fp8_gemm_1d2d_impl<4096u, 7168u, 1u, 128u>(float*)", kTensor},
      {"void deep_gemm::fp8_gemm_kernel<2112u, 7168u, 128u, 112u>(__nv_bfloat16*)", kTensor},
      {"void deep_gemm::sm90_bf16_gemm_impl<4096u, 7168u>(float*)", kTensor},
      {"_w8a8_block_fp8_matmul", kTensor},
      {"void marlin::Marlin<__nv_bfloat16, 1125899906909960l, 256, 1, 8, 8, true>(int4 const*)", kTensor},
      {"void marlin::gptq_marlin_repack_kernel<256, 4, false>(unsigned int const*)", kNone},
      {"_silu_mul_fp8_quant_deep_gemm", kNone},
      {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2", kTensor},
      {"triton_tem_fused_mm_3", kUnclear},
      {"fused_moe_kernel", kUnclear},
      {"matmul_kernel", kUnclear},
      {"bmm_kernel", kUnclear},
      {"void moe::groupedGemmKernel<float>(float*)", kUnclear},
      {"void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true>(float*)", kPlain},
      {"sgemm_largek_lds64", kPlain},
      {"void explicit_convolve_sgemm<float, int, 1024, 5, 5, 3, 3, 3, 0, false>(int)", kPlain},
      {"volta_scudnn_128x64_relu_small_nn_v1", kPlain},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>", kNone},
      {"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>", kNone},
      {"void moe::dev::finalize::finalizeKernelVecLoad<KernelParams<cutlass::bfloat16_t>>", kNone},
      {"void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>", kNone},
      {"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4>", kNone},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", kNone},
      {"void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>", kPlain},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>", kNone},
      {"", kNone}};
  for (const auto& row : names) {
    CAPTURE(row.first);
    CHECK(matrix_use(row.first) == row.second);
  }
}

TEST_CASE("words: every section, with places inside the trace") {
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const Trace trace = random_trace(seed);
    const Report report = compute_report(trace, SourceId{0});
    const auto sections = describe_report(trace, report, format, 3);
    CHECK(sections.front().key == "summary");
    CHECK(sections.back().key == "missing");
    for (const ReportSection& section : sections) {
      CHECK(section.table.rows.size() == section.table.places.size());
      for (const auto& row : section.table.rows) CHECK(row.size() == section.table.columns.size());
      for (const ReportLine& line : section.lines) {
        CHECK_FALSE(line.text.empty());
        for (const ReportPlace& place : line.places)
          CHECK(trace.span().overlaps({place.span.begin, place.span.end + 1}));
      }
    }
  }
}

TEST_CASE("words: every column has a definition, for tooltips and --explain") {
  const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100'000, "user_annotation").thread("aten::mm", 100, 90'000);
  make.launch("cudaLaunchKernel", 40'000, 41'000, 1).kernel("gemm", 100, 1'000).kernel("gemm", 50'000, 60'000, 1);
  make.copy("Memcpy HtoD (Pageable -> Device)", 100, 500, "7", "1");
  make.kernel("gemm", 70'000, 80'000, 0, "7", "1");
  const Trace trace = make.build();
  std::size_t columns = 0;
  for (const ReportSection& section : describe_report(trace, compute_report(trace, SourceId{0}), format))
    for (const ReportTable::Column& column : section.table.columns) {
      ++columns;
      CAPTURE(column.title);
      const auto help = explain_column(column.title);
      CHECK(std::ranges::any_of(help, [](const ColumnHelp* h) { return h->table == "report"; }));
    }
  CHECK(columns > 25);
}

TEST_CASE("report on nothing, and on half of something") {
  const Trace nothing = TraceMaker().build();
  CHECK(compute_reports(nothing).empty());
  TraceMaker cpu;
  cpu.thread("aten::mm", 0, 100);
  const Trace trace = cpu.build();
  const auto reports = compute_reports(trace);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].bound == Bound::kCpuOperators);
  CHECK(reports[0].use.wall == 100);
  // Of a file that has nothing else, asynchronous events are the recording.
  TraceMaker asynchronous;
  asynchronous.async("request", 1000, 1500);
  const Trace requests = asynchronous.build();
  CHECK(compute_report(requests, SourceId{0}).window == TimeSpan{1000, 1500});
  TraceMaker empty_step;
  empty_step.thread("ProfilerStep#1", 0, 0, "user_annotation").kernel("k", 5, 6);
  const Trace zero = empty_step.build();
  CHECK(compute_report(zero, SourceId{0}).use.wall == 0);
}

TEST_CASE("of several GPUs the brief is about the one of its answer, and as sure as of that") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 1'000'000, "user_annotation");
  // GPU 0: idle for reasons that nothing tells. GPU 1: more idle, for want of launches.
  make.launch("cudaLaunchKernel", 0, 5'000, 1).launch("cudaLaunchKernel", 6'000, 10'000, 2);
  make.kernel("gemm", 10'000, 500'000, 1, "7", "0").kernel("gemm", 800'000, 1'000'000, 2, "7", "0");
  make.launch("cudaLaunchKernel", 11'000, 14'000, 3).launch("cudaLaunchKernel", 890'000, 895'000, 4);
  make.kernel("small", 15'000, 20'000, 3, "7", "1").kernel("small", 900'000, 905'000, 4, "7", "1");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.devices.size() == 2);
  CHECK(report.devices[0].confidence.level == Confidence::Level::kLow);
  CHECK(report.devices[1].confidence.level != Confidence::Level::kLow);
  const Brief brief = make_brief(trace, report, {format_duration, format_count, format_percent, format_bytes});
  CHECK(brief.answer.starts_with("GPU 1 is idle"));
  CHECK(brief.bound == Bound::kLaunch);
  CHECK(brief.confidence == confidence_key(report.devices[1].confidence.level));
  const auto says = [&](std::string_view words) {
    return std::ranges::any_of(brief.summary, [&](const std::string& line) { return line.starts_with(words); });
  };
  CHECK(says("Verdict on GPU 1: overhead-bound"));
  CHECK_FALSE(says("GPU 0"));
  CHECK_FALSE(says("Verdict on GPU 0"));
}

}  // namespace
}  // namespace lacuna
