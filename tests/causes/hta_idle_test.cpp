#include "model/causes/hta_idle.h"

#include <map>

#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

/// One stream of HTA's table. Recorded with HolisticTraceAnalysis 0.5.0 from PyPI (pandas 3.1.1,
/// numpy 2.4.6); 0.6.1 from its repository gives the same for the first file:
///   python tests/causes/record_hta.py ../shared/traces > rows
struct Recorded {
  const char* file;
  bool include_last_step;
  const char* stream;
  double idle_us[kHtaClassCount];
  std::uint64_t gaps[kHtaClassCount];
};

// Entries for include_last_step = true are left out where they equal those for false.
const Recorded kRecorded[] = {
    // clang-format off
    {"hta_v100_ddp_rank1_trace_diff_test.json.gz", false, "7", {2960, 42372, 41756}, {14, 12068, 22}},
    {"hta_v100_ddp_rank1_trace_diff_test.json.gz", false, "14", {520794, 1087, 14536}, {66, 160, 13}},
    {"hta_v100_ddp_rank1_trace_diff_test.json.gz", false, "15", {348483, 138, 38936}, {22, 19, 8}},
    {"hta_v100_ddp_rank1_trace_diff_test.json.gz", false, "16", {422925, 829, 0}, {4, 115, 0}},
    {"hta_v100_ddp_rank1_trace_diff_test.json.gz", true, "7", {2960, 51853, 48809}, {14, 14486, 25}},
    {"hta_v100_ddp_rank1_trace_diff_test.json.gz", true, "14", {684265, 1299, 15297}, {80, 192, 15}},
    {"hta_v100_ddp_rank1_trace_diff_test.json.gz", true, "15", {413501, 169, 51125}, {26, 24, 9}},
    {"hta_v100_ddp_rank1_trace_diff_test.json.gz", true, "16", {521074, 982, 0}, {5, 138, 0}},
    {"hta_v100_ns_resolution.pt.trace.json.gz", false, "7", {1709, 8404, 0}, {90, 4785, 0}},
    {"hta_v100_ns_resolution.pt.trace.json.gz", true, "7", {1709, 10434, 0}, {90, 6004, 0}},
    {"kineto_v100_resnet50_legacy.pt.trace.json.gz", false, "7", {318934, 8529, 0}, {1243, 6336, 0}},
    {"kineto_v100_resnet50_legacy.pt.trace.json.gz", true, "7", {382676, 10243, 0}, {1488, 7607, 0}},
    {"tracelens_b200_eager.json.gz", false, "7", {73166, 566, 0}, {711, 217, 0}},
    {"tracelens_h100_owlv2_large.json.gz", false, "7", {504953, 11727, 0}, {156, 5008, 0}},
    {"tracelens_h100_qwen1.5_0.5b.json.gz", false, "7", {1543, 4145, 0}, {32, 1674, 0}},
    {"tracelens_mi300x_normalization.json.gz", false, "0", {1067764, 159, 0}, {125, 47, 0}},
    {"tracelens_mi300x_sglang_decode_hipgraph.json.gz", false, "2", {465582, 0, 0}, {1, 0, 0}},
    {"tracelens_mi300x_sglang_decode_hipgraph.json.gz", false, "3", {405, 558, 275}, {5, 549, 1}},
    {"param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", false, "7", {11448, 123, 0}, {169, 55, 0}},
    {"param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", false, "22", {145, 0, 0}, {4, 0, 0}},
    {"param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", false, "24", {5906, 18, 0}, {19, 3, 0}},
    {"param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", false, "84", {4740, 3, 0}, {5, 2, 0}},
    {"param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", false, "7", {17449, 115, 0}, {234, 55, 0}},
    {"param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", false, "22", {154, 0, 0}, {4, 0, 0}},
    {"param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", false, "24", {11382, 12, 0}, {20, 2, 0}},
    {"param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", false, "84", {4688, 3, 0}, {5, 2, 0}},
    {"param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", false, "7", {9777, 105, 0}, {176, 49, 0}},
    {"param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", false, "22", {142, 0, 0}, {4, 0, 0}},
    {"param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", false, "24", {4270, 23, 0}, {19, 3, 0}},
    {"param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", false, "84", {5423, 1, 0}, {6, 1, 0}},
    {"param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", false, "7", {17548, 109, 0}, {243, 57, 0}},
    {"param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", false, "22", {187, 0, 0}, {4, 0, 0}},
    {"param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", false, "24", {10146, 5, 0}, {21, 1, 0}},
    {"param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", false, "84", {4746, 3, 0}, {5, 2, 0}},
    {"param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", false, "7", {14956, 113, 0}, {203, 33, 0}},
    {"param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", false, "22", {151, 0, 0}, {4, 0, 0}},
    {"param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", false, "24", {8613, 18, 0}, {19, 3, 0}},
    {"param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", false, "84", {6691, 2, 0}, {6, 1, 0}},
    {"param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", false, "7", {14874, 76, 0}, {204, 20, 0}},
    {"param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", false, "22", {148, 0, 0}, {4, 0, 0}},
    {"param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", false, "24", {8419, 13, 0}, {20, 2, 0}},
    {"param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", false, "84", {6821, 1, 0}, {6, 1, 0}},
    {"param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", false, "7", {9850, 100, 0}, {178, 47, 0}},
    {"param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", false, "22", {140, 0, 0}, {4, 0, 0}},
    {"param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", false, "24", {4261, 16, 0}, {19, 3, 0}},
    {"param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", false, "84", {5346, 9, 0}, {5, 2, 0}},
    {"param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", false, "7", {9405, 98, 0}, {184, 41, 0}},
    {"param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", false, "22", {141, 0, 0}, {4, 0, 0}},
    {"param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", false, "24", {3936, 12, 0}, {20, 2, 0}},
    {"param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", false, "84", {6658, 0, 0}, {7, 0, 0}},
    {"quirks/hta__sampled_rank-0.json.gz", false, "7", {213825, 1985, 261740}, {82, 196, 247}},
    {"quirks/hta__sampled_rank-0.json.gz", false, "23", {596037, 70, 34}, {52, 9, 1}},
    {"quirks/hta__sampled_rank-0.json.gz", false, "25", {0, 9, 47865}, {0, 1, 6}},
    {"quirks/hta__sampled_rank-0.json.gz", false, "84", {148934, 6, 0}, {2, 1, 0}},
    {"quirks/hta__sampled_rank-0.json.gz", false, "203", {0, 0, 0}, {0, 0, 0}},
    {"quirks/hta__sampled_rank-0.json.gz", true, "7", {397917, 3765, 598335}, {175, 390, 486}},
    {"quirks/hta__sampled_rank-0.json.gz", true, "23", {1214793, 160, 34}, {101, 23, 1}},
    {"quirks/hta__sampled_rank-0.json.gz", true, "25", {560120, 35, 100413}, {1, 3, 11}},
    {"quirks/hta__sampled_rank-0.json.gz", true, "84", {794901, 6, 3142}, {5, 1, 1}},
    {"quirks/hta__sampled_rank-0.json.gz", true, "203", {558073, 0, 0}, {1, 0, 0}},
    {"quirks/hta__cuda_event_sync_multi_stream_event_sync_trace.json.gz", false, "20", {32, 0, 0}, {1, 0, 0}},
    {"quirks/hta__cuda_event_sync_multi_stream_event_sync_trace.json.gz", false, "24", {0, 15, 0}, {0, 1, 0}},
    {"quirks/hta__cuda_event_sync_multi_stream_event_sync_trace.json.gz", false, "28", {0, 15, 0}, {0, 1, 0}},
    {"quirks/hta__end_to_end_simple_add_output_overlaid_critical_path_trace.json.gz", false, "7", {15976739, 91, 0}, {51, 39, 0}},
    {"quirks/hta__end_to_end_simple_add_output_overlaid_critical_path_trace.json.gz", false, "20", {13582776, 8, 0}, {4, 2, 0}},
    // clang-format on
};

const HtaIdle& only(const std::vector<HtaIdle>& streams) {
  REQUIRE(streams.size() == 1);
  return streams.front();
}

constexpr auto kHost = static_cast<std::size_t>(HtaClass::kHostWait);
constexpr auto kKernel = static_cast<std::size_t>(HtaClass::kKernelWait);
constexpr auto kOther = static_cast<std::size_t>(HtaClass::kOther);

}  // namespace

TEST_CASE("host wait, kernel wait below the threshold, other from it on") {
  TraceMaker make;
  make.launch("l", 0, 1 * kUs, 1).kernel("a", 10 * kUs, 20 * kUs, 1);
  make.launch("l", 21 * kUs, 22 * kUs, 2).kernel("b", 25 * kUs, 30 * kUs, 2);   // 5 us, launched late
  make.launch("l", 30 * kUs, 31 * kUs, 3).kernel("c", 59 * kUs, 60 * kUs, 3);   // 29 us; not later
  make.launch("l", 32 * kUs, 33 * kUs, 4).kernel("d", 90 * kUs, 100 * kUs, 4);  // 30 us
  const Trace trace = make.build();
  const HtaIdle idle = only(hta_idle(trace));
  CHECK(idle.idle_us[kHost] == 5);
  CHECK(idle.idle_us[kKernel] == 29);
  CHECK(idle.idle_us[kOther] == 30);
  const HtaIdle wider = only(hta_idle(trace, {.consecutive_kernel_delay_us = 31}));
  CHECK(wider.idle_us[kKernel] == 59);
  CHECK(wider.gaps[kOther] == 0);
}

TEST_CASE("the previous row counts, not the latest end; gaps can be negative") {
  TraceMaker make;
  make.launch("l", 0, 1 * kUs, 1).kernel("long", 10 * kUs, 100 * kUs, 1);
  make.launch("l", 2 * kUs, 3 * kUs, 2).kernel("inside", 20 * kUs, 30 * kUs, 2);
  make.launch("l", 4 * kUs, 5 * kUs, 3).kernel("after", 110 * kUs, 120 * kUs, 3);
  const HtaIdle idle = only(hta_idle(make.build()));
  CHECK(idle.idle_us[kKernel] == -80);
  CHECK(idle.idle_us[kOther] == 80);
}

TEST_CASE("fractions: start rounded up, end down, in whole microseconds") {
  TraceMaker make;
  make.launch("l", 0, 500, 1).kernel("a", 10'100, 20'900, 1);
  make.launch("l", 1'000, 1'500, 2).kernel("b", 30'100, 40'000, 2);
  CHECK(only(hta_idle(make.build())).idle_us[kKernel] == 11);  // 31 - 20, not 9.2
}

TEST_CASE("with two steps, the last one's work and work without a launch do not count") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100 * kUs, "user_annotation")
      .thread("ProfilerStep#2", 100 * kUs, 200 * kUs, "user_annotation");
  make.launch("l", 10 * kUs, 11 * kUs, 1).kernel("a", 20 * kUs, 30 * kUs, 1);
  make.launch("l", 12 * kUs, 13 * kUs, 2).kernel("b", 40 * kUs, 50 * kUs, 2);
  make.launch("l", 110 * kUs, 111 * kUs, 3).kernel("c", 150 * kUs, 160 * kUs, 3);
  make.launch("l", 200 * kUs, 201 * kUs, 4).kernel("as the last step ends", 210 * kUs, 220 * kUs, 4);
  make.launch("l", 203 * kUs, 204 * kUs, 5).kernel("after the last step", 230 * kUs, 240 * kUs, 5);
  make.kernel("unlinked", 60 * kUs, 70 * kUs);
  const Trace trace = make.build();
  CHECK(only(hta_idle(trace)).rows == 2);
  CHECK(only(hta_idle(trace)).idle_us[kKernel] == 10);
  CHECK(only(hta_idle(trace, {.include_last_step = true})).rows == 4);
}

TEST_CASE("a missing launch is compared with the first event of the file, as HTA does") {
  TraceMaker make;
  make.thread("first in the file", 35 * kUs, 40 * kUs);
  make.launch("l", 1 * kUs, 2 * kUs, 1).kernel("a", 10 * kUs, 20 * kUs, 1);
  make.kernel("b", 30 * kUs, 32 * kUs).kernel("c", 50 * kUs, 55 * kUs);
  const HtaIdle idle = only(hta_idle(make.build()));
  CHECK(idle.idle_us[kHost] == 28);  // 35 lies after 20 and after 32, so both gaps
  CHECK(idle.gaps[kHost] == 2);
}

TEST_CASE("times beyond 2^53 ns round as the nearest double does") {
  // 1712195495406752.797 us lies between the doubles .75 and 753.0: HTA sees .75, and rounds to
  // 753.
  const Nanos base = 1'712'195'495'406'752'797;
  TraceMaker make;
  make.launch("l", base - 900, base - 800, 1).kernel("a", base, base + 2'000, 1);
  make.launch("l", base - 700, base - 600, 2).kernel("b", base + 5'000, base + 6'000, 2);
  CHECK(only(hta_idle(make.build())).idle_us[kKernel] == 4);
}

TEST_CASE("real traces: number for number what HTA printed") {
  std::map<std::string, std::optional<Trace>> traces;
  for (const Recorded& row : kRecorded) {
    const auto [found, is_new] = traces.try_emplace(row.file);
    if (is_new) found->second = shared_trace(row.file);
    if (!found->second) continue;
    const Trace& trace = *found->second;
    CAPTURE(std::string(row.file));
    CAPTURE(std::string(row.stream));
    CAPTURE(row.include_last_step);
    bool seen = false;
    for (const HtaIdle& idle : hta_idle(trace, {.include_last_step = row.include_last_step})) {
      if (trace.text(idle.stream) != row.stream) continue;
      seen = true;
      for (std::size_t c = 0; c < kHtaClassCount; ++c) {
        CHECK(idle.idle_us[c] == doctest::Approx(row.idle_us[c]).epsilon(1e-9));
        CHECK(idle.gaps[c] == row.gaps[c]);
      }
    }
    CHECK(seen);
  }
}
