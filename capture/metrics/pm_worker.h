#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// The lacuna command that samples one GPU for another lacuna, which starts it (gpu_counters.h). It loads CUPTI
/// and the CUDA driver, so that their effects (a crash, a hang, memory, threads) do not hit the recording.
inline constexpr std::string_view kSampleGpuCommand = "sample-gpu";

struct PmWorkerOptions {
  unsigned per_second = 0;
  bool only_asks = false;  ///< only check whether it would work
};

/// Samples the GPU selected by CUDA_VISIBLE_DEVICES until standard input ends, and writes lines:
///   `chip NAME API PATH`, `has I…` (indices into kPmMetrics), `s START VALUE…` (CLOCK_MONOTONIC ns, percent),
///   `lost N` (so far), `tick` (a read without samples), `no SENTENCE` (why it cannot start or continue), `end`.
/// Returns the exit code.
int run_pm_worker(const PmWorkerOptions& options);

}  // namespace lacuna
