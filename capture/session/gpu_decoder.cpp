#include "capture/session/gpu_decoder.h"

namespace lacuna {
namespace {

using wire::RecordType;

constexpr std::size_t kMostWaiting = std::size_t{1} << 20;
constexpr std::uint32_t kFirstFreePid = 5'000'000;  // Linux: pid_max is at most 4,194,304
constexpr std::uint32_t kMostDevices = 1024;
constexpr std::size_t kMostNamedObjects = std::size_t{1} << 16;  // objects of each kind
constexpr std::uint32_t kNoStream = ~std::uint32_t{0};

constexpr std::uint64_t stream_key(std::uint32_t device, std::uint32_t stream) {
  return std::uint64_t{device} << 32 | stream;
}

std::string_view memory_name(std::uint8_t kind) {
  static constexpr std::string_view kNames[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                                "Array",   "Managed",  "Device Static", "Managed Static"};
  return kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

}  // namespace

std::string copy_name(std::uint8_t copy_kind, std::uint8_t from_kind, std::uint8_t to_kind) {
  static constexpr std::string_view kKinds[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
  return fmt::format("Memcpy {} ({} -> {})", copy_kind < std::size(kKinds) ? kKinds[copy_kind] : kKinds[0],
                     memory_name(from_kind), memory_name(to_kind));
}

std::string set_name(std::uint8_t memory_kind) {
  return fmt::format("Memset ({})", memory_name(memory_kind));
}

std::uint32_t gpu_pid(std::uint32_t index, std::uint32_t device) {
  return index == 0 ? device : kFirstFreePid + index * kMostDevices + device;
}

std::uint64_t GpuDecoder::trace_correlation(std::uint32_t correlation) const {
  return correlation == 0 ? 0 : std::uint64_t{process_.identity_.index} << 32 | correlation;
}

StreamedTrack GpuDecoder::gpu_track(std::uint32_t device, std::uint32_t stream, TrackKind kind) {
  if (device >= kMostDevices) device = kMostDevices - 1;
  const std::uint32_t pid = gpu_pid(process_.identity_.index, device);
  if (const std::uint64_t key = stream_key(device, stream); key != last_stream_) {
    use_stream(device, stream);
    last_stream_ = key;
  }
  return {pid, stream, kind, device};
}

void GpuDecoder::use_stream(std::uint32_t device, std::uint32_t stream) {
  if (devices_used_.insert(device).second) {
    process_.tell_process(gpu_pid(process_.identity_.index, device), device);
    tell_device(device);
  }
  if (streams_used_.size() < kMostNamedObjects && streams_used_.insert(stream_key(device, stream)).second)
    tell_stream(device, stream);
}

void GpuDecoder::tell_processes() const {
  for (const std::uint32_t device : devices_used_)
    process_.tell_process(gpu_pid(process_.identity_.index, device), device);
}

void GpuDecoder::tell_device(std::uint32_t device) {
  const auto given = device_names_.find(device);
  std::string label = fmt::format("GPU {}", device);
  if (given != device_names_.end()) label.append(" · ").append(process_.names_.get(given->second));
  process_.sink_.add(
      StreamedName{StreamedName::What::kProcessLabels, gpu_pid(process_.identity_.index, device), 0, label});
}

void GpuDecoder::tell_stream(std::uint32_t device, std::uint32_t stream) {
  if (stream == kNoStream) return;
  auto given = stream_names_.find(stream_key(device, stream));
  if (given == stream_names_.end()) given = stream_names_.find(stream_key(wire::kAnyDevice, stream));
  if (given == stream_names_.end()) return;
  const std::string name = fmt::format("stream {} · {}", stream, process_.names_.get(given->second));
  process_.sink_.add(
      StreamedName{StreamedName::What::kThread, gpu_pid(process_.identity_.index, device), stream, name});
}

void GpuDecoder::name_object(const wire::ObjectRecord& object) {
  // True when the object is called something else than before.
  const auto rename = [&](auto& names, auto key) {
    const auto known = names.find(key);
    if (known == names.end() && names.size() >= kMostNamedObjects) {
      ++process_.counts_.corrupt;
      return false;
    }
    if (known != names.end() && known->second == object.head.name) return false;
    names[key] = object.head.name;
    return true;
  };
  switch (object.kind) {
    case wire::ObjectKind::kDevice:
      if (rename(device_names_, object.id) && devices_used_.contains(object.id)) tell_device(object.id);
      return;
    case wire::ObjectKind::kContext:
      rename(context_names_, object.id);
      return;
    case wire::ObjectKind::kStream: {
      if (!rename(stream_names_, stream_key(object.device, object.id))) return;
      if (object.device != wire::kAnyDevice) {
        if (streams_used_.contains(stream_key(object.device, object.id))) tell_stream(object.device, object.id);
        return;
      }
      for (const std::uint32_t device : devices_used_)
        if (streams_used_.contains(stream_key(device, object.id))) tell_stream(device, object.id);
      return;
    }
  }
  ++process_.counts_.corrupt;  // no such kind
}

bool GpuDecoder::complete(std::uint64_t start, std::uint64_t end) {
  if (start != 0 && end >= start) return true;
  ++process_.counts_.incomplete_gpu;
  return false;
}

void GpuDecoder::common_args(std::uint32_t device, std::uint32_t context, std::uint32_t stream,
                             std::uint32_t correlation) {
  JsonArgs& args = process_.args_;
  args.clear();
  args.number("device", device);
  args.number("context", context);
  if (!context_names_.empty())
    if (const auto given = context_names_.find(context); given != context_names_.end())
      args.string("context name", process_.names_.get(given->second));
  args.number("stream", stream);
  args.number("correlation", trace_correlation(correlation));
}

void GpuDecoder::read(RecordType type, std::span<const wire::Slot> slots) {
  switch (type) {
    case RecordType::kKernel:
      return read_kernel(ProcessDecoder::record_of<wire::KernelRecord>(slots), false);
    case RecordType::kGraph:
      return read_kernel(ProcessDecoder::record_of<wire::KernelRecord>(slots), true);
    case RecordType::kCopy:
      return read_copy(ProcessDecoder::record_of<wire::CopyRecord>(slots), false);
    case RecordType::kSet:
      return read_copy(ProcessDecoder::record_of<wire::CopyRecord>(slots), true);
    case RecordType::kApi:
      return read_api(ProcessDecoder::record_of<wire::ApiRecord>(slots));
    case RecordType::kMemory:
      return read_memory(ProcessDecoder::record_of<wire::MemoryRecord>(slots));
    case RecordType::kSync:
      return read_sync(ProcessDecoder::record_of<wire::SyncRecord>(slots), false);
    default:
      return read_sync(ProcessDecoder::record_of<wire::SyncRecord>(slots), true);
  }
}

void GpuDecoder::activity(StreamedSlice& slice, std::uint32_t correlation, std::uint32_t context) {
  slice.correlation = trace_correlation(correlation);
  slice.args = process_.args_.text();
  if (device_of_context_.size() < kMostWaiting) device_of_context_[context] = slice.track.device;
  ++process_.counts_.slices;
  process_.sink_.add(slice);
  if (correlation == 0) return;
  const Place place{slice.track, slice.start};
  if (const auto launch = launches_.find(correlation); launch != launches_.end()) {
    arrow(launch->second, place, slice.correlation);
  } else if (waiting_.size() < kMostWaiting) {
    waiting_.emplace(correlation, place);
  }
}

void GpuDecoder::read_kernel(const wire::KernelRecord& k, bool is_graph) {
  if (!complete(k.head.time, k.end)) return;
  common_args(k.device, k.context, k.stream, k.correlation);
  JsonArgs& args = process_.args_;
  if (!is_graph) {
    args.raw("grid", fmt::format("[{},{},{}]", k.grid[0], k.grid[1], k.grid[2]));
    args.raw("block", fmt::format("[{},{},{}]", k.block[0], k.block[1], k.block[2]));
    args.number("registers per thread", k.registers);
    args.integer("shared memory", std::int64_t{k.static_shared} + k.dynamic_shared);
  }
  if (k.graph != 0) args.number("graph id", k.graph);
  if (k.graph_node != 0) args.number("graph node id", k.graph_node);
  StreamedSlice slice;
  slice.track = gpu_track(k.device, k.stream, TrackKind::kGpuStream);
  slice.name = process_.names_.demangled(k.head.name);
  slice.category = "kernel";
  slice.start = process_.monotonic_time(k.head.time);
  slice.duration = saturating_sub(process_.monotonic_time(k.end), slice.start);
  activity(slice, k.correlation, k.context);
}

void GpuDecoder::read_copy(const wire::CopyRecord& c, bool is_set) {
  if (!complete(c.head.time, c.end)) return;
  common_args(c.device, c.context, c.stream, c.correlation);
  JsonArgs& args = process_.args_;
  args.number("bytes", c.bytes);
  if (c.end > c.head.time)  // bytes per ns = GB per s
    args.real("memory bandwidth (GB/s)", static_cast<double>(c.bytes) / static_cast<double>(c.end - c.head.time));
  if (!is_set && c.peer_device != c.device) args.number("to device", c.peer_device);
  if (c.graph != 0) args.number("graph id", c.graph);
  if (c.graph_node != 0) args.number("graph node id", c.graph_node);
  const std::string name = is_set ? set_name(c.from_kind) : copy_name(c.copy_kind, c.from_kind, c.to_kind);
  StreamedSlice slice;
  slice.track = gpu_track(c.device, c.stream, TrackKind::kGpuStream);
  slice.name = name;
  slice.category = is_set ? "gpu_memset" : "gpu_memcpy";
  slice.start = process_.monotonic_time(c.head.time);
  slice.duration = saturating_sub(process_.monotonic_time(c.end), slice.start);
  activity(slice, c.correlation, c.context);
}

void GpuDecoder::read_api(const wire::ApiRecord& a) {
  if (!complete(a.head.time, a.end)) return;
  std::uint32_t tid = a.thread;
  if (!api_thread_is_tid) {
    const auto known = process_.tid_of_pthread_.find(a.thread);
    if (known != process_.tid_of_pthread_.end()) tid = known->second;
  }
  JsonArgs& args = process_.args_;
  args.clear();
  args.number("cbid", a.cbid);
  args.number("correlation", trace_correlation(a.correlation));
  if (a.return_value != 0) args.number("return value", a.return_value);
  StreamedSlice slice;
  slice.track = {process_.identity_.pid, tid, TrackKind::kThread, 0};
  slice.name = process_.names_.get(a.head.name);
  slice.category = a.head.domain == 1 ? "cuda_driver" : "cuda_runtime";
  slice.start = process_.monotonic_time(a.head.time);
  slice.duration = saturating_sub(process_.monotonic_time(a.end), slice.start);
  slice.correlation = trace_correlation(a.correlation);
  slice.args = args.text();
  ++process_.counts_.slices;
  process_.sink_.add(slice);
  if (a.correlation == 0) return;
  const auto [launch, is_new] = launches_.try_emplace(a.correlation, Place{slice.track, slice.start});
  if (!is_new) return;
  launch_order_.push_back(a.correlation);
  if (launch_order_.size() > kMostWaiting) {
    launches_.erase(launch_order_.front());
    launch_order_.pop_front();
  }
  const auto [first, last] = waiting_.equal_range(a.correlation);
  for (auto it = first; it != last; ++it) arrow(launch->second, it->second, slice.correlation);
  waiting_.erase(first, last);
}

// cuda_sync lies with its stream and overhead with its thread, as in Kineto's traces.
void GpuDecoder::read_sync(const wire::SyncRecord& s, bool is_overhead) {
  if (!complete(s.head.time, s.end)) return;
  JsonArgs& args = process_.args_;
  args.clear();
  StreamedSlice slice;
  if (is_overhead) {
    slice.track = {process_.identity_.pid, s.stream != 0 ? s.stream : process_.identity_.pid, TrackKind::kThread, 0};
    slice.category = "overhead";
  } else {
    const auto device = device_of_context_.find(s.context);
    slice.track = gpu_track(device == device_of_context_.end() ? 0 : device->second, s.stream, TrackKind::kThread);
    slice.category = "cuda_sync";
    args.integer("stream", static_cast<std::int32_t>(s.stream));
    args.number("correlation", trace_correlation(s.correlation));
    args.number("device", slice.track.device);
    args.number("context", s.context);
    slice.correlation = trace_correlation(s.correlation);
  }
  slice.name = process_.names_.get(s.head.name);
  slice.start = process_.monotonic_time(s.head.time);
  slice.duration = saturating_sub(process_.monotonic_time(s.end), slice.start);
  slice.args = args.text();
  ++process_.counts_.slices;
  process_.sink_.add(slice);
}

// As torch.profiler writes its "[memory]" events, so that whatever reads those reads these: device type 1 is a
// GPU, 0 the host. The record names no thread: that of the call, where the call is known already.
void GpuDecoder::read_memory(const wire::MemoryRecord& m) {
  const MemoryTotals::Change change = memory_.apply(m);
  JsonArgs& args = process_.args_;
  args.clear();
  args.integer("Total Allocated", change.total);
  args.integer("Bytes", change.bytes);
  args.number("Addr", m.address);
  args.integer("Device Id", change.is_host ? -1 : std::int64_t{m.device});
  args.number("Device Type", change.is_host ? 0 : 1);
  if (m.correlation != 0) args.number("correlation", trace_correlation(m.correlation));
  StreamedInstant instant;
  const auto call = launches_.find(m.correlation);
  instant.track = call != launches_.end()
                      ? call->second.track
                      : StreamedTrack{process_.identity_.pid, process_.identity_.pid, TrackKind::kThread, 0};
  instant.name = "[memory]";
  instant.category = "cpu_instant_event";
  instant.time = process_.monotonic_time(m.head.time);
  instant.args = args.text();
  process_.sink_.add(instant);
  args.clear();
  args.integer("allocated bytes", change.total);
  const std::string name =
      change.is_host ? std::string("Host memory of CUDA") : fmt::format("GPU {} CUDA memory", m.device);
  StreamedInstant counter{
      {process_.identity_.pid, process_.identity_.pid, TrackKind::kThread, 0}, name, {}, instant.time, args.text()};
  counter.is_counter = true;
  process_.sink_.add(counter);
}

void GpuDecoder::arrow(const Place& launch, const Place& activity, std::uint64_t id) {
  process_.sink_.add(StreamedFlow{launch.track, launch.time, activity.track, activity.time, id});
}

void GpuDecoder::add_device(const wire::DeviceRecord& d) {
  process_.sink_.add(StreamedDevice{d.device, process_.names_.get(d.head.name), d.memory_bytes, d.compute_major,
                                    d.compute_minor, d.multiprocessors});
}

void GpuDecoder::finish() {
  launches_.clear();
  launch_order_.clear();
  waiting_.clear();
}

}  // namespace lacuna
