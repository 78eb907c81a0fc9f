#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "model/causes/interval_set.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The kind of a moment of wall time: the first of these that is active.
/// The order is that of PyTorch's TensorBoard plugin (tb_plugin event_parser.py, ProfileRole), which does not know
/// kernels that wait.
enum class TimeKind : std::uint8_t {
  kKernel,  ///< a compute kernel
  kMemcpy,  ///< a copy to, from or on the GPU
  kMemset,
  kCommunication,  ///< a kernel that moves data between GPUs, or a collective on the CPU
  kWaiting,        ///< a kernel that only waits: the GPU is occupied, nothing is computed
  kRuntime,        ///< a CUDA runtime or driver call
  kDataLoading,    ///< waiting for the next batch
  kCpu,            ///< an operator on any thread
  kOther,          ///< nothing recorded but Python frames and annotations
};
inline constexpr std::size_t kTimeKindCount = 9;

/// Returns the kind's name: "kernel", "data loading" for users; "dataLoading" for JSON.
std::string_view time_kind_name(TimeKind kind);
std::string_view time_kind_key(TimeKind kind);
/// One sentence of definition per kind.
inline constexpr std::array<std::string_view, kTimeKindCount> kTimeKindDefinitions{
    "Some kernel was running that neither communicates nor only waits.",
    "No such kernel, but a copy to, from or on the GPU.",
    "None of these, but a memset on the GPU.",
    "None of these, but a communication kernel, or a collective on the CPU: communication that "
    "nothing hides.",
    "None of these, but a kernel that only waits, for an event or a semaphore.",
    "The GPU was idle; some thread was in a CUDA runtime or driver call.",
    "None of these; the program waited for its next batch.",
    "None of these; some thread was in an operator.",
    "Nothing recorded but Python frames and annotations."};
std::string_view time_kind_definition(TimeKind kind);

/// How one stretch of wall time was used. All are lengths of unions: concurrent activities
/// count once.
struct TimeUse {
  TimeSpan span;
  std::array<Nanos, kTimeKindCount> by_kind{};  ///< adds up to `wall` exactly
  Nanos wall = 0;
  Nanos gpu_busy = 0;       ///< any kernel, copy or set, including those that only wait
  Nanos compute = 0;        ///< any compute kernel
  Nanos communication = 0;  ///< any communication kernel
  Nanos overlap = 0;        ///< both at the same time

  Nanos at(TimeKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  double share(TimeKind kind) const { return part(at(kind), wall); }
  double busy_share() const { return part(gpu_busy, wall); }
  /// The fraction of the communication hidden by computation: HTA's comm_comp_overlap. 0 without communication.
  double hidden_share() const { return part(overlap, communication); }
  /// Communication without simultaneous computation.
  Nanos exposed() const { return communication - overlap; }

  static double part(Nanos a, Nanos b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }
};

/// Computes, for one file, how any stretch of time was used. All GPUs and threads of the file count
/// together (but see of_device()).
///
/// Building: one pass over all slices, O(n), on `threads` threads. Each query: O(log n + intervals of GPU work inside,
/// times the logarithm of the thread intervals between them). 24 bytes per interval. Keeps no reference to the trace.
/// Immutable; any thread.
class TimeUseIndex {
 public:
  TimeUseIndex() = default;
  TimeUseIndex(const Trace& trace, SourceId source, unsigned threads = 2);

  /// Returns an index with the same threads and the work of one GPU, for files with several; shares the threads' data.
  /// Call only on a built index, with its trace. O(slices of that GPU).
  TimeUseIndex of_device(const Trace& trace, StringId device) const;

  /// Returns how one GPU spent `span`, without an index: idle time counts as other. O(its slices in
  /// `span` + names).
  static TimeUse of_gpu(const Trace& trace, SourceId source, StringId device, TimeSpan span);

  TimeUse over(TimeSpan span) const;
  /// Time in which any kernel, copy or set ran, over all GPUs of the file.
  std::span<const TimeSpan> kernels() const { return gpu_[0].intervals(); }

 private:
  static constexpr std::size_t kGpuSets = 5;  // the first kinds: kernel … waiting
  struct Host;
  class Builder;

  std::array<IntervalSet, kGpuSets> gpu_;
  std::shared_ptr<const Host> host_;  // null: no thread data
};

}  // namespace lacuna
