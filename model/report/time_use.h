#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "model/causes/interval_set.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What a moment of wall time is counted as: the first of these that something was doing then.
/// The order is that of the TensorBoard plugin of PyTorch (tb_plugin event_parser.py, ProfileRole), which does not know
/// kernels that wait.
enum class TimeKind : std::uint8_t {
  kKernel,  ///< a kernel that computes
  kMemcpy,  ///< a copy to, from or on the GPU
  kMemset,
  kCommunication,  ///< a kernel that moves data between GPUs, or a collective on the CPU
  kWaiting,        ///< a kernel that only waits: the GPU is taken, nothing is computed
  kRuntime,        ///< a CUDA runtime or driver call
  kDataLoading,    ///< waiting for the next batch
  kCpu,            ///< an operator on any thread
  kOther,          ///< nothing recorded but Python frames and annotations
};
inline constexpr std::size_t kTimeKindCount = 9;

/// "kernel", "data loading": on every surface. "dataLoading": in JSON.
std::string_view time_kind_name(TimeKind kind);
std::string_view time_kind_key(TimeKind kind);
/// One sentence of definition, by kind.
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

/// How one stretch of wall time was used. All are lengths of unions: what happens twice at a time
/// counts once.
struct TimeUse {
  TimeSpan span;
  std::array<Nanos, kTimeKindCount> by_kind{};  ///< adds up to `wall` exactly
  Nanos wall = 0;
  Nanos gpu_busy = 0;       ///< any kernel, copy or set, those that only wait as well
  Nanos compute = 0;        ///< any kernel that computes
  Nanos communication = 0;  ///< any kernel that communicates
  Nanos overlap = 0;        ///< both at once

  Nanos at(TimeKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  double share(TimeKind kind) const { return part(at(kind), wall); }
  double busy_share() const { return part(gpu_busy, wall); }
  /// Part of the communication that computation hides: HTA's comm_comp_overlap. 0 without any.
  double hidden_share() const { return part(overlap, communication); }
  /// Communication during which nothing was computed.
  Nanos exposed() const { return communication - overlap; }

  static double part(Nanos a, Nanos b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }
};

/// Answers, for one file, how any stretch of time was used. All GPUs and threads of the file count
/// together (but see of_device()).
///
/// Building: one pass over all slices, O(n), on `threads` threads. Each answer: O(log n + intervals of GPU work inside,
/// by the logarithm of what lies between them on threads). 24 bytes an interval. Keeps no reference to the trace.
/// Immutable; any thread.
class TimeUseIndex {
 public:
  TimeUseIndex() = default;
  TimeUseIndex(const Trace& trace, SourceId source, unsigned threads = 2);

  /// The same threads with the work of one GPU, for files with several of them; what is known of the threads is shared.
  /// Only of an index that was built, of that trace. O(slices of that GPU).
  TimeUseIndex of_device(const Trace& trace, StringId device) const;

  /// How one GPU spent `span`, without an index: the time in which it does nothing counts as other. O(its slices in
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
  std::shared_ptr<const Host> host_;  // null: nothing on threads
};

}  // namespace lacuna
