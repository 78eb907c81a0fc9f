#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/torch/torch_names.h"
#include "model/torch/torch_order.h"
#include "model/trace/trace.h"

namespace lacuna {

/// How torch's table treats an event.
enum class TorchKind : std::uint8_t {
  kOperator,       ///< cpu_op
  kAnnotation,     ///< user_annotation: record_function
  kPython,         ///< python_function: nests, but has no row unless requested
  kRuntime,        ///< calls and overhead recorded by Kineto on the CPU
  kOtherCpu,       ///< any other category: a CPU event on its own thread
  kGpuWork,        ///< kernel, copy, set
  kGpuAnnotation,  ///< gpu_user_annotation: a row of its own, no operator's kernel
  kGpuOther,       ///< cuda_sync, cuda_profiler_range
};
constexpr bool is_on_gpu(TorchKind kind) {
  return kind >= TorchKind::kGpuWork;
}
/// Whether torch itself recorded the event, so that its "External id" is its own.
constexpr bool is_torch_op(TorchKind kind) {
  return kind <= TorchKind::kAnnotation;
}

/// The list of events from which torch.profiler makes its table, rebuilt from a trace: the output of
/// `_parse_kineto_results` in torch/autograd/profiler.py (torch 2.15). Columns, in torch's
/// order: by start, longest first, else as in the file; several files one after the other.
///
/// trace.json lacks some of torch's data. The following rules reproduce torch's
/// results:
///  - A runtime call is on the thread of the operator that its "External id" names.
///    Without one it is on the thread that stopped the profiler, whichever thread called; so is
///    overhead. That thread is taken to be the one with the first ProfilerStep, else the first
///    whose tid is the pid, else
///    that of the first operator.
///  - A kernel, copy or set was launched by the operator that its "External id" names.
///    Never so for a gpu_user_annotation, although it carries the id of its CPU annotation;
///    so for a cuda_sync, unless the id is its own correlation, which is
///    written if nothing is linked.
///  - Kineto writes a gpu_user_annotation 1 ns early and 2 ns long (older: 1 us and 1 us). Undone here.
///  - An operator that was still open when the profiler stopped ends beyond torch's span in the file
///    and has "finished": false. torch ends it with the event around it, or with the span,
///    and calls it asynchronous: it counts in totals,
///    but has no self time and no children.
///  - Times are us since the start of the span "PyTorch Profiler (0)" as double, because torch
///    computes with those: their rounding decides how half of the last digit prints. Files without
///    the span take the first event instead and may print such ties differently.
/// Not in the file, so not reproduced: events that began and ended on different threads (torch
/// calls them asynchronous, too), names that are not ASCII (Kineto writes "unknown"), negative
/// durations (written as 0), overload names, FLOPs.
///
/// Building is O(n log tracks) and takes 38 bytes per event. `trace` must outlive this.
class TorchEvents {
 public:
  /// A kernel, copy or set and the operator that launched it, as event indices.
  struct Launch {
    std::uint32_t op = 0;
    std::uint32_t work = 0;
  };
  /// The events [first, last) of one source; their times are relative to `origin`.
  struct Part {
    SourceId source;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    Nanos origin = 0;
  };
  static constexpr std::uint32_t kNone = kNoIndex;

  /// Uses only events that start in `range`, as if the profiler had run only then.
  explicit TorchEvents(const Trace& trace, TimeSpan range = TimeSpan::everything(), unsigned threads = 1);

  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size()); }
  /// Relative to the origin of its part.
  Nanos start(std::uint32_t i) const { return starts_[i]; }
  Nanos end(std::uint32_t i) const { return ends_[i]; }
  std::uint32_t name(std::uint32_t i) const { return names_[i]; }
  TorchKind kind(std::uint32_t i) const { return kinds_[i]; }
  bool is_async(std::uint32_t i) const { return !async_.empty() && async_[i]; }
  SliceId slice(std::uint32_t i) const { return slices_[i]; }
  /// A number below thread_count(); equal for CPU events that torch can nest in each other.
  std::uint32_t thread(std::uint32_t i) const { return thread_of_[i]; }
  std::uint32_t thread_count() const { return static_cast<std::uint32_t>(trace_.tracks().size()); }
  /// torch's time_range.elapsed_us(): a difference of doubles.
  double elapsed_us(std::uint32_t i) const { return us(ends_[i]) - us(starts_[i]); }

  /// One per source that has events.
  const std::vector<Part>& parts() const { return parts_; }
  /// Ascending by `work`, i.e. by its start.
  const std::vector<Launch>& launches() const { return launches_; }
  const Trace& trace() const { return trace_; }
  TorchNames& names() { return texts_; }
  const TorchNames& names() const { return texts_; }
  /// torch's use_device in capitals, "CUDA" or "XPU"; empty if nothing ran on a GPU.
  const std::string& device_name() const { return device_name_; }

 private:
  void add_source(SourceId source, TimeSpan range);
  void append(std::span<const OrderedSlice> slices, AnnotationShift shift);
  void end_open_operators(std::uint32_t first, TimeSpan span);
  void link(std::uint32_t first);
  double us(Nanos since_origin) const { return static_cast<double>(since_origin) / 1000.0; }

  const Trace& trace_;
  const unsigned threads_;
  TorchNames texts_;
  std::vector<TorchKind> kind_of_category_;
  RawVector<Nanos> starts_;  // relative to the origin of their source
  RawVector<Nanos> ends_;
  RawVector<SliceId> slices_;
  RawVector<std::uint32_t> names_;
  RawVector<std::uint32_t> thread_of_;
  RawVector<TorchKind> kinds_;
  std::vector<bool> async_;  // empty: none is asynchronous
  std::vector<Launch> launches_;
  std::vector<Part> parts_;
  std::string device_name_;
};

}  // namespace lacuna
