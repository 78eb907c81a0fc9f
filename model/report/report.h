#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/causes/cause_index.h"
#include "model/causes/cause_ranking.h"
#include "model/kernels/kernel_class.h"
#include "model/report/cpu_report.h"
#include "model/report/hardware_report.h"
#include "model/report/memory_timeline.h"
#include "model/report/program_report.h"
#include "model/report/tensor_cores.h"
#include "model/report/time_use.h"
#include "model/steps/measured_steps.h"
#include "model/steps/step_phases.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A place on the timeline that supports a statement.
struct ReportPlace {
  TimeSpan span;
  SliceId slice;        ///< invalid: the time range itself; kUnnumbered: the slice of that lane with that span
  TrackId gap_of = {};  ///< valid: the gap of this stream with that span

  /// The index of a slice of a trace on another machine.
  static constexpr std::uint32_t kUnnumbered = kNoIndex;
};

/// One step, warm-up included.
struct StepReport {
  MeasuredStep step;
  TimeUse use;  ///< of step.paced

  /// How long after the end of its annotation the GPU still worked on it: > 0 if the CPU runs ahead.
  Nanos gpu_lag() const {
    return step.launches == 0 ? 0 : std::max<Nanos>(0, saturating_sub(step.work.end, step.span.end));
  }
};

/// What limits the speed of one GPU: its work, or the cause of most of its idle time (bound_of()); the values for
/// a process without a GPU are below.
enum class Bound : std::uint8_t {
  kNoGpu,
  kCompute,
  kCommunication,  ///< it communicates, or idles waiting for communication
  kCopies,
  // Causes of gaps:
  kLaunch,
  kSynchronisation,
  kDataLoading,
  kBlockingCopy,
  kFirstUse,
  kAllocation,
  kFullQueue,
  kNotScheduled,
  kHostCallback,
  kDependency,
  kLateRank,
  kInsideGraph,
  kProfiler,
  kKernelSpacing,
  kNotRecorded,
  kOutsideSteps,
  kUnknown,  ///< the trace does not show it
  // Without a GPU, also kDataLoading and kCommunication:
  kCpuOperators,
  kCpuPython,
  kCpuLongGaps,
  kCpuWaiting,
  kCpuRanges,      ///< no operators; in ranges of its own
  kCpuUnrecorded,  ///< … outside everything that was recorded
  kCpuMixed,       ///< nothing takes half of the time
  // For a program with thread states and stacks only, also kCpuWaiting and kCpuMixed:
  kProgramRunning,
  kProgramPreempted,
  kProgramQuota,    ///< likewise, because of its cgroup's quota
  kProgramGil,      ///< its threads run Python one at a time
  kProgramSampled,  ///< only sampled stacks of its threads are known
};
std::string_view bound_name(Bound bound);
std::string_view bound_key(Bound bound);
Bound bound_of(GapCause cause);

/// The verdict on one GPU.
struct GpuVerdict {
  Bound bound = Bound::kUnknown;
  std::optional<GapCause> cause;  ///< if it is a cause of gaps
  Nanos time = 0;                 ///< time of the work or the cause
  Nanos of = 0;                   ///< the window without idle time caused by the profiler
};

/// If less than this fraction of the window is left besides the profiler's own work, the verdict is the profiler.
inline constexpr double kLeastBesideProfiler = 0.05;
/// A GPU that is busy for at least this fraction of the window counts as kept busy: its work is the limit.
inline constexpr double kBusyEnough = 0.85;

/// How reliable a verdict is.
struct Confidence {
  enum class Level : std::uint8_t { kHigh, kMedium, kLow };
  Level level = Level::kHigh;
  double idle_explained = 1;  ///< fraction of the GPU's idle time with a known cause; 1 without idle time
  std::size_t measured_steps = 0;
  double launches_with_work = 1;  ///< fraction of kernel and graph launches whose work is in the file; 1 without any
  double work_with_launch = 1;    ///< fraction of the GPU activities whose launch is in the file
  double in_order = 1;            ///< fraction of these that do not start before their launch
  bool by_stacks = false;         ///< recording stacks slowed the CPU down, which matters if the GPU waits for it
  bool by_shapes = false;
  bool by_memory = false;
};
/// Returns "high", "medium" or "low".
std::string_view confidence_key(Confidence::Level level);

/// A verdict with less evidence than kLeastEvidence is a guess; with less than kGoodEvidence it is doubtful.
inline constexpr double kLeastEvidence = 0.5;
inline constexpr double kGoodEvidence = 0.9;

/// Idle time of one GPU in the window caused by one operator (charge_operators()).
struct ReportWait {
  StringId name = kEmptyString;
  Nanos lost = 0;
  std::uint64_t places = 0;  ///< number of gaps
  ReportPlace worst;         ///< the gap with the largest part of it
};

/// One GPU inside the window. `idle` = the sum of `by_cause`.
struct DeviceReport {
  StringId device = kEmptyString;
  GpuVerdict verdict;
  Confidence confidence;         ///< in the verdict
  TimeUse use;                   ///< of the window, with this GPU's work only, but all threads of the file
  std::uint64_t activities = 0;  ///< number in the window
  Nanos busy = 0;                ///< union over its streams
  Nanos idle = 0;                ///< window - busy
  std::array<Nanos, kGapCauseCount> by_cause{};
  std::array<std::uint64_t, kGapCauseCount> gaps{};
  std::array<Gap, kGapCauseCount> longest{};  ///< by cause: the gap with the most time in the window
  CauseIndex::RankWaits rank_waits;           ///< waits inside its collectives; empty without traces of other ranks
  /// Idle time in the window before the first and after the last activity; part of `by_cause`.
  std::array<TimeSpan, 2> edges{};
  std::vector<ReportWait> waits;  ///< most lost time first

  Nanos at_edges() const { return saturating_add(edges[0].duration(), edges[1].duration()); }
  Nanos lost(GapCause cause) const { return by_cause[static_cast<std::size_t>(cause)]; }
};

/// All kernels, copies or sets of one name. Times are clipped to the window.
struct ReportKernel {
  StringId name = kEmptyString;
  CategoryClass category = CategoryClass::kKernel;
  std::uint64_t count = 0;
  Nanos total = 0;          ///< sum of durations
  std::uint64_t bytes = 0;  ///< of copies and sets; 0: not recorded
  double occupancy = -1;    ///< of kernels: mean weighted by time; < 0: not recorded
  MatrixUse matrix = MatrixUse::kNone;
  KernelClass kernel_class = KernelClass::kOther;  ///< copies and sets: kCopy
  SliceId longest;

  /// Whether it is a kernel that neither communicates nor only waits.
  bool computes() const {
    return category == CategoryClass::kKernel && kernel_class != KernelClass::kCommunication &&
           kernel_class != KernelClass::kWaiting;
  }
  /// bytes / ns = GB/s; 0 if unknown, and for copies that are too small to measure more than
  /// latency (less than 64 KiB on average).
  double gigabytes_per_second() const {
    constexpr std::uint64_t kLeastBytes = 64 << 10;
    return count == 0 || bytes / count < kLeastBytes ? 0 : TimeUse::part(static_cast<Nanos>(bytes), total);
  }
};

/// All kernels, copies and sets of one class. Times are clipped to the window.
struct ReportKernelClass {
  KernelClass kernel_class = KernelClass::kOther;
  std::uint64_t count = 0;
  Nanos total = 0;  ///< sum of durations
  SliceId longest;
};

/// All calls of one operator in the window.
struct ReportOperator {
  StringId name = kEmptyString;
  std::uint64_t count = 0;
  Nanos self_cpu = 0;
  Nanos gpu_time = 0;  ///< total duration of the work launched with it as the innermost operator
  SliceId longest;     ///< on the CPU
};

/// Durations of one GPU's compute kernels in the window, by KernelClass.
struct DeviceClasses {
  StringId device = kEmptyString;
  std::array<Nanos, kKernelClassCount> by_class{};
};

/// Kernels as a whole, in the window. Sums of durations (not unions). All but the first three cover
/// compute kernels only: collectives are meant to use few SMs and no tensor cores.
struct KernelReport {
  std::uint64_t count = 0;
  Nanos total = 0;
  Nanos median = 0;        ///< median duration
  Nanos compute = 0;       ///< total without kernels that communicate or only wait
  Nanos waiting = 0;       ///< kernels that only wait
  Nanos tensor = 0;        ///< MatrixUse::kTensor
  Nanos plain_matrix = 0;  ///< MatrixUse::kPlain
  Nanos unclear_matrix = 0;
  SliceId longest_plain;  ///< the longest one of the name with the most time in kPlain
  /// Mean of "est. achieved occupancy %" weighted by duration (as in TensorBoard), and the fraction of the
  /// kernel time for which it is known.
  double occupancy = 0;
  double occupancy_known = 0;
  /// Mean of min(blocks per SM, 1) weighted by duration: the fraction of the SMs that have a block; < 0: not recorded.
  double sm_share = 0;
  Nanos small_grids = 0;  ///< time in kernels with less than one block per SM
  SliceId longest_small;
  std::vector<DeviceClasses> computing;  ///< of the GPUs with compute kernels, in track order
};

/// GPU time of operators launched in the window, by the change that would speed them up (model/roofline). Each call
/// counts once. All 0 if no GPU is busy for kBusyEnough of the window, or neither shapes nor the GPU's peaks are
/// known.
struct RooflineReport {
  struct Part {
    Nanos time = 0;
    SliceId longest;  ///< the call with the most GPU time
    /// Kernels that these operators launch, and the fraction of their time that would remain after the change.
    std::vector<std::pair<StringId, double>> kernels;
  };
  Part fusible;         ///< memory-bound elementwise and row-wise operators
  Part memory_product;  ///< memory-bound matrix products and attention
  Part slow_product;    ///< compute-bound ones, at less than kGoodRoofShare of the roof
  Part half_product;    ///< 16-bit ones at kGoodRoofShare or more, on a GPU with a higher roof for 8 bits
  Part tiny;            ///< operators whose kernels are too short to reach any roof
};

/// Fraction of the peak that large matrix products reach in practice, at least (cuBLAS on A100 and H100).
inline constexpr double kGoodRoofShare = 0.5;

/// Launches inside the window.
struct LaunchReport {
  std::uint64_t launches = 0;
  std::uint64_t graphs = 0;
  std::uint64_t short_ones = 0;  ///< those whose GPU work is shorter than the call (graphs: as one)
  Nanos median_call = 0;
  Nanos median_gpu = 0;
  Nanos median_delay = 0;   ///< from the end of the call to the start on the GPU
  Nanos median_period = 0;  ///< from one launch to the next on the same thread
};

/// Work that starts more than this before its launch shows that the clocks of CPU and GPU disagree.
inline constexpr Nanos kClockErrorNs = 1'000;

/// What is missing in the file. Counts are of the whole file.
struct MissingReport {
  std::uint64_t launches_without_work = 0;  ///< kernel and graph launches without GPU work of their
                                            ///< correlation
  SliceId first_launch_without_work;
  std::uint64_t launches_at_end = 0;      ///< of these, those begun after the begin of the last GPU activity
  std::uint64_t copies_without_work = 0;  ///< likewise, copy and set calls
  std::uint64_t launch_calls = 0;         ///< kernel and graph launches
  std::uint64_t activities = 0;
  std::uint64_t unlinked = 0;           ///< activities whose launch is not in the file
  std::uint64_t unlinked_at_start = 0;  ///< of these, launched before the recording: started
                                        ///< before the first launch call ended, or with a
                                        ///< correlation below those of all calls in the file
  Nanos unlinked_at_start_busy = 0;     ///< union of these inside the window
  SliceId first_unlinked;
  std::uint64_t before_launch = 0;  ///< activities that start more than kClockErrorNs before their launch
  std::uint64_t without_times = 0;  ///< activities of 0 ns outside the window: records that were never completed
  std::uint64_t repairs = 0;        ///< import findings that mean lost or repaired data
  bool by_lacuna = false;           ///< recorded by Lacuna: missing data are options that were not chosen
  bool has_gpu = false;
  bool has_cpu = false;
  bool has_steps = false;
  bool has_shapes = false;
  bool has_stacks = false;
  bool has_samples = false;  ///< stack samples
  bool has_memory = false;
  bool has_occupancy = false;
};

/// Advice of a rule that fired; the rules are in advice.h.
struct AdviceGiven {
  std::uint8_t rule = 0;               ///< index in advice_rules()
  std::optional<SeenPlace> blamed;     ///< where in the program most of it was, by stack samples
  std::optional<SeenPlace> meanwhile;  ///< where other threads were at that time: those that it waited for
  std::vector<ReportPlace> places;
  std::vector<std::string> changes;  ///< in the syntax of `lacuna what-if`; none: no replay can tell
  std::optional<Nanos> gain;         ///< by how much the changes would shorten the steps of the window
  Nanos replayed = 0;                ///< … of this replayed time
  bool held_by_gpu = false;          ///< with the changes, the GPU's own work takes most of the remaining time
};

/// The report on one file.
struct Report {
  SourceId source;
  MeasuredSteps steps;
  TimeSpan window;  ///< = steps.window
  TimeUse use;      ///< of the window, over all GPUs
  std::vector<StepReport> by_step;
  StepPhases phases;                       ///< of an inference server
  std::vector<DeviceReport> devices;       ///< busiest first
  Confidence confidence;                   ///< in the verdict on the busiest GPU
  Bound bound = Bound::kNoGpu;             ///< of the busiest GPU (the others' are in `devices`); without any, of `cpu`
  CpuReport cpu;                           ///< for files without GPU activity
  ProgramReport program;                   ///< for files without GPU activity, operators, ranges and frames
  std::vector<ReportKernel> kernels;       ///< kernels only, most time first
  std::vector<ReportKernel> copies;        ///< copies and sets, most time first
  std::vector<ReportKernelClass> classes;  ///< of kernels, copies and sets, most time first; only those in the window
  std::vector<ReportOperator> operators;   ///< most GPU time first; without GPU time by CPU time
  Nanos operator_self_cpu = 0;
  Nanos graph_time = 0;         ///< sum of durations of CUDA graph nodes in the window
  Nanos unattributed_time = 0;  ///< … whose captured operators are not known; the rest is in `operators`
  KernelReport kernel;
  RooflineReport roofline;
  LaunchReport launch;
  std::vector<MemoryTimeline> memory;
  std::vector<HardwareReport> hardware;  ///< of GPUs with hardware counters in the file
  MissingReport missing;
  Nanos allocation_calls = 0;  ///< time in cudaMalloc, cudaFree … inside the window
  std::uint64_t allocation_count = 0;
  SliceId longest_allocation;
  Nanos code_loading = 0;  ///< time of CUDA loading code, inside the window
  Nanos profiler = 0;      ///< time of the profiler's own work, inside the window
  std::vector<AdviceGiven> advice;
  /// Why args could not be read back (such as a changed file): bytes, occupancy and memory are then
  /// missing. Empty: no error.
  std::string arguments_error;

  /// The one with most idle time, as in the headline; null without any.
  const DeviceReport* most_idle() const {
    const auto most = std::ranges::max_element(devices, {}, &DeviceReport::idle);
    return most == devices.end() ? nullptr : &*most;
  }
  const DeviceReport* busiest() const { return devices.empty() ? nullptr : &devices.front(); }
  const DeviceProperties* properties(const Trace& trace) const;
};

struct ReportOptions {
  unsigned threads = 2;
  /// Exclude leading steps that are warm-up.
  bool leave_out_warm_up = true;
};

/// Computes the report on one file of the trace. Read-only; any thread. O(n) plus about
/// 1 us for each GPU activity in the window and each memory record, whose args are read back.
Report compute_report(const Trace& trace, SourceId source, const ReportOptions& options = {});
/// Returns one report for each file that has slices.
std::vector<Report> compute_reports(const Trace& trace, const ReportOptions& options = {});

}  // namespace lacuna
