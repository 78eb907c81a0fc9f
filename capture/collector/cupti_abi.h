#pragma once
// The part of CUPTI's binary interface that the collector uses, CUDA 12.0 to 13.x. These are our own
// declarations, so that the collector is built with CUDA support on machines without the toolkit, and
// one binary serves all versions: only fields with the same offset in all of them are declared, strides come
// from cuptiActivityGetNextRecord. tests/capture/cupti_layout_test.cpp checks all of it against
// cupti.h where that is installed.

#include <cstddef>
#include <cstdint>

namespace lacuna::cupti {

using Status = int;
inline constexpr Status kSuccess = 0;
inline constexpr Status kMultipleSubscribers = 39;
inline constexpr Status kUnknownError = 999;  ///< also returned by machines without a driver
/// CUPTI_API_VERSION of CUDA 12.0; older ones are not supported.
inline constexpr std::uint32_t kOldestVersion = 18;
/// From this version on a buffer request may be answered with null (CUDA 12.9).
inline constexpr std::uint32_t kMayRefuseBuffers = 27;

enum class Kind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriver = 4,
  kRuntime = 5,
  kDevice = 8,
  kContext = 9,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kMemcpyPeer = 22,
  kStream = 37,
  kSynchronization = 38,
  kMemory = 49,  ///< CUPTI_ACTIVITY_KIND_MEMORY2
  kGraphTrace = 51,
};

struct Record {
  Kind kind;
};

// Records are packed to 8 bytes; the gaps are fields that we do not use.

struct Kernel {
  Kind kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers;
  std::uint64_t partitioned_cache;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_per_thread;
  std::uint32_t local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued;
  std::uint64_t submitted;
  std::uint64_t launch_bits;
  std::uint64_t graph_node;
  std::uint32_t shared_limit;
  std::uint32_t graph;
};

struct Memcpy {
  Kind kind;
  std::uint8_t copy_kind;
  std::uint8_t from_kind;
  std::uint8_t to_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t runtime_correlation;
  std::uint32_t pad;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct MemcpyPeer {
  Kind kind;
  std::uint8_t copy_kind;
  std::uint8_t from_kind;
  std::uint8_t to_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t from_device;
  std::uint32_t from_context;
  std::uint32_t to_device;
  std::uint32_t to_context;
  std::uint32_t correlation;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct Memset {
  Kind kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t flags;
  std::uint16_t memory_kind;
  std::uint32_t pad;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct Api {  ///< kRuntime and kDriver
  Kind kind;
  std::uint32_t cbid;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t correlation;
  std::uint32_t return_value;
};

struct Synchronization {
  Kind kind;
  std::uint32_t type;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t event;
};

struct Overhead {
  Kind kind;
  std::uint32_t overhead_kind;
  std::uint32_t object_kind;
  std::uint32_t object_process;  ///< for a thread object
  std::uint32_t object_thread;
  std::uint32_t object_pad;
  std::uint64_t start;
  std::uint64_t end;
};

struct Device {
  Kind kind;
  std::uint32_t flags;
  std::uint64_t memory_bandwidth;
  std::uint64_t memory_bytes;
  std::uint32_t fields1[5];
  std::uint32_t multiprocessors;
  std::uint32_t fields2[14];
  std::uint32_t compute_major;
  std::uint32_t compute_minor;
  std::uint32_t id;
  std::uint32_t ecc;
  std::uint8_t uuid[16];
  const char* name;
};

struct Memory {
  Kind kind;
  std::uint32_t operation;  ///< 1 allocation, 2 release
  std::uint32_t memory_kind;
  std::uint32_t correlation;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t timestamp;
  std::uint64_t caller;
  std::uint32_t process;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
};

struct GraphTrace {
  Kind kind;
  std::uint32_t correlation;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t graph;
  std::uint32_t context;
  std::uint32_t stream;
};

struct SubscriberParams {
  std::size_t struct_size = sizeof(SubscriberParams);
  const char* name = nullptr;
  char* old_name = nullptr;
  std::size_t old_name_size = 0;
};

enum class CallbackDomain : std::uint32_t { kDriver = 1, kRuntime = 2 };
inline constexpr int kThreadIdTypeSystem = 1;
/// Some of the calls that launch work; enough to detect that the target uses the GPU.
inline constexpr std::uint32_t kRuntimeLaunches[] = {211, 311, 430};  // LaunchKernel, GraphLaunch, LaunchKernelExC
inline constexpr std::uint32_t kDriverLaunches[] = {307, 514};        // LaunchKernel, GraphLaunch

using Subscriber = void*;
using Callback = void (*)(void* user, CallbackDomain, std::uint32_t cbid, const void* data);
using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
using BufferDone = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                            std::size_t valid);
using Timestamp = std::uint64_t (*)();

/// The functions that we call, by dlsym. Those of the second group may be missing.
struct Functions {
  Status (*GetVersion)(std::uint32_t*) = nullptr;
  Status (*GetResultString)(Status, const char**) = nullptr;
  Status (*Subscribe)(Subscriber*, Callback, void*) = nullptr;
  Status (*Unsubscribe)(Subscriber) = nullptr;
  Status (*ActivityRegisterCallbacks)(RequestBuffer, BufferDone) = nullptr;
  Status (*ActivityEnable)(Kind) = nullptr;
  Status (*ActivityDisable)(Kind) = nullptr;
  Status (*ActivityFlushAll)(std::uint32_t) = nullptr;
  Status (*ActivityGetNextRecord)(std::uint8_t*, std::size_t, Record**) = nullptr;
  Status (*ActivityGetNumDroppedRecords)(void*, std::uint32_t, std::size_t*) = nullptr;
  Status (*GetCallbackName)(CallbackDomain, std::uint32_t, const char**) = nullptr;

  Status (*SubscribeV2)(Subscriber*, Callback, void*, SubscriberParams*) = nullptr;
  Status (*ActivityRegisterTimestampCallback)(Timestamp) = nullptr;
  Status (*GetTimestamp)(std::uint64_t*) = nullptr;
  Status (*EnableCallback)(std::uint32_t, Subscriber, CallbackDomain, std::uint32_t) = nullptr;
  Status (*SetThreadIdType)(int) = nullptr;
  Status (*GetStreamIdEx)(void* context, void* stream, std::uint8_t per_thread, std::uint32_t* id) = nullptr;
  Status (*GetStreamId)(void* context, void* stream, std::uint32_t* id) = nullptr;
  Status (*GetContextId)(void* context, std::uint32_t* id) = nullptr;
  Status (*GetDeviceId)(void* context, std::uint32_t* id) = nullptr;
};

}  // namespace lacuna::cupti
