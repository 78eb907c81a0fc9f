#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "capture/metrics/pm_abi.h"
#include "model/base/result.h"

namespace lacuna {

/// CUPTI and the CUDA driver, found at run time: what samples a GPU's performance monitors.
struct PmLibrary {
  pm::Functions functions;
  std::string path;           ///< of libcupti
  std::uint32_t version = 0;  ///< CUPTI_API_VERSION
};

/// Loads libcupti (LACUNA_CUPTI, the loader's path, /usr/local/cuda, the Python environment of VIRTUAL_ENV or
/// CONDA_PREFIX) without touching a GPU. Not thread-safe. Errors, in words for people: none, or older than CUDA 12.6.
Result<PmLibrary> load_pm_library();
/// Loads the CUDA driver into it and starts it: may take seconds, and hangs where the driver does.
Result<void> start_cuda(PmLibrary& library);

/// A number that is sampled. Not every chip has each, and one pass of the hardware must hold them all.
struct PmMetric {
  const char* counter;  ///< of the lane
  const char* series;
  const char* name;  ///< CUPTI's
};
/// SM active and occupancy are shares of all time, as DCGM's SMACT and SMOCC are.
inline constexpr PmMetric kPmMetrics[] = {
    {"SM active", "%", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"SM occupancy", "%", "sm__warps_active.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM read", "%", "dram__read_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM write", "%", "dram__write_throughput.avg.pct_of_peak_sustained_elapsed"},
};
inline constexpr std::size_t kPmMetricCount = std::size(kPmMetrics);

/// What of kPmMetrics a chip can sample at once, and how the hardware is to be set for it.
struct PmChoice {
  std::vector<std::size_t> metrics;  ///< indices into kPmMetrics
  std::vector<const char*> names;    ///< CUPTI's, beside them
  std::vector<std::uint8_t> config;
  void* host = nullptr;  ///< CUPTI's object that evaluates them; lives as long as the process
};
/// Asks CUPTI for a chip ("GH100"); `availability`: what the device reports, empty: all that the chip has. Needs
/// no GPU. Errors: the chip is not known, or none of the metrics.
Result<PmChoice> choose_pm_metrics(const PmLibrary& library, const std::string& chip,
                                   const std::vector<std::uint8_t>& availability);

/// Why a call was refused, and what to do, as one sentence.
std::string pm_refusal(pm::Status status, std::string_view call);

}  // namespace lacuna
