#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "capture/metrics/pm_abi.h"
#include "model/base/result.h"

namespace lacuna {

/// CUPTI and the CUDA driver, loaded at run time, for sampling a GPU's performance monitors.
struct PmLibrary {
  pm::Functions functions;
  std::string path;           ///< path of libcupti
  std::uint32_t version = 0;  ///< CUPTI_API_VERSION
};

/// Loads libcupti (LACUNA_CUPTI, the loader's path, /usr/local/cuda, the Python environment of VIRTUAL_ENV or
/// CONDA_PREFIX) without using a GPU. Not thread-safe. Errors, as text for users: none, or older than CUDA 12.6.
Result<PmLibrary> load_pm_library();
/// Loads and initialises the CUDA driver: may take seconds, and hangs if the driver does.
Result<void> start_cuda(PmLibrary& library);

/// A metric to sample. Not every chip has each, and all must fit into one pass of the hardware.
struct PmMetric {
  const char* counter;  ///< name of the counter lane
  const char* series;
  const char* name;  ///< CUPTI's name
};
/// SM active and occupancy are fractions of all time, like DCGM's SMACT and SMOCC.
inline constexpr PmMetric kPmMetrics[] = {
    {"SM active", "%", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"SM occupancy", "%", "sm__warps_active.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM read", "%", "dram__read_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM write", "%", "dram__write_throughput.avg.pct_of_peak_sustained_elapsed"},
};
inline constexpr std::size_t kPmMetricCount = std::size(kPmMetrics);

/// The metrics of kPmMetrics that a chip can sample at once, and the hardware configuration for it.
struct PmChoice {
  std::vector<std::size_t> metrics;  ///< indices into kPmMetrics
  std::vector<const char*> names;    ///< CUPTI's names, parallel to `metrics`
  std::vector<std::uint8_t> config;
  void* host = nullptr;  ///< CUPTI's object that evaluates them; lives as long as the process
};
/// Chooses metrics for a chip ("GH100"); `availability`: reported by the device, empty: everything the chip has. Needs
/// no GPU. Errors: unknown chip, or none of the metrics.
Result<PmChoice> choose_pm_metrics(const PmLibrary& library, const std::string& chip,
                                   const std::vector<std::uint8_t>& availability);

/// Returns why a call was refused, and what to do, as one sentence.
std::string pm_refusal(pm::Status status, std::string_view call);

}  // namespace lacuna
