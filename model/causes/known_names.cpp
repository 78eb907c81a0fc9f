#include "model/causes/known_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/kernels/kernel_class.h"

namespace lacuna {
namespace {

template <std::size_t N>
bool starts_with_any(std::string_view name, const std::array<std::string_view, N>& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return name.starts_with(p); });
}

template <std::size_t N>
bool contains_any(std::string_view name, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view p) { return name.find(p) != name.npos; });
}

template <std::size_t N>
bool is_any(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// CUDA Runtime and Driver API, "Synchronization behavior"; the HIP, Level Zero, Unified Runtime and MTIA calls of the
// same meaning. Prefixes, because CUPTI appends _v2, _v3020 and _ptsz.
constexpr std::array<std::string_view, 19> kSynchronisingPrefixes = {"cudaDeviceSynchronize",
                                                                     "cudaStreamSynchronize",
                                                                     "cudaEventSynchronize",
                                                                     "cudaThreadSynchronize",
                                                                     "cuCtxSynchronize",
                                                                     "cuStreamSynchronize",
                                                                     "cuEventSynchronize",
                                                                     "hipDeviceSynchronize",
                                                                     "hipStreamSynchronize",
                                                                     "hipEventSynchronize",
                                                                     "hipCtxSynchronize",
                                                                     "zeEventHostSynchronize",
                                                                     "zeCommandQueueSynchronize",
                                                                     "urQueueFinish",
                                                                     "urEventWait",
                                                                     "zeFenceHostSynchronize",
                                                                     "zeCommandListHostSynchronize",
                                                                     "synchronizeStream",
                                                                     "AscendCL@aclrtSynchronize"};

// Free memory, and therefore wait for the work that may still use it.
constexpr std::array<std::string_view, 6> kFreeingCalls = {"cudaFree",      "cudaFreeHost", "cuMemFree_v2",
                                                           "cuMemFreeHost", "hipFree",      "hipHostFree"};

// CUDA Runtime and Driver API, "Memory Management" and "Virtual Memory Management"; HIP's of the same meaning.
constexpr std::array<std::string_view, 22> kAllocatingPrefixes = {
    "cudaMalloc",  "cudaFree",  "cudaHostAlloc",        "cudaHostRegister",  "cuMemAlloc",     "cuMemFree",
    "cuMemCreate", "cuMemMap",  "cuMemSetAccess",       "cuMemUnmap",        "cuMemRelease",   "cuMemAddressReserve",
    "hipMalloc",   "hipFree",   "hipHostMalloc",        "urUSMDeviceAlloc",  "urUSMHostAlloc", "urUSMFree",
    "zeMemAlloc",  "zeMemFree", "AscendCL@aclrtMalloc", "AscendCL@aclrtFree"};
// … "Module Management", "Library Management" and NVRTC.
constexpr std::array<std::string_view, 9> kLoadingPrefixes = {
    "cuModuleLoad",  "cuLibraryLoad",        "cudaLibraryLoad", "cuModuleGetFunction", "cuLinkComplete",
    "hipModuleLoad", "hipModuleGetFunction", "nvrtcCompile",    "hiprtcCompile"};
// Files and functions of torch.compile and Triton, as Python frames and record_function name them.
constexpr std::array<std::string_view, 10> kCompilingParts = {
    "torch/_dynamo/convert_frame", "torch/_inductor/compile_fx",
    "torch/_inductor/codecache",   "torch/_inductor/async_compile",
    "triton/compiler/compiler.py", "triton/runtime/build.py",
    "CachingAutotuner.benchmark",  "benchmark_all_configs",
    "torch/utils/cpp_extension",   "(dynamo_timed)"};
constexpr std::array<std::string_view, 4> kCallbackPrefixes = {"cudaLaunchHostFunc", "cudaStreamAddCallback",
                                                               "cuLaunchHostFunc", "hipLaunchHostFunc"};
constexpr std::array<std::string_view, 20> kLaunchingPrefixes = {"cudaLaunchKernel",
                                                                 "cudaLaunchCooperativeKernel",
                                                                 "cuLaunchKernel",
                                                                 "cuLaunchCooperativeKernel",
                                                                 "hipLaunchKernel",
                                                                 "hipExtLaunchKernel",
                                                                 "hipModuleLaunch",
                                                                 "hipExtModuleLaunch",
                                                                 "cudaMemcpyAsync",
                                                                 "cudaMemsetAsync",
                                                                 "cuMemcpy",
                                                                 "cuMemset",
                                                                 "hipMemcpyAsync",
                                                                 "hipMemsetAsync",
                                                                 "cudaGraphLaunch",
                                                                 "cuGraphLaunch",
                                                                 "urEnqueueKernelLaunch",
                                                                 "urEnqueueUSMMemcpy",
                                                                 "urEnqueueUSMFill",
                                                                 "zeCommandListAppendLaunchKernel"};

constexpr std::array<std::string_view, 5> kCopyPrefixes = {"cudaMemcpy", "cuMemcpy", "hipMemcpy", "urEnqueueUSMMemcpy",
                                                           "AscendCL@aclrtMemcpy"};

// Collectives that block the calling thread: the Gloo backend, and barriers and object collectives.
constexpr std::array<std::string_view, 4> kHostCommunicationPrefixes = {"gloo:", "c10d::barrier",
                                                                        "c10d::monitored_barrier_", "mpi:"};

// DataLoader's record_function (torch/utils/data/dataloader.py) and DataPipe's.
constexpr std::array<std::string_view, 2> kDataLoadingPrefixes = {"enumerate(DataLoader)#", "enumerate(DataPipe)#"};
// The same as Python frames, "FILE(LINE): FUNCTION", where stacks were recorded.
constexpr std::string_view kDataLoadingFile = "torch/utils/data/dataloader.py(";
constexpr std::array<std::string_view, 3> kDataLoadingFunctions = {": __next__", ": _next_data", ": _get_data"};

constexpr std::array<std::string_view, 3> kProfilerFiles = {
    "torch/profiler/profiler.py(", "torch/autograd/profiler.py(", "torch/profiler/_memory_profiler"};

// CUpti_ActivityOverheadKind, as Kineto prints it: these two are CUDA's own.
constexpr std::array<std::string_view, 4> kCudaOverheads = {"Lazy Function Loading", "Command Buffer Full",
                                                            "Runtime Triggered Module Loading", "Driver Compiler"};

/// "cudaFree_v3020", as Nsight Systems writes it, without the version.
std::string_view without_version(std::string_view name) {
  const auto mark = name.rfind("_v");
  if (mark == name.npos || mark + 2 == name.size()) return name;
  const std::string_view digits = name.substr(mark + 2);
  const bool is_version =
      digits.size() >= 4 && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return is_version ? name.substr(0, mark) : name;
}

}  // namespace

bool is_synchronising_call(std::string_view name) {
  if (starts_with_any(name, kSynchronisingPrefixes) || is_any(without_version(name), kFreeingCalls)) return true;
  return is_copy_call(name) && name.find("Async") == name.npos;
}

bool is_allocating_call(std::string_view name) {
  return starts_with_any(name, kAllocatingPrefixes);
}

bool is_first_use(std::string_view name) {
  return starts_with_any(name, kLoadingPrefixes) || contains_any(name, kCompilingParts);
}

bool is_host_callback(std::string_view name) {
  return starts_with_any(name, kCallbackPrefixes);
}

bool is_launching_call(std::string_view name) {
  return starts_with_any(name, kLaunchingPrefixes);
}

bool is_copy_call(std::string_view name) {
  return starts_with_any(name, kCopyPrefixes);
}

bool is_graph_launch(std::string_view name) {
  return name.find("GraphLaunch") != name.npos || name.find("EnqueueCommandBuffer") != name.npos;
}

bool is_host_to_device(std::string_view name) {
  return name.find("HtoD") != name.npos || name.find("HostToDevice") != name.npos;
}

bool is_on_device(std::string_view name) {
  return name.find("DtoD") != name.npos || name.find("DeviceToDevice") != name.npos;
}

bool is_communication_kernel(std::string_view name) {
  return kernel_class(name) == KernelClass::kCommunication;
}

bool is_host_communication(std::string_view name) {
  return starts_with_any(name, kHostCommunicationPrefixes);
}

bool is_data_loading(std::string_view name) {
  if (starts_with_any(name, kDataLoadingPrefixes)) return true;
  return name.find(kDataLoadingFile) != name.npos && contains_any(name, kDataLoadingFunctions);
}

bool is_profiler_frame(std::string_view name) {
  return contains_any(name, kProfilerFiles);
}

bool is_profiler_overhead(std::string_view overhead_event) {
  return !is_any(overhead_event, kCudaOverheads);
}

bool is_code_loading_overhead(std::string_view overhead_event) {
  return is_any(overhead_event, kCudaOverheads) && overhead_event != "Command Buffer Full";
}

bool is_profiler_step(std::string_view name) {
  return name.starts_with("ProfilerStep");
}

bool is_annotation_name(std::string_view name) {
  return is_profiler_step(name) || starts_with_any(name, kDataLoadingPrefixes) || name.starts_with("Optimizer.");
}

bool is_builtin_frame(std::string_view name) {
  return name.starts_with("<built-in ");
}

}  // namespace lacuna
