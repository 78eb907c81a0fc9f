// capture/collector/cupti_abi.h against NVIDIA's headers, and against the real libcupti, where they are installed.
#include <doctest/doctest.h>

#include "tests/support/skip.h"

#if __has_include(<cupti.h>)

#include <cstddef>
#include <cstring>
#include <vector>

#include <cupti.h>
#include <dlfcn.h>

#include "capture/collector/cupti_abi.h"

namespace cupti_abi = lacuna::cupti;

#define SAME(Ours, our_field, Theirs, their_field)                                      \
  static_assert(offsetof(cupti_abi::Ours, our_field) == offsetof(Theirs, their_field)); \
  static_assert(sizeof(cupti_abi::Ours::our_field) <= sizeof(Theirs::their_field))

// Kernel: that of CUDA 12 and that of 13.
#define KERNEL(Theirs)                                                           \
  SAME(Kernel, registers, Theirs, registersPerThread);                           \
  SAME(Kernel, start, Theirs, start);                                            \
  SAME(Kernel, end, Theirs, end);                                                \
  SAME(Kernel, device, Theirs, deviceId);                                        \
  SAME(Kernel, context, Theirs, contextId);                                      \
  SAME(Kernel, stream, Theirs, streamId);                                        \
  static_assert(offsetof(cupti_abi::Kernel, grid) == offsetof(Theirs, gridX));   \
  static_assert(offsetof(cupti_abi::Kernel, block) == offsetof(Theirs, blockX)); \
  SAME(Kernel, static_shared, Theirs, staticSharedMemory);                       \
  SAME(Kernel, dynamic_shared, Theirs, dynamicSharedMemory);                     \
  SAME(Kernel, correlation, Theirs, correlationId);                              \
  SAME(Kernel, name, Theirs, name);                                              \
  SAME(Kernel, queued, Theirs, queued);                                          \
  SAME(Kernel, graph_node, Theirs, graphNodeId);                                 \
  SAME(Kernel, graph, Theirs, graphId)
KERNEL(CUpti_ActivityKernel9);
KERNEL(CUpti_ActivityKernel10);

#define COPY(Theirs)                                \
  SAME(Memcpy, copy_kind, Theirs, copyKind);        \
  SAME(Memcpy, from_kind, Theirs, srcKind);         \
  SAME(Memcpy, to_kind, Theirs, dstKind);           \
  SAME(Memcpy, bytes, Theirs, bytes);               \
  SAME(Memcpy, start, Theirs, start);               \
  SAME(Memcpy, end, Theirs, end);                   \
  SAME(Memcpy, device, Theirs, deviceId);           \
  SAME(Memcpy, stream, Theirs, streamId);           \
  SAME(Memcpy, correlation, Theirs, correlationId); \
  SAME(Memcpy, graph_node, Theirs, graphNodeId);    \
  SAME(Memcpy, graph, Theirs, graphId)
COPY(CUpti_ActivityMemcpy5);
COPY(CUpti_ActivityMemcpy6);

SAME(MemcpyPeer, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
SAME(MemcpyPeer, start, CUpti_ActivityMemcpyPtoP4, start);
SAME(MemcpyPeer, stream, CUpti_ActivityMemcpyPtoP4, streamId);
SAME(MemcpyPeer, to_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
SAME(MemcpyPeer, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(MemcpyPeer, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
SAME(MemcpyPeer, graph, CUpti_ActivityMemcpyPtoP4, graphId);

SAME(Memset, value, CUpti_ActivityMemset4, value);
SAME(Memset, bytes, CUpti_ActivityMemset4, bytes);
SAME(Memset, start, CUpti_ActivityMemset4, start);
SAME(Memset, stream, CUpti_ActivityMemset4, streamId);
SAME(Memset, correlation, CUpti_ActivityMemset4, correlationId);
SAME(Memset, memory_kind, CUpti_ActivityMemset4, memoryKind);
SAME(Memset, graph_node, CUpti_ActivityMemset4, graphNodeId);
SAME(Memset, graph, CUpti_ActivityMemset4, graphId);

SAME(Api, cbid, CUpti_ActivityAPI, cbid);
SAME(Api, start, CUpti_ActivityAPI, start);
SAME(Api, end, CUpti_ActivityAPI, end);
SAME(Api, thread, CUpti_ActivityAPI, threadId);
SAME(Api, correlation, CUpti_ActivityAPI, correlationId);
SAME(Api, return_value, CUpti_ActivityAPI, returnValue);

#define SYNC(Theirs)                                         \
  SAME(Synchronization, type, Theirs, type);                 \
  SAME(Synchronization, start, Theirs, start);               \
  SAME(Synchronization, end, Theirs, end);                   \
  SAME(Synchronization, correlation, Theirs, correlationId); \
  SAME(Synchronization, context, Theirs, contextId);         \
  SAME(Synchronization, stream, Theirs, streamId);           \
  SAME(Synchronization, event, Theirs, cudaEventId)
SYNC(CUpti_ActivitySynchronization);
SYNC(CUpti_ActivitySynchronization2);

#define OVERHEAD(Theirs)                                        \
  SAME(Overhead, overhead_kind, Theirs, overheadKind);          \
  SAME(Overhead, object_kind, Theirs, objectKind);              \
  SAME(Overhead, start, Theirs, start);                         \
  SAME(Overhead, end, Theirs, end);                             \
  static_assert(offsetof(cupti_abi::Overhead, object_thread) == \
                offsetof(Theirs, objectId) + offsetof(CUpti_ActivityObjectKindId, pt.threadId))
OVERHEAD(CUpti_ActivityOverhead2);
OVERHEAD(CUpti_ActivityOverhead3);

#define DEVICE(Theirs)                                         \
  SAME(Device, memory_bytes, Theirs, globalMemorySize);        \
  SAME(Device, multiprocessors, Theirs, numMultiprocessors);   \
  SAME(Device, compute_major, Theirs, computeCapabilityMajor); \
  SAME(Device, compute_minor, Theirs, computeCapabilityMinor); \
  SAME(Device, id, Theirs, id);                                \
  SAME(Device, name, Theirs, name)
DEVICE(CUpti_ActivityDevice4);
DEVICE(CUpti_ActivityDevice5);

#define MEMORY(Theirs)                                  \
  SAME(Memory, operation, Theirs, memoryOperationType); \
  SAME(Memory, memory_kind, Theirs, memoryKind);        \
  SAME(Memory, correlation, Theirs, correlationId);     \
  SAME(Memory, address, Theirs, address);               \
  SAME(Memory, bytes, Theirs, bytes);                   \
  SAME(Memory, timestamp, Theirs, timestamp);           \
  SAME(Memory, device, Theirs, deviceId);               \
  SAME(Memory, context, Theirs, contextId);             \
  SAME(Memory, stream, Theirs, streamId)
MEMORY(CUpti_ActivityMemory2);
MEMORY(CUpti_ActivityMemory3);
MEMORY(CUpti_ActivityMemory4);

SAME(GraphTrace, correlation, CUpti_ActivityGraphTrace2, correlationId);
SAME(GraphTrace, start, CUpti_ActivityGraphTrace2, start);
SAME(GraphTrace, graph, CUpti_ActivityGraphTrace2, graphId);
SAME(GraphTrace, stream, CUpti_ActivityGraphTrace2, streamId);

static_assert(sizeof(cupti_abi::SubscriberParams) == CUpti_SubscriberParams_STRUCT_SIZE);
SAME(SubscriberParams, old_name_size, CUpti_SubscriberParams, oldSubscriberSize);

#define KIND(ours, theirs) static_assert(static_cast<int>(cupti_abi::Kind::ours) == CUPTI_ACTIVITY_KIND_##theirs)
KIND(kMemcpy, MEMCPY);
KIND(kMemset, MEMSET);
KIND(kDriver, DRIVER);
KIND(kRuntime, RUNTIME);
KIND(kDevice, DEVICE);
KIND(kContext, CONTEXT);
KIND(kConcurrentKernel, CONCURRENT_KERNEL);
KIND(kOverhead, OVERHEAD);
KIND(kMemcpyPeer, MEMCPY2);
KIND(kStream, STREAM);
KIND(kSynchronization, SYNCHRONIZATION);
KIND(kMemory, MEMORY2);
KIND(kGraphTrace, GRAPH_TRACE);
static_assert(cupti_abi::kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(cupti_abi::kUnknownError == CUPTI_ERROR_UNKNOWN);
static_assert(cupti_abi::kThreadIdTypeSystem == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);

TEST_CASE("the real libcupti steps over records as we read them") {
  void* library = nullptr;
  for (const char* name :
       {"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13", "/usr/local/cuda/lib/libcupti.so.13"})
    if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
  if (library == nullptr) {
    lacuna::skip("no libcupti.so.13 on this machine");
    return;
  }
  auto* next = reinterpret_cast<cupti_abi::Status (*)(std::uint8_t*, std::size_t, cupti_abi::Record**)>(
      dlsym(library, "cuptiActivityGetNextRecord"));
  REQUIRE(bool{next != nullptr});
  alignas(8) static std::uint8_t buffer[4096];
  std::size_t used = 0;
  const auto put = [&](const auto& record) {
    std::memcpy(buffer + used, &record, sizeof record);
    used += sizeof record;
  };
  CUpti_ActivityAPI api{};
  api.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  api.correlationId = 1;
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.correlationId = 2;
  kernel.gridZ = 9;
  kernel.graphId = 77;
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.correlationId = 3;
  copy.bytes = 4096;
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.correlationId = 4;
  CUpti_ActivitySynchronization2 sync{};
  sync.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  sync.correlationId = 5;
  put(api);
  put(kernel);
  put(copy);
  put(set);
  put(sync);
  put(api);
  cupti_abi::Record* record = nullptr;
  std::vector<std::uint32_t> correlations;
  while (next(buffer, used, &record) == cupti_abi::kSuccess && correlations.size() < 100) {
    switch (record->kind) {
      case cupti_abi::Kind::kRuntime:
        correlations.push_back(reinterpret_cast<cupti_abi::Api*>(record)->correlation);
        break;
      case cupti_abi::Kind::kConcurrentKernel: {
        const auto* k = reinterpret_cast<cupti_abi::Kernel*>(record);
        correlations.push_back(k->correlation);
        CHECK(k->grid[2] == 9);
        CHECK(k->graph == 77);
        break;
      }
      case cupti_abi::Kind::kMemcpy:
        correlations.push_back(reinterpret_cast<cupti_abi::Memcpy*>(record)->correlation);
        CHECK(reinterpret_cast<cupti_abi::Memcpy*>(record)->bytes == 4096);
        break;
      case cupti_abi::Kind::kMemset:
        correlations.push_back(reinterpret_cast<cupti_abi::Memset*>(record)->correlation);
        break;
      case cupti_abi::Kind::kSynchronization:
        correlations.push_back(reinterpret_cast<cupti_abi::Synchronization*>(record)->correlation);
        break;
      default:
        correlations.push_back(0);
    }
  }
  CHECK(correlations == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 1});
}

#else

TEST_CASE("layouts of CUPTI's records") {
  lacuna::skip("built without CUPTI's headers");
}

#endif
