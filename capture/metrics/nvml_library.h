#pragma once

#include <string>
#include <string_view>

#include "capture/metrics/nvml_abi.h"
#include "model/base/result.h"

namespace lacuna {

/// The driver's NVIDIA Management Library, found at run time and never closed again. Its functions may be
/// called from any thread, and may be slow.
struct NvmlLibrary {
  nvml::Functions functions;
  std::string path;
  std::string driver;  ///< "560.35.03"; empty: unknown
  unsigned devices = 0;
};

/// Variable with the path of a libnvidia-ml to use instead of the one found by name.
inline constexpr char kNvmlVariable[] = "LACUNA_NVML";

/// Loads and initialises NVML. May take a second if the driver sleeps, and arbitrarily long if it is broken:
/// do not call it on threads that must respond soon. Errors: no driver, or one that does not answer, as text for users.
Result<NvmlLibrary> load_nvml();

/// A set of bits of nvml::reason and its name, for instance "power cap".
struct ThrottleReason {
  std::uint64_t bit;
  std::string_view name;
};
/// Reasons for a lower clock that come from the hardware or its limits, not from idleness or settings.
inline constexpr ThrottleReason kThrottleReasons[] = {
    {nvml::reason::kPowerCap, "power cap"},     {nvml::reason::kHardwareSlowdown, "hardware slowdown"},
    {nvml::reason::kThermal, "too hot"},        {nvml::reason::kHardwareThermal, "too hot (hardware)"},
    {nvml::reason::kPowerBrake, "power brake"}, {nvml::reason::kSyncBoost, "sync boost"},
};

}  // namespace lacuna
