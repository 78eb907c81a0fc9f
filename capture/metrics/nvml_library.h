#pragma once

#include <string>
#include <string_view>

#include "capture/metrics/nvml_abi.h"
#include "model/base/result.h"

namespace lacuna {

/// NVIDIA's management library as the driver brings it, found at run time and never closed again. Its functions may be
/// called from any thread, and may be slow.
struct NvmlLibrary {
  nvml::Functions functions;
  std::string path;
  std::string driver;  ///< "560.35.03"; empty: unknown
  unsigned devices = 0;
};

/// Variable with the path of a libnvidia-ml to use in place of the one found by name.
inline constexpr char kNvmlVariable[] = "LACUNA_NVML";

/// Loads and initialises it. May take a second where the driver sleeps, and as long as it likes where that is broken:
/// not for threads that must answer soon. Errors: no driver, or one that does not answer; in words for people.
Result<NvmlLibrary> load_nvml();

/// Some bits of nvml::reason in words, for instance "power cap".
struct ThrottleReason {
  std::uint64_t bit;
  std::string_view name;
};
/// Reasons for a lower clock that come from the hardware or its limits; idleness and settings are none of these.
inline constexpr ThrottleReason kThrottleReasons[] = {
    {nvml::reason::kPowerCap, "power cap"},     {nvml::reason::kHardwareSlowdown, "hardware slowdown"},
    {nvml::reason::kThermal, "too hot"},        {nvml::reason::kHardwareThermal, "too hot (hardware)"},
    {nvml::reason::kPowerBrake, "power brake"}, {nvml::reason::kSyncBoost, "sync boost"},
};

}  // namespace lacuna
