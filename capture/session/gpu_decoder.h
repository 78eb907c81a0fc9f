#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "capture/session/memory_totals.h"
#include "capture/session/process_decoder.h"

namespace lacuna {

/// The GPU part of ProcessDecoder: decodes kernels, copies, API calls, synchronisations and overhead into the events
/// that Kineto would write, and links launches to the activities that they launched, in whichever order these arrive.
class GpuDecoder {
 public:
  explicit GpuDecoder(ProcessDecoder& process) : process_(process) {}

  void read(wire::RecordType type, std::span<const wire::Slot> slots);
  void add_device(const wire::DeviceRecord& device);
  /// Sets the name that the target gave to a device, context or stream. The name is passed on with the first event of
  /// its lane, or at once when the lane has events: a name alone makes no lane.
  void name_object(const wire::ObjectRecord& object);
  /// Passes the names of the GPU processes to the sink again (ProcessDecoder::tell_process).
  void tell_processes() const;
  void finish();

  bool api_thread_is_tid = false;  ///< how to read ApiRecord::thread

 private:
  struct Place {
    StreamedTrack track;
    Nanos time = 0;
  };

  void read_kernel(const wire::KernelRecord& record, bool is_graph);
  void read_copy(const wire::CopyRecord& record, bool is_set);
  void read_api(const wire::ApiRecord& record);
  void read_sync(const wire::SyncRecord& record, bool is_overhead);
  void read_memory(const wire::MemoryRecord& record);
  /// Whether the record has a start and an end; counts it when not.
  bool complete(std::uint64_t start, std::uint64_t end);
  void activity(StreamedSlice& slice, std::uint32_t correlation, std::uint32_t context);
  void common_args(std::uint32_t device, std::uint32_t context, std::uint32_t stream, std::uint32_t correlation);
  StreamedTrack gpu_track(std::uint32_t device, std::uint32_t stream, TrackKind kind);
  /// Correlations are unique per process only; adds the process's index to make them unique in the trace.
  std::uint64_t trace_correlation(std::uint32_t correlation) const;
  void use_stream(std::uint32_t device, std::uint32_t stream);
  void tell_device(std::uint32_t device);
  void tell_stream(std::uint32_t device, std::uint32_t stream);
  void arrow(const Place& launch, const Place& activity, std::uint64_t id);

  ProcessDecoder& process_;
  // Names are ids in the process's NameList.
  std::set<std::uint32_t> devices_used_;
  std::unordered_set<std::uint64_t> streams_used_;  // device << 32 | stream
  std::uint64_t last_stream_ = ~std::uint64_t{0};   // the stream used last, to save lookups
  std::unordered_map<std::uint32_t, std::uint32_t> device_names_;
  std::unordered_map<std::uint32_t, std::uint32_t> context_names_;
  std::unordered_map<std::uint64_t, std::uint32_t> stream_names_;  // keyed as streams_used_, or with kAnyDevice
  std::unordered_map<std::uint32_t, std::uint32_t> device_of_context_;
  MemoryTotals memory_;
  // Launch links: launches and activities whose other end has not arrived yet, oldest first.
  std::unordered_map<std::uint32_t, Place> launches_;
  std::deque<std::uint32_t> launch_order_;
  std::unordered_multimap<std::uint32_t, Place> waiting_;
};

/// Returns a copy's name as Kineto writes it, "Memcpy HtoD (Pageable -> Device)", from CUPTI's numbers.
std::string copy_name(std::uint8_t copy_kind, std::uint8_t from_kind, std::uint8_t to_kind);
std::string set_name(std::uint8_t memory_kind);

/// Returns the pid that stands for a GPU of process `index`: the ordinal for the first process, as in Kineto's
/// traces; above all pids of Linux for the others.
std::uint32_t gpu_pid(std::uint32_t index, std::uint32_t device);

}  // namespace lacuna
