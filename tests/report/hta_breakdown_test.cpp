// Our time use against Holistic Trace Analysis 0.5 (get_temporal_breakdown, get_comm_comp_overlap
// with include_last_profiler_step=True), on the same traces. Recorded with:
//   TraceAnalysis(trace_files={0: file}, include_last_profiler_step=True).get_temporal_breakdown()

#include <cmath>

#include <doctest/doctest.h>

#include "model/gaps/gaps.h"
#include "model/report/time_use.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

struct Row {
  const char* file;
  double idle_us, compute_us, kernel_time_us;
  double overlap_percent;  ///< -1: no communication
};

TimeUse use_of_gpu_window(const Trace& trace) {
  TimeSpan window = TimeSpan::nothing();
  for (const StreamActivity& stream : analyze_streams(trace))
    window = window.unite({stream.first_start, stream.last_end});
  return TimeUseIndex(trace, SourceId{0}).over(window);
}

double us(Nanos t) {
  return static_cast<double>(t) / 1000;
}

TEST_CASE("HTA's temporal breakdown and overlap, number for number") {
  // Files in whole us; HTA looks at the same activities as we do.
  const Row rows[] = {{"kineto_v100_resnet50_legacy.pt.trace.json.gz", 392919, 591532, 996477, -1},
                      {"param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", 6419, 1034, 13009, 4.5},
                      {"param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", 6428, 1246, 18749, 2.47},
                      {"param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", 7046, 1068, 11350, 7.88},
                      {"param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", 8145, 1240, 18853, 3.31},
                      {"param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", 8887, 1126, 16589, 0.56},
                      {"param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", 9121, 1041, 16392, 0.64},
                      {"param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", 7051, 1051, 11410, 7.56},
                      {"param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", 8308, 1059, 10967, 9.51}};
  for (const Row& row : rows) {
    CAPTURE(row.file);
    const auto trace = shared_trace(row.file);
    if (!trace) continue;
    const TimeUse use = use_of_gpu_window(*trace);
    CHECK(us(use.wall) == row.kernel_time_us);
    CHECK(us(use.wall - use.gpu_busy) == row.idle_us);
    CHECK(us(use.compute) == row.compute_us);
    if (row.overlap_percent < 0) {
      CHECK(use.communication == 0);
    } else {
      CHECK(std::round(1e4 * use.hidden_share()) / 100 == doctest::Approx(row.overlap_percent));
    }
  }
}

TEST_CASE("HTA's temporal breakdown where it rounds to whole us") {
  // It rounds starts up and ends down, so each activity may lose up to 2 us: its busy time is less
  // and its idle time more than ours, by no more than that.
  const Row rows[] = {{"hta_v100_ns_resolution.pt.trace.json.gz", 12143, 464915, 480029, -1},
                      {"tracelens_h100_owlv2_large.json.gz", 516680, 547123, 1078287, -1},
                      {"tracelens_mi300x_normalization.json.gz", 1067923, 833, 1068779, -1},
                      {"tracelens_mi300x_sglang_decode_hipgraph.json.gz", 464534, 9205, 473749, -1},
                      // The rest of its non_compute is communication; see below.
                      {"tracelens_b200_eager.json.gz", 73669, 10153, 84486, -1}};
  for (const Row& row : rows) {
    CAPTURE(row.file);
    const auto trace = shared_trace(row.file);
    if (!trace) continue;
    const TimeUse use = use_of_gpu_window(*trace);
    std::uint64_t activities = 0;
    for (const StreamActivity& stream : analyze_streams(*trace)) activities += stream.events;
    const double most = 2.0 * static_cast<double>(activities);
    CHECK(std::abs(us(use.wall) - row.kernel_time_us) <= 2);
    CHECK(row.idle_us - us(use.wall - use.gpu_busy) >= -2);
    CHECK(row.idle_us - us(use.wall - use.gpu_busy) <= most);
    // Only ^nccl.*Kernel is communication to HTA; to us also the all-reduce of symmetric memory
    // (b200: multimem_all_reduce_kernel, 2.12 ms), so that is in its compute time.
    const double compute = us(use.compute + (row.file[10] == 'b' ? use.exposed() : 0));
    CHECK(compute - row.compute_us >= -2);
    CHECK(compute - row.compute_us <= most);
  }
}

TEST_CASE("where HTA counts something else") {
  // With two steps or more it drops activities without a launch in the file, or launched after the
  // last step: of trace_diff 614 that were launched before the recording. It then has 744.514 ms
  // from first to last, 51.692 ms idle, 514.576 ms compute and 69.07 % overlap.
  if (const auto trace = shared_trace("hta_v100_ddp_rank1_trace_diff_test.json.gz")) {
    const TimeUse use = use_of_gpu_window(*trace);
    CHECK(trace->links().unlinked() == 614);
    CHECK(us(use.wall) > 744'514);
    CHECK(use.compute > 514'576 * kUs);
    CHECK(100 * use.hidden_share() == doctest::Approx(69.07).epsilon(0.03));
  }
  // It asserts on the qwen trace, whose gpu_user_annotation it takes for a kernel.
}

}  // namespace
}  // namespace lacuna
