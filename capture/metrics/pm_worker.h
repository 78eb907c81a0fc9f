#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// The command of lacuna's that samples one GPU for another lacuna, which starts it (gpu_counters.h). It loads CUPTI
/// and the CUDA driver, and what these do to it (a crash, a hang, memory, threads) is then not done to a recording.
inline constexpr std::string_view kSampleGpuCommand = "sample-gpu";

struct PmWorkerOptions {
  unsigned per_second = 0;
  bool only_asks = false;  ///< whether it would work
};

/// Samples the GPU that CUDA_VISIBLE_DEVICES leaves until standard input ends, and writes lines:
///   `chip NAME API PATH`, `has I…` (indices into kPmMetrics), `s START VALUE…` (CLOCK_MONOTONIC ns, percent),
///   `lost N` (so far), `tick` (a read without anything), `no SENTENCE` (why it does not go, or no further), `end`.
/// Returns the exit code.
int run_pm_worker(const PmWorkerOptions& options);

}  // namespace lacuna
