#include "capture/metrics/nvml_library.h"

#include <array>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

namespace lacuna {
namespace {

template <class Function>
bool find(void* library, std::initializer_list<const char*> names, Function& function) {
  for (const char* name : names) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function != nullptr) return true;
  }
  return false;
}

/// Everything but the first four may be missing in a driver: that number is then not had.
bool find_all(void* library, nvml::Functions& f) {
  const bool has_needed = find(library, {"nvmlInit_v2", "nvmlInit"}, f.Init) &&
                          find(library, {"nvmlDeviceGetCount_v2"}, f.DeviceGetCount) &&
                          find(library, {"nvmlDeviceGetHandleByIndex_v2"}, f.DeviceGetHandleByIndex);
  find(library, {"nvmlSystemGetDriverVersion"}, f.SystemGetDriverVersion);
  find(library, {"nvmlDeviceGetName"}, f.DeviceGetName);
  find(library, {"nvmlDeviceGetUUID"}, f.DeviceGetUuid);
  find(library, {"nvmlDeviceGetUtilizationRates"}, f.DeviceGetUtilizationRates);
  find(library, {"nvmlDeviceGetMemoryInfo"}, f.DeviceGetMemoryInfo);
  find(library, {"nvmlDeviceGetClockInfo"}, f.DeviceGetClockInfo);
  find(library, {"nvmlDeviceGetMaxClockInfo"}, f.DeviceGetMaxClockInfo);
  find(library, {"nvmlDeviceGetPowerUsage"}, f.DeviceGetPowerUsage);
  find(library, {"nvmlDeviceGetEnforcedPowerLimit"}, f.DeviceGetEnforcedPowerLimit);
  find(library, {"nvmlDeviceGetTemperature"}, f.DeviceGetTemperature);
  find(library, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
       f.DeviceGetReasons);
  find(library, {"nvmlDeviceGetPcieThroughput"}, f.DeviceGetPcieThroughput);
  find(library, {"nvmlDeviceGetFieldValues"}, f.DeviceGetFieldValues);
  find(library, {"nvmlDeviceGetComputeRunningProcesses_v3"}, f.DeviceGetProcesses);
  return has_needed;
}

std::string words_of(nvml::Status status) {
  switch (status) {
    case nvml::kDriverNotLoaded:
      return "the NVIDIA driver is not loaded";
    case nvml::kNoPermission:
      return "this user may not use the GPUs";
    case nvml::kGpuIsLost:
      return "a GPU has fallen off the bus";
    case nvml::kVersionMismatch:
      return "the library is of another version than the driver (restart after an update of it)";
    default:
      return fmt::format("error {}", status);
  }
}

}  // namespace

Result<NvmlLibrary> load_nvml() {
  const char* given = std::getenv(kNvmlVariable);
  const std::string name = given != nullptr && *given != '\0' ? given : "libnvidia-ml.so.1";
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fail(ErrorCode::kNotFound, fmt::format("no NVIDIA driver here ({})", name));
  NvmlLibrary library;
  link_map* map = nullptr;
  library.path =
      dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr ? map->l_name : name;
  if (!find_all(handle, library.functions))
    return fail(ErrorCode::kUnsupported, fmt::format("{} is too old, or no NVML", library.path));
  if (const nvml::Status status = library.functions.Init(); status != nvml::kSuccess)
    return fail(ErrorCode::kUnsupported, fmt::format("NVML does not start: {}", words_of(status)));
  std::array<char, 96> version{};
  if (library.functions.SystemGetDriverVersion != nullptr &&
      library.functions.SystemGetDriverVersion(version.data(), version.size() - 1) == nvml::kSuccess)
    library.driver = version.data();
  if (const nvml::Status status = library.functions.DeviceGetCount(&library.devices); status != nvml::kSuccess)
    return fail(ErrorCode::kUnsupported, fmt::format("NVML does not count its GPUs: {}", words_of(status)));
  return library;
}

}  // namespace lacuna
