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

/// Where a claim can be looked at on the timeline.
struct ReportPlace {
  TimeSpan span;
  SliceId slice;  ///< invalid: the time range as such
};

/// One step, warm-up included.
struct StepReport {
  MeasuredStep step;
  TimeUse use;  ///< of step.paced

  /// How long after its annotation's end the GPU was still at work on it: > 0 where the CPU runs ahead.
  Nanos gpu_lag() const {
    return step.launches == 0 ? 0 : std::max<Nanos>(0, saturating_sub(step.work.end, step.span.end));
  }
};

/// What limits the speed of one GPU: its work, or the cause of gaps that most of its idle time has (bound_of()); those
/// of a process without one are below.
enum class Bound : std::uint8_t {
  kNoGpu,
  kCompute,
  kCommunication,  ///< it communicates, or idles for communication
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
  kUnknown,  ///< the trace does not tell
  // Without a GPU, also kDataLoading and kCommunication:
  kCpuOperators,
  kCpuPython,
  kCpuLongGaps,
  kCpuWaiting,
  kCpuRanges,      ///< no operators; in ranges of its own
  kCpuUnrecorded,  ///< … in nothing that was recorded
  kCpuMixed,       ///< nothing takes half of the time
  // Of a program of which only thread states and stacks are known, also kCpuWaiting and kCpuMixed:
  kProgramRunning,
  kProgramPreempted,
  kProgramQuota,    ///< likewise, by the quota of its cgroup
  kProgramGil,      ///< its threads run Python one at a time
  kProgramSampled,  ///< of its threads only sampled stacks are known
};
std::string_view bound_name(Bound bound);
std::string_view bound_key(Bound bound);
Bound bound_of(GapCause cause);

/// The verdict on one GPU.
struct GpuVerdict {
  Bound bound = Bound::kUnknown;
  std::optional<GapCause> cause;  ///< where it is a cause of gaps
  Nanos time = 0;                 ///< of the work or the cause
  Nanos of = 0;                   ///< the window less what it idled for the profiler, which is not the program's
};

/// Where less than this part of the window is left beside the profiler's own work, that is the verdict.
inline constexpr double kLeastBesideProfiler = 0.05;
/// A GPU that is busy for at least this part of the window counts as kept busy: what it does is the limit.
inline constexpr double kBusyEnough = 0.85;

/// Idle time of one GPU in the window that one operator cost (charge_operators()).
struct ReportWait {
  StringId name = kEmptyString;
  Nanos lost = 0;
  std::uint64_t places = 0;  ///< gaps
  ReportPlace worst;         ///< the gap with most of it
};

/// One GPU inside the window. `idle` = the sum of `by_cause`.
struct DeviceReport {
  StringId device = kEmptyString;
  GpuVerdict verdict;
  TimeUse use;                   ///< of the window, with this GPU's work only, and all threads of the file
  std::uint64_t activities = 0;  ///< in the window
  Nanos busy = 0;                ///< union over its streams
  Nanos idle = 0;                ///< window - busy
  std::array<Nanos, kGapCauseCount> by_cause{};
  std::array<std::uint64_t, kGapCauseCount> gaps{};
  std::array<Gap, kGapCauseCount> longest{};  ///< gap with the most time in the window, by cause
  CauseIndex::RankWaits rank_waits;           ///< inside its collectives; empty without traces of other ranks
  /// Inside the window, before the first and after the last activity; their time is part of `by_cause`.
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
  std::uint64_t bytes = 0;  ///< copies and sets; 0: not in the file
  double occupancy = -1;    ///< kernels: mean weighted by time; < 0: not in the file
  MatrixUse matrix = MatrixUse::kNone;
  KernelClass kernel_class = KernelClass::kOther;  ///< copies and sets: kCopy
  SliceId longest;

  /// A kernel that neither communicates nor only waits.
  bool computes() const {
    return category == CategoryClass::kKernel && kernel_class != KernelClass::kCommunication &&
           kernel_class != KernelClass::kWaiting;
  }
  /// bytes / ns = GB/s; 0 where unknown, and for copies too small to measure anything but their
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
  Nanos gpu_time = 0;  ///< sum of what was launched with it as the innermost operator
  SliceId longest;     ///< on the CPU
};

/// Durations of one GPU's kernels that compute, in the window, by KernelClass.
struct DeviceClasses {
  StringId device = kEmptyString;
  std::array<Nanos, kKernelClassCount> by_class{};
};

/// Kernels as a whole, in the window. Sums of durations (not unions). All but the first three are
/// about kernels that compute: collectives are meant to use few SMs and no tensor cores.
struct KernelReport {
  std::uint64_t count = 0;
  Nanos total = 0;
  Nanos median = 0;        ///< duration
  Nanos compute = 0;       ///< total less kernels that communicate or only wait
  Nanos waiting = 0;       ///< kernels that only wait
  Nanos tensor = 0;        ///< MatrixUse::kTensor
  Nanos plain_matrix = 0;  ///< MatrixUse::kPlain
  Nanos unclear_matrix = 0;
  SliceId longest_plain;  ///< of the name with the most time among kPlain
  /// Mean of "est. achieved occupancy %" weighted by duration (TensorBoard's), and the part of the
  /// kernel time that it is known for.
  double occupancy = 0;
  double occupancy_known = 0;
  /// Mean of min(blocks per SM, 1) weighted by duration: the part of the SMs that have a block.
  double sm_share = 0;
  Nanos small_grids = 0;  ///< time in kernels with less than one block per SM
  SliceId longest_small;
  std::vector<DeviceClasses> computing;  ///< of GPUs with any, in the order of the tracks
};

/// GPU time of operators launched in the window, by what would make them faster (model/roofline). Each call counts
/// once. All 0 where no GPU is busy for kBusyEnough of the window, or neither shapes nor the peaks of the GPU are
/// known.
struct RooflineReport {
  struct Part {
    Nanos time = 0;
    SliceId longest;  ///< the call with the most GPU time
    /// Kernels that these operators launch, and the part of their time that they would take after the change.
    std::vector<std::pair<StringId, double>> kernels;
  };
  Part fusible;         ///< elementwise and row-wise operators that memory bounds
  Part memory_product;  ///< matrix products and attention that memory bounds
  Part slow_product;    ///< those that arithmetic bounds, at less than kGoodRoofShare of the roof
  Part half_product;    ///< those in 16 bits at kGoodRoofShare or more, on a GPU with a higher roof for 8 bits
  Part tiny;            ///< operators whose kernels are too short to reach any roof
};

/// What large products of matrices reach of the peak in practice, at least (cuBLAS on A100 and H100).
inline constexpr double kGoodRoofShare = 0.5;

/// Launches inside the window.
struct LaunchReport {
  std::uint64_t launches = 0;
  std::uint64_t graphs = 0;
  std::uint64_t short_ones = 0;  ///< the GPU needs less time than the call took (graphs: as one)
  Nanos median_call = 0;
  Nanos median_gpu = 0;
  Nanos median_delay = 0;   ///< end of the call to the start on the GPU
  Nanos median_period = 0;  ///< from one launch to the next on the same thread
};

/// Work that starts earlier than this before its launch shows that the clocks of CPU and GPU do not agree.
inline constexpr Nanos kClockErrorNs = 1'000;

/// What the file does not say. Counts are of the whole file.
struct MissingReport {
  std::uint64_t launches_without_work = 0;  ///< kernel and graph launches with nothing of that
                                            ///< correlation
  SliceId first_launch_without_work;
  std::uint64_t launches_at_end = 0;      ///< of these, begun after the last GPU activity did
  std::uint64_t copies_without_work = 0;  ///< the same of copy and set calls
  std::uint64_t launch_calls = 0;         ///< kernel and graph launches
  std::uint64_t activities = 0;
  std::uint64_t unlinked = 0;           ///< activities whose launch is not in the file
  std::uint64_t unlinked_at_start = 0;  ///< of these, launched before the recording: started
                                        ///< before the first launch call ended, or with a
                                        ///< correlation below those of all calls in the file
  Nanos unlinked_at_start_busy = 0;     ///< union of these inside the window
  SliceId first_unlinked;
  std::uint64_t before_launch = 0;  ///< activities that start more than kClockErrorNs before their launch does
  std::uint64_t without_times = 0;  ///< activities of 0 ns outside of the window: records that were never filled
  std::uint64_t repairs = 0;        ///< findings of the import that mean lost or mended data
  bool by_lacuna = false;           ///< Lacuna recorded it: its options are what was not chosen
  bool has_gpu = false;
  bool has_cpu = false;
  bool has_steps = false;
  bool has_shapes = false;
  bool has_stacks = false;
  bool has_samples = false;  ///< of stacks
  bool has_memory = false;
  bool has_occupancy = false;
};

/// Advice whose rule fires; the rules are in advice.h.
struct AdviceGiven {
  std::uint8_t rule = 0;               ///< index in advice_rules()
  std::optional<SeenPlace> blamed;     ///< where in the program most of it was, by sampling
  std::optional<SeenPlace> meanwhile;  ///< … where others were then: those that it waited for
  std::vector<ReportPlace> places;
  std::vector<std::string> changes;  ///< as `lacuna what-if` takes them; none: no replay can tell
  std::optional<Nanos> gain;         ///< by how much the steps of the window would be shorter with them
  Nanos replayed = 0;                ///< … of this time
  bool held_by_gpu = false;          ///< with the changes, the GPU's own work takes most of the time that is left
};

/// How far a verdict can be trusted.
struct Confidence {
  enum class Level : std::uint8_t { kHigh, kMedium, kLow };
  Level level = Level::kHigh;
  double idle_explained = 1;  ///< part of the busiest GPU's idle time with a cause that is known; 1 without any
  std::size_t measured_steps = 0;
  double launches_with_work = 1;  ///< part of the kernel and graph launches whose work is in the file; 1 without any
  double work_with_launch = 1;    ///< part of the GPU activities whose launch is in the file
  double in_order = 1;            ///< part of these that do not start before their launch
  bool by_stacks = false;         ///< recording these slowed the CPU down, which counts where the GPU waits for it
  bool by_shapes = false;
  bool by_memory = false;
};
/// "high", "medium", "low"
std::string_view confidence_key(Confidence::Level level);

/// A verdict on less evidence than this is no more than a guess; on less than the other it is doubtful.
inline constexpr double kLeastEvidence = 0.5;
inline constexpr double kGoodEvidence = 0.9;

/// The answers about one file.
struct Report {
  SourceId source;
  MeasuredSteps steps;
  TimeSpan window;  ///< = steps.window
  TimeUse use;      ///< of the window, over all GPUs
  std::vector<StepReport> by_step;
  StepPhases phases;                       ///< of an inference server
  std::vector<DeviceReport> devices;       ///< busiest first
  Confidence confidence;                   ///< in the verdict on the busiest GPU
  Bound bound = Bound::kNoGpu;             ///< of the busiest GPU (the others' are in `devices`); without any of `cpu`
  CpuReport cpu;                           ///< files without GPU activity
  ProgramReport program;                   ///< files without GPU activity, operators, ranges and frames
  std::vector<ReportKernel> kernels;       ///< kernels only, most time first
  std::vector<ReportKernel> copies;        ///< copies and sets, most time first
  std::vector<ReportKernelClass> classes;  ///< of kernels, copies and sets, most time first; those that the window has
  std::vector<ReportOperator> operators;   ///< most GPU time first; without any by CPU time
  Nanos operator_self_cpu = 0;
  Nanos graph_time = 0;         ///< of nodes of CUDA graphs in the window, sum of durations
  Nanos unattributed_time = 0;  ///< … where nothing tells what was captured; operators have the rest
  KernelReport kernel;
  RooflineReport roofline;
  LaunchReport launch;
  std::vector<MemoryTimeline> memory;
  std::vector<HardwareReport> hardware;  ///< of GPUs whose counters the file has
  MissingReport missing;
  Nanos allocation_calls = 0;  ///< time in cudaMalloc, cudaFree … inside the window
  std::uint64_t allocation_count = 0;
  SliceId longest_allocation;
  Nanos code_loading = 0;  ///< time in which CUDA loaded code, inside the window
  Nanos profiler = 0;      ///< … in which the profiler was at work
  std::vector<AdviceGiven> advice;
  /// Why args could not be read back (the file changed …): bytes, occupancy and memory are then
  /// missing. Empty: they were.
  std::string arguments_error;

  const DeviceReport* busiest() const { return devices.empty() ? nullptr : &devices.front(); }
  const DeviceProperties* properties(const Trace& trace) const;
};

struct ReportOptions {
  unsigned threads = 2;
  /// Leave out leading steps that are warm-up.
  bool leave_out_warm_up = true;
};

/// Computes the report on one file of the trace. Reads only; any thread may call. O(n) plus about
/// 1 us for each GPU activity in the window and each memory record, whose args are read back.
Report compute_report(const Trace& trace, SourceId source, const ReportOptions& options = {});
/// One for each file that has slices.
std::vector<Report> compute_reports(const Trace& trace, const ReportOptions& options = {});

}  // namespace lacuna
