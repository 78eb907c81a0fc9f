#include "capture/collector/cupti_records.h"

#include <cstdio>
#include <cstring>
#include <new>

#include <time.h>

namespace lacuna::cupti {
namespace {

using collector::Process;
using wire::RecordType;

constexpr const char* overhead_name(std::uint32_t kind) {
  switch (kind) {
    case 1:
      return "CUDA driver compiler";
    case 1u << 16:
      return "CUPTI buffer flush";
    case 2u << 16:
      return "CUPTI instrumentation";
    case 3u << 16:
      return "CUPTI resource";
    case 4u << 16:
      return "Runtime triggered module loading";
    case 5u << 16:
      return "Lazy function loading";
    case 6u << 16:
      return "Command buffer full";
    case 7u << 16:
      return "Activity buffer request";
    case 8u << 16:
      return "UVM activity init";
    default:
      return "CUPTI overhead";
  }
}

constexpr const char* sync_name(std::uint32_t type) {
  switch (type) {
    case 1:
      return "Event Sync";
    case 2:
      return "Stream Wait Event";
    case 3:
      return "Stream Sync";
    case 4:
      return "Context Sync";
    default:
      return "Unknown Sync";
  }
}

}  // namespace

void RecordReader::start(const Functions& functions, std::int64_t clock_offset_ns) {
  functions_ = &functions;
  clock_offset_ns_ = clock_offset_ns;
}

void RecordReader::forget() {
  names_ = {};
  std::memset(api_names_, 0, sizeof api_names_);
}

std::uint32_t RecordReader::name_of(Process& process, const char* text) {
  if (text == nullptr) return wire::kNoName;
  const std::uint32_t known = names_.find_address(text);
  return known != 0 ? known : intern(process, &names_, text, text, std::strlen(text));
}

std::uint32_t RecordReader::api_name(Process& process, Kind kind, std::uint32_t cbid) {
  const bool is_runtime = kind == Kind::kRuntime;
  if (cbid < kApis && api_names_[is_runtime][cbid] != 0) return api_names_[is_runtime][cbid];
  const char* text = nullptr;
  char buffer[128];
  const CallbackDomain domain = is_runtime ? CallbackDomain::kRuntime : CallbackDomain::kDriver;
  if (functions_->GetCallbackName(domain, cbid, &text) != kSuccess || text == nullptr) {
    std::snprintf(buffer, sizeof buffer, "%s call %u", is_runtime ? "runtime" : "driver", cbid);
  } else {
    std::snprintf(buffer, sizeof buffer, "%s", text);
    // "cudaLaunchKernel_v7000" is cudaLaunchKernel; "cuMemcpyHtoD_v2" keeps its suffix, as in Kineto.
    char* version = std::strstr(buffer, "_v");
    if (is_runtime && version != nullptr && version[2] >= '1' && version[2] <= '9' &&
        std::strspn(version + 2, "0123456789") >= 4)
      *version = '\0';
  }
  const std::uint32_t name = intern(process, nullptr, nullptr, buffer, std::strlen(buffer));
  if (cbid < kApis && name != wire::kLostName) api_names_[is_runtime][cbid] = name;
  return name;
}

// The record is made where it will lie: a copy from the stack, written in small pieces and read in large ones, would
// cost twice as much as all the rest.
template <class WireRecord, class Fill>
void RecordReader::put(Process& process, RecordType type, std::uint64_t begin, bool may_wait, Fill fill) {
  constexpr std::size_t kCount = sizeof(WireRecord) / wire::kSlotBytes;
  wire::RingWriter& ring = process.gpu;
  if (!ring.has_room(kCount)) {
    ring.publish();
    // Our own thread may give the viewer up to 200 ms to catch up; a thread of the target never waits.
    for (int i = 0; may_wait && i < 200; ++i) {
      const std::uint64_t used = ring.position - ring.shared->tail.load(std::memory_order_acquire);
      if (used + 2 * kCount <= ring.capacity() || process.header->viewer_is_done.load() != 0) break;
      const timespec pause{0, 1'000'000};
      nanosleep(&pause, nullptr);
    }
    if (!ring.make_room(kCount, time(begin))) return;
  }
  const auto make = [&](void* memory) {
    auto* out = new (memory) WireRecord;
    out->head.type = type;
    out->head.time = time(begin);
    fill(*out);
    return out;
  };
  if (void* in_place = ring.next(kCount)) {
    make(in_place);
    ring.position += kCount;
  } else {  // over the ring's end
    alignas(16) char memory[sizeof(WireRecord)];
    ring.copy(make(memory), kCount);
  }
}

void RecordReader::read_one(Process& process, const Record& record, bool may_wait) {
  const auto as = [&record]<class T>(const T*) -> const T& { return *reinterpret_cast<const T*>(&record); };
  // What copies and sets have in common.
  const auto transfer = [this](const auto& from, wire::CopyRecord& out) {
    out.end = time(from.end);
    out.bytes = from.bytes;
    out.correlation = from.correlation;
    out.device = from.device;
    out.context = from.context;
    out.stream = from.stream;
    out.graph_node = from.graph_node;
    out.graph = from.graph;
  };
  const auto copy = [&](const auto& from, std::uint32_t peer_device) {
    put<wire::CopyRecord>(process, RecordType::kCopy, from.start, may_wait, [&](wire::CopyRecord& out) {
      transfer(from, out);
      out.peer_device = peer_device;
      out.copy_kind = from.copy_kind;
      out.from_kind = from.from_kind;
      out.to_kind = from.to_kind;
      out.flags = from.flags;
    });
  };
  switch (record.kind) {
    case Kind::kConcurrentKernel: {
      const Kernel& k = as(static_cast<const Kernel*>(nullptr));
      return put<wire::KernelRecord>(process, RecordType::kKernel, k.start, may_wait, [&](wire::KernelRecord& out) {
        out.head.name = name_of(process, k.name);
        out.end = time(k.end);
        out.correlation = k.correlation;
        out.device = k.device;
        out.context = k.context;
        out.stream = k.stream;
        out.graph_node = k.graph_node;
        out.graph = k.graph;
        out.registers = k.registers;
        std::memcpy(out.grid, k.grid, sizeof out.grid);
        std::memcpy(out.block, k.block, sizeof out.block);
        out.static_shared = k.static_shared;
        out.dynamic_shared = k.dynamic_shared;
        out.queued = time(k.queued);
      });
    }
    case Kind::kMemcpy: {
      const Memcpy& m = as(static_cast<const Memcpy*>(nullptr));
      return copy(m, m.device);
    }
    case Kind::kMemcpyPeer: {
      const MemcpyPeer& m = as(static_cast<const MemcpyPeer*>(nullptr));
      return copy(m, m.to_device);
    }
    case Kind::kMemset: {
      const Memset& m = as(static_cast<const Memset*>(nullptr));
      return put<wire::CopyRecord>(process, RecordType::kSet, m.start, may_wait, [&](wire::CopyRecord& out) {
        transfer(m, out);
        out.peer_device = m.value;
        out.from_kind = static_cast<std::uint8_t>(m.memory_kind);
      });
    }
    case Kind::kRuntime:
    case Kind::kDriver: {
      const Api& a = as(static_cast<const Api*>(nullptr));
      return put<wire::ApiRecord>(process, RecordType::kApi, a.start, may_wait, [&](wire::ApiRecord& out) {
        out.head.name = api_name(process, a.kind, a.cbid);
        out.head.domain = a.kind == Kind::kDriver ? 1 : 0;
        out.end = time(a.end);
        out.correlation = a.correlation;
        out.thread = a.thread;
        out.return_value = a.return_value;
        out.cbid = a.cbid;
      });
    }
    case Kind::kSynchronization: {
      const Synchronization& s = as(static_cast<const Synchronization*>(nullptr));
      return put<wire::SyncRecord>(process, RecordType::kSync, s.start, may_wait, [&](wire::SyncRecord& out) {
        out.head.name = name_of(process, sync_name(s.type));
        out.end = time(s.end);
        out.correlation = s.correlation;
        out.context = s.context;
        out.stream = s.stream;
        out.kind = s.type;
        out.event = s.event;
      });
    }
    case Kind::kOverhead: {
      const Overhead& o = as(static_cast<const Overhead*>(nullptr));
      return put<wire::SyncRecord>(process, RecordType::kOverhead, o.start, may_wait, [&](wire::SyncRecord& out) {
        out.head.name = name_of(process, overhead_name(o.overhead_kind));
        out.end = time(o.end);
        out.stream = o.object_kind == 2 ? o.object_thread : 0;  // CUPTI_ACTIVITY_OBJECT_THREAD
        out.kind = o.overhead_kind;
      });
    }
    case Kind::kMemory: {
      const Memory& m = as(static_cast<const Memory*>(nullptr));
      return put<wire::MemoryRecord>(process, RecordType::kMemory, m.timestamp, may_wait, [&](wire::MemoryRecord& out) {
        out.address = m.address;
        out.bytes = m.bytes;
        out.correlation = m.correlation;
        out.device = m.device;
        out.context = m.context;
        out.stream = m.stream;
        out.operation = m.operation;
        out.memory_kind = m.memory_kind;
      });
    }
    case Kind::kGraphTrace: {
      const GraphTrace& g = as(static_cast<const GraphTrace*>(nullptr));
      return put<wire::KernelRecord>(process, RecordType::kGraph, g.start, may_wait, [&](wire::KernelRecord& out) {
        out.head.name = name_of(process, "CUDA graph");
        out.end = time(g.end);
        out.correlation = g.correlation;
        out.device = g.device;
        out.context = g.context;
        out.stream = g.stream;
        out.graph = g.graph;
      });
    }
    case Kind::kDevice: {
      const Device& d = as(static_cast<const Device*>(nullptr));
      wire::DeviceRecord out;
      out.head.type = RecordType::kDevice;
      out.head.name = name_of(process, d.name);
      out.device = d.id;
      out.multiprocessors = d.multiprocessors;
      out.memory_bytes = d.memory_bytes;
      out.compute_major = d.compute_major;
      out.compute_minor = d.compute_minor;
      const collector::Locked locked(process.lock);
      put_control(process, out);
      return;
    }
    case Kind::kContext:
    case Kind::kStream:
      return;  // enabled for CUPTI's sake; nothing in them is shown
    default:
      process.header->gpu_unknown.fetch_add(1, std::memory_order_relaxed);
  }
}

void RecordReader::read(Process& process, std::uint8_t* buffer, std::size_t valid, bool may_wait) {
  // Another core wrote the buffer: what comes next is fetched meanwhile.
  constexpr std::size_t kAhead = 1024;
  constexpr std::size_t kLine = 64;
  std::size_t fetched = kAhead;
  Record* record = nullptr;
  while (functions_->ActivityGetNextRecord(buffer, valid, &record) == kSuccess && record != nullptr) {
    const auto at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(record) - buffer);
    for (; fetched < at + 2 * kAhead && fetched < valid; fetched += kLine) __builtin_prefetch(buffer + fetched);
    read_one(process, *record, may_wait);
  }
  process.gpu.publish();
}

}  // namespace lacuna::cupti
