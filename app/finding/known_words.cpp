#include "app/finding/known_words.h"

#include <algorithm>
#include <array>
#include <span>

#include "app/finding/every_stretch.h"
#include "model/trace/step_marks.h"

namespace lacuna {
namespace {

using Words = std::span<const std::string_view>;

constexpr auto kNamespaces = std::to_array<std::string_view>({"aten",
                                                              "at",
                                                              "c10",
                                                              "c10d",
                                                              "c10d_functional",
                                                              "_c10d_functional",
                                                              "prim",
                                                              "prims",
                                                              "torch",
                                                              "autograd",
                                                              "nccl",
                                                              "inductor",
                                                              "triton",
                                                              "torchvision",
                                                              "quantized",
                                                              "profiler",
                                                              "std",
                                                              "thrust",
                                                              "cub",
                                                              "cuda",
                                                              "cutlass",
                                                              "cute",
                                                              "cublasLt",
                                                              "cudnn",
                                                              "cask",
                                                              "cask_cudnn",
                                                              "flash",
                                                              "rocprim",
                                                              "hipcub",
                                                              "native",
                                                              "detail",
                                                              "internal",
                                                              "cudnn_frontend",
                                                              "pytorch_flash",
                                                              "fmha",
                                                              "xformers",
                                                              "FSDP",
                                                              "symm_mem",
                                                              "_C",
                                                              "_moe_C",
                                                              "vllm",
                                                              "sgl_kernel",
                                                              "fbgemm",
                                                              "mkldnn",
                                                              "flash_attn",
                                                              "flash_attn_3"});
constexpr auto kNames = std::to_array<std::string_view>({"record_param_comms",
                                                         "DataLoader",
                                                         "enumerate(DataLoader)",
                                                         "Iteration",
                                                         "Stream Sync",
                                                         "Context Sync",
                                                         "Event Sync",
                                                         "Stream Wait Event",
                                                         "Activity Buffer Request",
                                                         "Lazy Function Loading",
                                                         "Command Buffer Full",
                                                         "Instrumentation",
                                                         "Resource",
                                                         "Runtime Triggered Module Loading",
                                                         "Iteration Start: PyTorch Profiler",
                                                         "Record Window End",
                                                         "PyTorch Profiler (0)",
                                                         "Trace",
                                                         "ac2g",
                                                         "fwdbwd",
                                                         "async_cpu_to_gpu",
                                                         "forward_backward",
                                                         "running",
                                                         "waiting",
                                                         "preempted",
                                                         "[memory]",
                                                         "[OutOfMemory]",
                                                         "CompiledFunction",
                                                         "CompiledFunctionBackward",
                                                         "default_pg",
                                                         "AccumulateGrad",
                                                         "python",
                                                         "python3",
                                                         "CPU",
                                                         "GPU",
                                                         "Spans",
                                                         "Traces",
                                                         "nccl",
                                                         "cpu_instant_event",
                                                         "detach",
                                                         "detach_",
                                                         "PyTorch Profiler",
                                                         "TorchDynamo Cache Lookup",
                                                         "Pregraph bytecode",
                                                         "AOTDispatcher Runtime Wrapper Prologue",
                                                         "HostNode",
                                                         "DistributedDataParallel.forward",
                                                         "Trace PyTorch Profiler",
                                                         "events without a process",
                                                         "gloo",
                                                         "mpi",
                                                         "ucc",
                                                         "ms",
                                                         "ns",
                                                         "None",
                                                         "True",
                                                         "False",
                                                         "undefined",
                                                         "process_name",
                                                         "process_labels",
                                                         "process_sort_index",
                                                         "process_rank",
                                                         "thread_name",
                                                         "thread_sort_index",
                                                         "sample_period_ns",
                                                         "name",
                                                         "labels",
                                                         "rank"});
constexpr auto kLoaders = std::to_array<std::string_view>(
    {"_SingleProcessDataLoaderIter.__next__", "_MultiProcessingDataLoaderIter.__next__"});
constexpr auto kOptimizers =
    std::to_array<std::string_view>({"Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "LBFGS",
                                     "NAdam", "RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam"});
constexpr auto kModules = std::to_array<std::string_view>({"AdaptiveAvgPool2d",
                                                           "AvgPool2d",
                                                           "BatchNorm1d",
                                                           "BatchNorm2d",
                                                           "BatchNorm3d",
                                                           "Bilinear",
                                                           "Conv1d",
                                                           "Conv2d",
                                                           "Conv3d",
                                                           "ConvTranspose2d",
                                                           "CrossEntropyLoss",
                                                           "DataParallel",
                                                           "DistributedDataParallel",
                                                           "Dropout",
                                                           "Embedding",
                                                           "EmbeddingBag",
                                                           "Flatten",
                                                           "FullyShardedDataParallel",
                                                           "GELU",
                                                           "GroupNorm",
                                                           "Identity",
                                                           "LSTM",
                                                           "GRU",
                                                           "LayerNorm",
                                                           "LeakyReLU",
                                                           "Linear",
                                                           "MSELoss",
                                                           "MaxPool2d",
                                                           "ModuleDict",
                                                           "ModuleList",
                                                           "MultiheadAttention",
                                                           "RMSNorm",
                                                           "ReLU",
                                                           "Sequential",
                                                           "SiLU",
                                                           "Sigmoid",
                                                           "Softmax",
                                                           "Tanh",
                                                           "Transformer",
                                                           "TransformerDecoder",
                                                           "TransformerDecoderLayer",
                                                           "TransformerEncoder",
                                                           "TransformerEncoderLayer",
                                                           "Unflatten",
                                                           "Upsample"});
constexpr auto kArguments = std::to_array<std::string_view>({"External id",
                                                             "external id",
                                                             "Ev Idx",
                                                             "Sequence number",
                                                             "Fwd thread id",
                                                             "Input Dims",
                                                             "Input type",
                                                             "Input Strides",
                                                             "Concrete Inputs",
                                                             "Record function id",
                                                             "correlation",
                                                             "device",
                                                             "context",
                                                             "stream",
                                                             "cbid",
                                                             "queued",
                                                             "registers per thread",
                                                             "shared memory",
                                                             "blocks per SM",
                                                             "warps per SM",
                                                             "grid",
                                                             "block",
                                                             "est. achieved occupancy %",
                                                             "bytes",
                                                             "memory bandwidth (GB/s)",
                                                             "Python id",
                                                             "Python parent id",
                                                             "Python module id",
                                                             "Collective name",
                                                             "dtype",
                                                             "In msg nelems",
                                                             "Out msg nelems",
                                                             "Group size",
                                                             "Process Group Name",
                                                             "Process Group Description",
                                                             "Process Group Ranks",
                                                             "Rank",
                                                             "Src Rank",
                                                             "Dst Rank",
                                                             "In split size",
                                                             "Out split size",
                                                             "Global rank start",
                                                             "Global rank stride",
                                                             "Seq",
                                                             "Addr",
                                                             "Device Id",
                                                             "Device Type",
                                                             "Total Allocated",
                                                             "Total Reserved",
                                                             "Bytes",
                                                             "Ptr",
                                                             "graph id",
                                                             "graph node id",
                                                             "sort_index",
                                                             "value",
                                                             "wait_on_stream",
                                                             "wait_on_cuda_event_record_corr_id",
                                                             "wait_on_cuda_event_id",
                                                             "cuda_sync_kind",
                                                             "Op count",
                                                             "fwd thread id",
                                                             "priority",
                                                             "num_warps",
                                                             "num_stages"});
constexpr auto kMembers = std::to_array<std::string_view>(
    {"schemaVersion", "deviceProperties", "distributedInfo", "displayTimeUnit", "baseTimeNanoseconds", "cupti_version",
     "cuda_runtime_version", "cuda_driver_version", "record_shapes", "profile_memory", "with_stack", "with_flops",
     "with_modules", "trace_id", "roctracer_version", "hip_runtime_version", "hip_driver_version"});

constexpr auto kMemberKeys = std::to_array<std::string_view>({"id",
                                                              "name",
                                                              "totalGlobalMem",
                                                              "computeMajor",
                                                              "computeMinor",
                                                              "maxThreadsPerBlock",
                                                              "maxThreadsPerMultiprocessor",
                                                              "warpSize",
                                                              "numSms",
                                                              "regsPerBlock",
                                                              "sharedMemPerBlock",
                                                              "regsPerMultiprocessor",
                                                              "sharedMemPerBlockOptin",
                                                              "sharedMemPerMultiprocessor",
                                                              "maxSharedMemoryPerMultiProcessor",
                                                              "runtimeMajorVersion",
                                                              "runtimeMinorVersion",
                                                              "maxGridHeight",
                                                              "maxGridWidth",
                                                              "pg_name",
                                                              "pg_desc",
                                                              "pg_size",
                                                              "pg_count",
                                                              "pg_config",
                                                              "backend",
                                                              "backend_config",
                                                              "rank",
                                                              "ranks",
                                                              "world_size",
                                                              "nccl_version"});
// Of tensors and arguments as PyTorch writes them, of collectives, and of synchronisations.
constexpr auto kTypeWords = std::to_array<std::string_view>({"Float",
                                                             "float",
                                                             "Double",
                                                             "double",
                                                             "Half",
                                                             "half",
                                                             "BFloat16",
                                                             "Byte",
                                                             "Char",
                                                             "Short",
                                                             "Int",
                                                             "Long",
                                                             "Bool",
                                                             "int",
                                                             "long",
                                                             "bool",
                                                             "unsigned",
                                                             "signed",
                                                             "char",
                                                             "short",
                                                             "c10",
                                                             "at",
                                                             "std",
                                                             "complex",
                                                             "ComplexHalf",
                                                             "ComplexFloat",
                                                             "ComplexDouble",
                                                             "Float8_e4m3fn",
                                                             "Float8_e5m2",
                                                             "Float8_e4m3fnuz",
                                                             "Float8_e5m2fnuz",
                                                             "Float8_e8m0fnu",
                                                             "Float4_e2m1fn_x2",
                                                             "QInt8",
                                                             "QUInt8",
                                                             "QInt32",
                                                             "quint8",
                                                             "qint8",
                                                             "qint32",
                                                             "UInt16",
                                                             "UInt32",
                                                             "UInt64",
                                                             "Scalar",
                                                             "ScalarList",
                                                             "GenericList",
                                                             "TensorList",
                                                             "Tensor",
                                                             "Device",
                                                             "allreduce",
                                                             "all_reduce",
                                                             "allgather",
                                                             "all_gather",
                                                             "_allgather_base",
                                                             "_all_gather_base",
                                                             "allgather_into_tensor_coalesced",
                                                             "all_to_all",
                                                             "all_to_allv",
                                                             "alltoall",
                                                             "alltoall_base",
                                                             "broadcast",
                                                             "_broadcast_oop",
                                                             "barrier",
                                                             "gather",
                                                             "scatter",
                                                             "reduce",
                                                             "_reduce_oop",
                                                             "reduce_scatter",
                                                             "reduce_scatter_base",
                                                             "_reduce_scatter_base",
                                                             "reduce_scatter_tensor_coalesced",
                                                             "allreduce_coalesced",
                                                             "allreduce_sparse",
                                                             "allgather_coalesced",
                                                             "send",
                                                             "recv",
                                                             "recvAnySource",
                                                             "wait",
                                                             "init",
                                                             "pointToPoint",
                                                             "coalesced",
                                                             "Stream",
                                                             "Sync",
                                                             "Context",
                                                             "Event",
                                                             "Wait",
                                                             "Memory",
                                                             "Allocation",
                                                             "Deallocation",
                                                             "Unknown"});
constexpr auto kDeviceVendors = std::to_array<std::string_view>(
    {"NVIDIA", "AMD", "Intel(R)", "Intel", "Tesla", "Quadro", "GeForce", "GRID", "Radeon", "Instinct"});
constexpr auto kDeviceWords = std::to_array<std::string_view>(
    {"Tesla",  "Quadro",      "GeForce", "Radeon",  "Instinct", "Graphics", "Generation", "Data",
     "Center", "GPU",         "Max",     "Arc(TM)", "Laptop",   "SUPER",    "Ada",        "Blackwell",
     "Server", "Workstation", "Edition", "Device",  "Jetson",   "AGX"});

bool is_one_of(Words words, std::string_view text) {
  return std::ranges::find(words, text) != words.end();
}

constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool all_of(std::string_view text, bool (*test)(char)) {
  return !text.empty() && std::ranges::all_of(text, test);
}

bool is_number(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':' || c == '/';
}

/// "SomeBackward0": a function of autograd; those of users have no number.
bool is_backward(std::string_view text) {
  const std::size_t end = text.find_last_not_of("0123456789");
  return end != text.npos && end + 1 < text.size() && text.substr(0, end + 1).ends_with("Backward") &&
         all_of(text, is_word);
}

}  // namespace

bool is_public_namespace(std::string_view name) {
  return is_one_of(kNamespaces, name);
}

bool is_public_module(std::string_view name) {
  return is_one_of(kModules, name);
}

bool is_public_argument(std::string_view key) {
  return is_one_of(kArguments, key);
}

bool is_public_member(std::string_view key) {
  return is_one_of(kMembers, key);
}

bool is_public_member_key(std::string_view key) {
  return is_one_of(kMemberKeys, key);
}

bool is_public_type(std::string_view text) {
  return every_stretch(text, is_word,
                       [](std::string_view word) { return is_one_of(kTypeWords, word) || all_of(word, is_number); });
}

bool is_public_device(std::string_view name) {
  if (!is_one_of(kDeviceVendors, name.substr(0, name.find(' ')))) return false;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(" -"), rest.size());
    const std::string_view word = rest.substr(0, end);
    // "H100", "80GB", "SXM5", "MI300X", "RTX"
    const bool is_model = word.size() <= 7 && std::ranges::all_of(word, [](char c) {
                            return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == 'e' || c == 'i';
                          });
    if (!is_model && !is_one_of(kDeviceWords, word) && !is_one_of(kDeviceVendors, word)) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

bool is_network_address(std::string_view text) {
  if (!all_of(text, is_number)) return false;
  return std::ranges::count(text.substr(0, text.find(':')), '.') == 3 || std::ranges::count(text, ':') > 1;
}

bool is_public_name(std::string_view name) {
  if (name.empty() || is_one_of(kNames, name) || is_backward(name)) return true;
  if (all_of(name, is_number)) return !is_network_address(name);
  for (const std::string_view prefix :
       {"ProfilerStep#", "GPU ", "CPU ", "stream ", "thread ", "Torch-Compiled Region: "})
    if (name.starts_with(prefix) && all_of(name.substr(prefix.size()), is_number)) return true;
  for (const std::string_view prefix : {"autograd::engine::evaluate_function: ", "torch::autograd::", "torch::jit::"})
    if (name.starts_with(prefix)) return is_public_name(name.substr(prefix.size()));
  for (const std::string_view prefix : {"Optimizer.step#", "Optimizer.zero_grad#"})
    if (name.starts_with(prefix)) {
      const std::string_view rest = name.substr(prefix.size());
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      const std::string_view method = rest.substr(dot);
      return is_one_of(kOptimizers, rest.substr(0, dot)) &&
             (method.empty() || method == ".step" || method == ".zero_grad");
    }
  if (name.starts_with("enumerate(DataLoader)#")) return is_one_of(kLoaders, name.substr(name.find('#') + 1));
  for (const std::string_view prefix : {"nccl:", "gloo:", "mpi:"})
    if (name.starts_with(prefix)) return is_public_type(name.substr(prefix.size()));
  if (is_numbered_step(name) || is_public_step(name)) return true;
  if (name.starts_with("triton_")) return is_public_kernel(name);
  const std::size_t colons = name.find("::");
  if (colons != name.npos)
    return is_one_of(kNamespaces, name.substr(0, colons)) &&
           all_of(name.substr(colons + 2), [](char c) { return is_word(c) || c == ':' || c == '.'; });
  return false;
}

bool is_public_call(std::string_view name) {
  return std::ranges::any_of(std::to_array<std::string_view>({"cuda", "hip", "cu", "nccl"}), [&](std::string_view api) {
    return name.starts_with(api) && name.size() > api.size() && name[api.size()] >= 'A' && name[api.size()] <= 'Z' &&
           all_of(name, is_word);
  });
}

}  // namespace lacuna
