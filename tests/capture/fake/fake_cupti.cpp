// A stand-in for libcupti.so.12 and .13 (FAKE_MAJOR): record layouts from the real headers, behaviour as
// documented. It proves our logic, not NVIDIA's behaviour. Driven by fake_cupti_do(), environment:
//
//   FAKE_CUPTI_BUSY=N       the first N subscriptions fail with error 39, held by "fake-kineto"
//   FAKE_CUPTI_ERROR=E      every subscription fails with error E
//   FAKE_CUPTI_DROP=N       GetNumDroppedRecords reports N once
//   FAKE_CUPTI_ALONE=1      records kernels and runtime calls although nobody asked, and throws them away: what
//                           CUPTI costs by itself
//   FAKE_CUPTI_TIMES=1      says at exit what the client's buffer callbacks cost per record
//   FAKE_CUPTI_NO_V2=1      no timestamp callback is accepted (CUPTI's own clock is used)
#include <atomic>
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <string>

#include <cupti.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_handles.h"

#if FAKE_MAJOR == 12
using Kernel = CUpti_ActivityKernel9;
using Memcpy = CUpti_ActivityMemcpy5;
using Sync = CUpti_ActivitySynchronization;
using Overhead = CUpti_ActivityOverhead2;
using Memory = CUpti_ActivityMemory3;
constexpr std::uint32_t kVersion = 26;
#else
using Kernel = CUpti_ActivityKernel10;
using Memcpy = CUpti_ActivityMemcpy6;
using Sync = CUpti_ActivitySynchronization2;
using Overhead = CUpti_ActivityOverhead3;
using Memory = CUpti_ActivityMemory4;
constexpr std::uint32_t kVersion = 130001;
#endif
using Memset = CUpti_ActivityMemset4;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

std::mutex mutex;
std::bitset<64> kinds;  // by number
CUpti_BuffersCallbackRequestFunc request;
CUpti_BuffersCallbackCompleteFunc complete;
CUpti_TimestampCallbackFunc timestamp;
CUpti_CallbackFunc api_callback;
std::set<std::pair<int, int>> api_enabled;
std::uint8_t* buffer;
std::size_t size;
std::size_t used;
std::size_t dropped = std::getenv("FAKE_CUPTI_DROP") ? std::strtoul(std::getenv("FAKE_CUPTI_DROP"), nullptr, 10) : 0;
std::atomic<std::uint32_t> correlation{0};
int subscribers = 0;
int busy = std::getenv("FAKE_CUPTI_BUSY") ? std::atoi(std::getenv("FAKE_CUPTI_BUSY")) : 0;
bool is_tid = false;
unsigned device = 0;  // the current one

std::uint64_t now() {
  if (timestamp != nullptr) return timestamp();
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000ull + static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint64_t cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000ull + static_cast<std::uint64_t>(t.tv_nsec);
}

/// What the client did with its buffers.
struct Times {
  bool is_on = std::getenv("FAKE_CUPTI_TIMES") != nullptr;
  std::atomic<std::uint64_t> records{0};
  std::atomic<std::uint64_t> spent_ns{0};
  ~Times() {
    if (is_on && records > 0)
      std::printf("%.2f ns a record in the buffer callback, %lu records\n",
                  static_cast<double>(spent_ns) / static_cast<double>(records), records.load());
  }
};
Times times;
std::size_t records = 0;  // in `buffer`

/// Stands for the client: one buffer, used again and again.
void alone() {
  static std::uint8_t memory[4 << 20];
  kinds.set(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL).set(CUPTI_ACTIVITY_KIND_RUNTIME);
  timestamp = []() -> uint64_t {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000ull + static_cast<std::uint64_t>(t.tv_nsec);
  };
  request = [](std::uint8_t** b, std::size_t* s, std::size_t* m) { *b = memory, *s = sizeof memory, *m = 0; };
  complete = [](CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {};
}
const bool is_alone = std::getenv("FAKE_CUPTI_ALONE") != nullptr && (alone(), true);

void hand_over(std::unique_lock<std::mutex>& lock) {
  if (buffer == nullptr) return;
  std::uint8_t* full = buffer;
  const std::size_t valid = used;
  const std::size_t capacity = size;
  buffer = nullptr;
  const auto function = complete;
  const std::size_t count = records;
  records = 0;
  lock.unlock();
  const std::uint64_t before = times.is_on ? cpu_ns() : 0;
  if (function != nullptr) function(nullptr, 0, full, capacity, valid);
  if (times.is_on) {
    times.spent_ns += cpu_ns() - before;
    times.records += count;
  }
  lock.lock();
}

template <class Record>
void put(const Record& record) {
  std::unique_lock lock(mutex);
  if (request == nullptr || !kinds.test(record.kind)) return;
  if (buffer != nullptr && used + sizeof record > size) hand_over(lock);
  if (buffer == nullptr) {
    std::size_t most = 0;
    request(&buffer, &size, &most);
    used = 0;
    if (buffer == nullptr) {
      ++dropped;
      return;
    }
  }
  std::memcpy(buffer + used, &record, sizeof record);
  used += sizeof record;
  ++records;
}

std::size_t record_size(std::uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(Kernel);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(Memcpy);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(Memset);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(Sync);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(Overhead);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return sizeof(Memory);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_JIT:
      return sizeof(CUpti_ActivityJit2);  // one that the collector does not know
    default:
      return 0;
  }
}

void api(std::uint32_t id, std::uint64_t start, std::uint64_t end, std::uint32_t cbid) {
  CUpti_ActivityAPI a{};
  a.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  a.cbid = cbid;
  a.start = start;
  a.end = end;
  static const auto pid = static_cast<std::uint32_t>(getpid());  // no system calls: they would be most of the cost
  static thread_local const auto tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  a.processId = pid;
  a.threadId = is_tid ? tid : static_cast<std::uint32_t>(pthread_self());
  a.correlationId = id;
  put(a);
}

Kernel kernel(const char* name, unsigned stream, std::uint64_t start, std::uint64_t end, std::uint32_t id) {
  Kernel k{};
  k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  k.start = start;
  k.end = end;
  k.deviceId = device;
  k.contextId = 1 + device;
  k.streamId = stream;
  k.correlationId = id;
  k.gridX = 108;
  k.gridY = k.gridZ = 1;
  k.blockX = 256;
  k.blockY = k.blockZ = 1;
  k.registersPerThread = 42;
  k.staticSharedMemory = 1000;
  k.dynamicSharedMemory = 24;
  k.name = name;
  return k;
}

}  // namespace

EXPORT CUptiResult cuptiGetVersion(std::uint32_t* version) {
  return *version = kVersion, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == 39    ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == 999 ? "CUPTI_ERROR_UNKNOWN"
                          : "CUPTI_ERROR";
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
  return *time = now(), CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void*) {
  if (const char* error = std::getenv("FAKE_CUPTI_ERROR")) return static_cast<CUptiResult>(std::atoi(error));
  if (busy > 0 || subscribers > 0) return --busy, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  ++subscribers;
  api_callback = callback;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(1);
  return CUPTI_SUCCESS;
}
#if FAKE_MAJOR >= 13
EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* user,
                                     CUpti_SubscriberParams* p) {
  if (p != nullptr && p->structSize != CUpti_SubscriberParams_STRUCT_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
  const CUptiResult result = cuptiSubscribe(handle, callback, user);
  if (result == 39 && p != nullptr && p->oldSubscriberName != nullptr)
    std::snprintf(p->oldSubscriberName, p->oldSubscriberSize, "CUPTI for fake-kineto");
  return result;
}
#endif
EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  return --subscribers, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiEnableCallback(std::uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                       CUpti_CallbackId id) {
  if (on) api_enabled.insert({domain, id});
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r,
                                                  CUpti_BuffersCallbackCompleteFunc c) {
  const std::lock_guard lock(mutex);
  request = r;
  complete = c;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc f) {
  if (std::getenv("FAKE_CUPTI_NO_V2")) return CUPTI_ERROR_NOT_SUPPORTED;
  return timestamp = f, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  return is_tid = type == 1, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  {
    const std::lock_guard lock(mutex);
    kinds.set(kind);
  }
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) {
    CUpti_ActivityDevice5 d{};
    d.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    d.name = "Fake GPU 9000";
    d.globalMemorySize = 1ull << 30;
    d.numMultiprocessors = 77;
    d.computeCapabilityMajor = 9;
    d.computeCapabilityMinor = 1;
    put(d);
  }
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(mutex);
  kinds.reset(kind);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  std::unique_lock lock(mutex);
  hand_over(lock);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* count) {
  const std::lock_guard lock(mutex);
  *count = dropped;
  dropped = 0;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t valid, CUpti_Activity** record) {
  std::uint8_t* next =
      *record == nullptr ? from : reinterpret_cast<std::uint8_t*>(*record) + record_size((*record)->kind);
  if (next >= from + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return record_size((*record)->kind) == 0 ? CUPTI_ERROR_INVALID_KIND : CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t cbid, const char** name) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && cbid == 211) return *name = "cudaLaunchKernel_v7000", CUPTI_SUCCESS;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && cbid == 41) return *name = "cudaMemcpyAsync_v3020", CUPTI_SUCCESS;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && cbid == 311) return *name = "cudaGraphLaunch_v10000", CUPTI_SUCCESS;
  return CUPTI_ERROR_INVALID_PARAMETER;
}

// CUDA 12 has cuptiGetStreamIdEx too; left out of one fake, so that the older call is tried.
static CUptiResult stream_id(CUcontext, CUstream stream, std::uint32_t* id) {
  if (stream == nullptr || reinterpret_cast<std::uintptr_t>(stream) == 1) return *id = 7, CUPTI_SUCCESS;
  if (reinterpret_cast<std::uintptr_t>(stream) == 2) return *id = 77, CUPTI_SUCCESS;
  const auto* s = reinterpret_cast<const FakeStream*>(stream);
  if (!s->is_alive) return CUPTI_ERROR_INVALID_STREAM;
  return *id = s->id, CUPTI_SUCCESS;
}
#if FAKE_MAJOR >= 13
EXPORT CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, std::uint8_t per_thread, std::uint32_t* id) {
  if ((per_thread != 0) != (reinterpret_cast<std::uintptr_t>(stream) == 2)) return CUPTI_ERROR_INVALID_PARAMETER;
  return stream_id(context, stream, id);
}
#endif
EXPORT CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, std::uint32_t* id) {
  return stream_id(context, stream, id);
}
EXPORT CUptiResult cuptiGetContextId(CUcontext context, std::uint32_t* id) {
  return *id = reinterpret_cast<const FakeContext*>(context)->id, CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetDeviceId(CUcontext context, std::uint32_t* id) {
  return *id = context == nullptr ? device : reinterpret_cast<const FakeContext*>(context)->device, CUPTI_SUCCESS;
}

/// One thing that a target does on its GPU, launched now and running 5 us later for `duration` ns.
EXPORT void fake_cupti_do(const char* what, const char* name, unsigned stream, unsigned long duration) {
  const std::string_view action = what;
  const std::uint32_t id = ++correlation;
  const std::uint64_t t = now();
  const std::uint64_t start = t + 5000;
  if (action == "device") {  // what follows happens on this one
    device = stream;
    return;
  }
  if (action == "steal") {  // another profiler registers its own buffers
    static std::uint8_t elsewhere[1 << 16];
    cuptiActivityRegisterCallbacks(
        [](std::uint8_t** b, std::size_t* s, std::size_t* m) {
          *b = elsewhere;
          *s = sizeof elsewhere;
          *m = 0;
        },
        [](CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {});
    return;
  }
  if (action == "kernel" || action == "incomplete" || action == "graph") {
    const std::uint32_t cbid = action == "graph" ? 311 : 211;
    if (api_callback != nullptr && api_enabled.contains({2, static_cast<int>(cbid)}))
      api_callback(nullptr, CUPTI_CB_DOMAIN_RUNTIME_API, cbid, nullptr);
    if (action == "kernel") put(kernel(name, stream, start, start + duration, id));  // before its launch, as can be
    api(id, t, t + 2000, cbid);
    if (action == "incomplete") put(kernel(name, stream, 0, 0, id));
    // As documented: whole graphs take the place of their nodes.
    const bool is_whole = kinds.test(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
    if (action == "graph" && is_whole) {
      CUpti_ActivityGraphTrace2 g{};
      g.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
      g.correlationId = id;
      g.start = start;
      g.end = start + 3 * duration;
      g.graphId = 5;
      g.contextId = 1;
      g.streamId = stream;
      put(g);
    }
    for (unsigned i = 0; action == "graph" && !is_whole && i < 3; ++i) {
      Kernel k = kernel(name, stream, start + i * duration, start + (i + 1) * duration, id);
      k.graphId = 5;
      k.graphNodeId = 100 + i;
      put(k);
    }
  }
  if (action == "copy") {
    api(id, t, t + 1000, 41);
    Memcpy m{};
    m.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    m.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    m.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    m.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    m.bytes = 4096;
    m.start = start;
    m.end = start + duration;
    m.contextId = 1;
    m.streamId = stream;
    m.correlationId = id;
    put(m);
  }
  if (action == "malloc" || action == "host_malloc" || action == "free") {
    api(id, t, t + 1000, action == "free" ? 22 : 20);
    Memory m{};
    m.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
    m.memoryOperationType = action == "free" ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                                             : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
    m.memoryKind = action == "host_malloc" ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    m.correlationId = id;
    m.address = 0x700000000000 + stream;  // the stream's number stands for the allocation
    m.bytes = duration;
    m.timestamp = t + 500;
    m.contextId = 1;
    put(m);
  }
  if (action == "set") {
    Memset m{};
    m.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    m.value = 3;
    m.bytes = 512;
    m.start = start;
    m.end = start + duration;
    m.contextId = 1;
    m.streamId = stream;
    m.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    m.correlationId = id;
    put(m);
  }
  if (action == "sync") {
    Sync s{};
    s.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    s.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    s.start = start;
    s.end = start + duration;
    s.correlationId = id;
    s.contextId = 1;
    s.streamId = stream;
    put(s);
  }
  if (action == "overhead") {
    Overhead o{};
    o.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    o.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
    o.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    o.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
    o.objectId.pt.threadId = static_cast<std::uint32_t>(getpid());
    o.start = start;
    o.end = start + duration;
    put(o);
  }
}
