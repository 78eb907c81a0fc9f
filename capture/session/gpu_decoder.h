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

/// The GPU half of ProcessDecoder: kernels, copies, API calls, synchronisations and overhead, as
/// Kineto would write them; arrows from launches to what they launched, in whichever order they come.
class GpuDecoder {
 public:
  explicit GpuDecoder(ProcessDecoder& process) : process_(process) {}

  void read(wire::RecordType type, std::span<const wire::Slot> slots);
  void add_device(const wire::DeviceRecord& device);
  /// A name that the target gave to a device, context or stream; said with its first event, or at once where
  /// there were events: a lane that never has any is not made by its name.
  void name_object(const wire::ObjectRecord& object);
  /// Tells again what the processes of the GPUs are called (ProcessDecoder::tell_process).
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
  /// False for a record without start or end, which is counted.
  bool complete(std::uint64_t start, std::uint64_t end);
  void activity(StreamedSlice& slice, std::uint32_t correlation, std::uint32_t context);
  void common_args(std::uint32_t device, std::uint32_t context, std::uint32_t stream, std::uint32_t correlation);
  StreamedTrack gpu_track(std::uint32_t device, std::uint32_t stream, TrackKind kind);
  /// Correlations are unique per process: the process's index makes them unique in the trace.
  std::uint64_t trace_correlation(std::uint32_t correlation) const;
  void use_stream(std::uint32_t device, std::uint32_t stream);
  void tell_device(std::uint32_t device);
  void tell_stream(std::uint32_t device, std::uint32_t stream);
  void arrow(const Place& launch, const Place& activity, std::uint64_t id);

  ProcessDecoder& process_;
  // Names are ids in the process's list.
  std::set<std::uint32_t> devices_used_;
  std::unordered_set<std::uint64_t> streams_used_;  // device << 32 | stream
  std::uint64_t last_stream_ = ~std::uint64_t{0};   // the one used last, to look up less
  std::unordered_map<std::uint32_t, std::uint32_t> device_names_;
  std::unordered_map<std::uint32_t, std::uint32_t> context_names_;
  std::unordered_map<std::uint64_t, std::uint32_t> stream_names_;  // as streams_used_; kAnyDevice is one of them
  std::unordered_map<std::uint32_t, std::uint32_t> device_of_context_;
  MemoryTotals memory_;
  // Arrows: launches and activities that wait for each other, oldest first.
  std::unordered_map<std::uint32_t, Place> launches_;
  std::deque<std::uint32_t> launch_order_;
  std::unordered_multimap<std::uint32_t, Place> waiting_;
};

/// "Memcpy HtoD (Pageable -> Device)" as Kineto names it, from CUPTI's numbers.
std::string copy_name(std::uint8_t copy_kind, std::uint8_t from_kind, std::uint8_t to_kind);
std::string set_name(std::uint8_t memory_kind);

/// Pid that stands for a GPU of process `index`: the ordinal for the first process, as in Kineto's
/// traces; above all pids that Linux gives for the others.
std::uint32_t gpu_pid(std::uint32_t index, std::uint32_t device);

}  // namespace lacuna
