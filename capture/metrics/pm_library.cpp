#include "capture/metrics/pm_library.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "capture/wire/handshake.h"
#include "model/base/os/folder_paths.h"

namespace lacuna {
namespace {

constexpr const char* kCuptiFiles[] = {"libcupti.so.13", "libcupti.so.12"};
constexpr const char* kCuptiFolders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
                                         "/usr/local/cuda/lib"};
/// Where NVIDIA's packages for Python put it, below site-packages.
constexpr const char* kCuptiWheels[] = {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"};

void* open_cupti_of_python() {
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* root = std::getenv(variable);
    if (root == nullptr || *root == '\0') continue;
    std::error_code error;
    for (const std::filesystem::path python : folder_paths(std::filesystem::path(root) / "lib", error)) {
      if (!python.filename().string().starts_with("python3")) continue;
      for (const char* wheel : kCuptiWheels)
        for (const char* file : kCuptiFiles)
          if (void* handle = dlopen((python / "site-packages" / wheel / file).c_str(), RTLD_NOW | RTLD_LOCAL))
            return handle;
    }
  }
  return nullptr;
}

void* open_cupti() {
  if (const char* path = std::getenv(wire::kCuptiVariable); path != nullptr && *path != '\0')
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  for (const char* file : kCuptiFiles)
    if (void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return handle;
  for (const char* folder : kCuptiFolders)
    for (const char* file : kCuptiFiles)
      if (void* handle = dlopen(fmt::format("{}/{}", folder, file).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  return open_cupti_of_python();
}

template <class Function>
bool find_in(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_pm_functions(void* library, pm::Functions& f) {
  find_in(library, "cuptiActivityRegisterTimestampCallback", f.RegisterClock);  // else CUPTI's own clock
  return find_in(library, "cuptiGetVersion", f.GetVersion) && find_in(library, "cuptiGetTimestamp", f.GetTimestamp) &&
         find_in(library, "cuptiProfilerInitialize", f.ProfilerInitialize) &&
         find_in(library, "cuptiDeviceGetChipName", f.DeviceGetChipName) &&
         find_in(library, "cuptiProfilerHostInitialize", f.HostInitialize) &&
         find_in(library, "cuptiProfilerHostDeinitialize", f.HostDeinitialize) &&
         find_in(library, "cuptiProfilerHostConfigAddMetrics", f.HostAddMetrics) &&
         find_in(library, "cuptiProfilerHostGetConfigImageSize", f.HostGetConfigSize) &&
         find_in(library, "cuptiProfilerHostGetConfigImage", f.HostGetConfig) &&
         find_in(library, "cuptiProfilerHostGetNumOfPasses", f.HostGetPasses) &&
         find_in(library, "cuptiProfilerHostEvaluateToGpuValues", f.HostEvaluate) &&
         find_in(library, "cuptiPmSamplingGetCounterAvailability", f.PmGetAvailability) &&
         find_in(library, "cuptiPmSamplingEnable", f.PmEnable) &&
         find_in(library, "cuptiPmSamplingDisable", f.PmDisable) &&
         find_in(library, "cuptiPmSamplingSetConfig", f.PmSetConfig) &&
         find_in(library, "cuptiPmSamplingGetCounterDataSize", f.PmGetDataSize) &&
         find_in(library, "cuptiPmSamplingCounterDataImageInitialize", f.PmInitializeData) &&
         find_in(library, "cuptiPmSamplingStart", f.PmStart) && find_in(library, "cuptiPmSamplingStop", f.PmStop) &&
         find_in(library, "cuptiPmSamplingDecodeData", f.PmDecode) &&
         find_in(library, "cuptiPmSamplingGetCounterDataInfo", f.PmGetDataInfo) &&
         find_in(library, "cuptiPmSamplingCounterDataGetSampleInfo", f.PmGetSampleInfo);
}

struct Tried {
  pm::Status status = pm::kSuccess;
  const char* call = "";
  std::size_t passes = 0;
  void* host = nullptr;
  std::vector<std::uint8_t> config;
};

/// What CUPTI says of some metrics together. Its host object stays with the answer where all of it went well.
Tried try_metrics(const pm::Functions& f, const std::string& chip, const std::vector<std::uint8_t>& availability,
                  std::vector<const char*>& names) {
  Tried tried;
  const auto is_done = [&](const char* call, pm::Status status) {
    tried.call = call;
    tried.status = status;
    return status == pm::kSuccess;
  };
  pm::HostInitialize host;
  host.chip = chip.c_str();
  host.availability = availability.empty() ? nullptr : availability.data();
  if (!is_done("cuptiProfilerHostInitialize", f.HostInitialize(&host))) return tried;
  pm::AddMetrics add;
  add.host = host.host;
  add.names = names.data();
  add.count = names.size();
  pm::GetConfigSize size;
  size.host = host.host;
  pm::GetConfig config;
  config.host = host.host;
  const bool is_known = is_done("cuptiProfilerHostConfigAddMetrics", f.HostAddMetrics(&add)) &&
                        is_done("cuptiProfilerHostGetConfigImageSize", f.HostGetConfigSize(&size));
  if (is_known) {
    tried.config.resize(size.bytes);
    config.bytes = tried.config.size();
    config.image = tried.config.data();
    pm::GetPasses passes;
    passes.bytes = tried.config.size();
    passes.image = tried.config.data();
    if (is_done("cuptiProfilerHostGetConfigImage", f.HostGetConfig(&config)) &&
        is_done("cuptiProfilerHostGetNumOfPasses", f.HostGetPasses(&passes)))
      tried.passes = passes.passes;
  }
  if (tried.passes == 1) {
    tried.host = host.host;
  } else {
    pm::HostDeinitialize end;
    end.host = host.host;
    f.HostDeinitialize(&end);
  }
  return tried;
}

}  // namespace

Result<PmLibrary> load_pm_library() {
  void* handle = open_cupti();
  if (handle == nullptr) {
    const char* given = std::getenv(wire::kCuptiVariable);
    return fail(ErrorCode::kNotFound,
                given != nullptr && *given != '\0'
                    ? fmt::format("{} cannot be loaded ({})", given, wire::kCuptiVariable)
                    : fmt::format("no libcupti.so.13 or .12 is found: set {} to one of CUDA 12.6 or later (pip install "
                                  "nvidia-cuda-cupti-cu12 brings it)",
                                  wire::kCuptiVariable));
  }
  PmLibrary library;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr)
    library.path = map->l_name;
  if (!find_pm_functions(handle, library.functions))
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} is older than CUDA 12.6: set {} to a newer one", library.path, wire::kCuptiVariable));
  library.functions.GetVersion(&library.version);
  return library;
}

Result<void> start_cuda(PmLibrary& library) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  pm::Functions& f = library.functions;
  if (driver == nullptr || !find_in(driver, "cuInit", f.Init))
    return fail(ErrorCode::kNotFound, "there is no NVIDIA driver (libcuda.so.1)");
  find_in(driver, "cuDevicePrimaryCtxRetain", f.RetainContext);
  find_in(driver, "cuCtxSetCurrent", f.SetCurrentContext);
  if (const int status = f.Init(0); status != 0)
    return fail(ErrorCode::kUnsupported, status == pm::kNoDevice
                                             ? std::string("CUDA sees no GPU")
                                             : fmt::format("CUDA does not start: cuInit says {}", status));
  pm::Initialize initialize;
  if (const pm::Status status = f.ProfilerInitialize(&initialize); status != pm::kSuccess)
    return fail(ErrorCode::kUnsupported, pm_refusal(status, "cuptiProfilerInitialize"));
  return {};
}

Result<PmChoice> choose_pm_metrics(const PmLibrary& library, const std::string& chip,
                                   const std::vector<std::uint8_t>& availability) {
  PmChoice choice;
  Tried last;
  for (std::size_t i = 0; i < kPmMetricCount; ++i) {
    choice.names.push_back(kPmMetrics[i].name);
    Tried tried = try_metrics(library.functions, chip, availability, choice.names);
    if (tried.host == nullptr) {
      choice.names.pop_back();
      last = std::move(tried);
      continue;
    }
    if (choice.host != nullptr) {
      pm::HostDeinitialize end;
      end.host = choice.host;
      library.functions.HostDeinitialize(&end);
    }
    choice.host = tried.host;
    choice.config = std::move(tried.config);
    choice.metrics.push_back(i);
  }
  if (choice.host == nullptr) return fail(ErrorCode::kUnsupported, pm_refusal(last.status, last.call));
  return choice;
}

std::string pm_refusal(pm::Status status, std::string_view call) {
  switch (status) {
    case pm::kNoPrivileges:
    case pm::kNoPrivilegesVirtualized:
      return "the driver keeps them for administrators: set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia "
             "kernel "
             "module, or give lacuna CAP_SYS_ADMIN (sudo, docker run --cap-add SYS_ADMIN)";
    case pm::kHardwareBusy:
    case pm::kInvalidOperation:
      return "another profiler (ncu, nsys, DCGM) holds the GPU's performance monitors: end it first (dcgmi profile "
             "--pause)";
    case pm::kVirtualized:
      return "this is a virtual GPU (vGPU), which has none: ask for the whole GPU";
    case pm::kMig:
      return "the GPU is divided (MIG), which CUPTI does not sample: use a GPU without MIG";
    case pm::kWsl:
      return "WSL has none: use a Linux machine";
    case pm::kConfidential:
      return "confidential computing hides them";
    case pm::kNotSupported:
    case pm::kMining:
    case pm::kSli:
      return fmt::format("CUPTI does not sample this GPU ({} says {}): it has to be of Turing or later", call, status);
    case pm::kHardware:
      return "the GPU fails, or has fallen off the bus: nvidia-smi says more";
    default:
      return fmt::format("{} says {}: a newer libcupti may know this GPU and driver ({})", call, status,
                         wire::kCuptiVariable);
  }
}

}  // namespace lacuna
