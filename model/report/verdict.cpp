// What limits the speed of a GPU or a process: the verdicts, their names and how they are found.

#include <algorithm>
#include <array>
#include <utility>

#include "model/report/report_parts.h"

namespace lacuna {
namespace {

struct BoundText {
  Bound bound;
  std::string_view key;
  std::string_view name;
};

constexpr BoundText kTexts[] = {
    {Bound::kNoGpu, "noGpu", "no GPU activity"},
    {Bound::kCompute, "compute", "compute-bound"},
    {Bound::kCommunication, "communication", "communication-bound"},
    {Bound::kCopies, "copies", "bound by copies"},
    {Bound::kLaunch, "launch", "overhead-bound (launch-bound)"},
    {Bound::kSynchronisation, "synchronisation", "bound by synchronisation"},
    {Bound::kDataLoading, "dataLoading", "bound by data loading"},
    {Bound::kBlockingCopy, "blockingCopy", "bound by copies that block the CPU"},
    {Bound::kFirstUse, "firstUse", "bound by first use (code that is loaded, compiled or tuned)"},
    {Bound::kAllocation, "allocation", "bound by allocation of GPU memory"},
    {Bound::kFullQueue, "fullQueue", "bound by a full launch queue"},
    {Bound::kNotScheduled, "notScheduled", "bound by a launching thread that does not run"},
    {Bound::kHostCallback, "hostCallback", "bound by functions that streams call on the CPU"},
    {Bound::kDependency, "dependency", "bound by dependencies between streams"},
    {Bound::kLateRank, "lateRank", "bound by a rank that comes late"},
    {Bound::kInsideGraph, "insideGraph", "bound by waits inside graphs"},
    {Bound::kProfiler, "profiler", "bound by the profiler"},
    {Bound::kKernelSpacing, "kernelSpacing", "overhead-bound (kernels too short for the distance between them)"},
    {Bound::kNotRecorded, "notRecorded", "not known, as the file lacks what the GPU did"},
    {Bound::kOutsideSteps, "outsideSteps", "idle between the steps"},
    {Bound::kUnknown, "unknown", "not known, as the trace does not tell why the GPU was idle"},
    {Bound::kCpuOperators, "cpuOperators", "bound by operators on the CPU"},
    {Bound::kCpuPython, "cpuPython", "bound by Python between operators"},
    {Bound::kCpuLongGaps, "cpuLongGaps", "bound by long gaps between operators"},
    {Bound::kCpuWaiting, "cpuWaiting", "bound by waiting (locks, I/O, time)"},
    {Bound::kCpuRanges, "cpuRanges", "bound by its own ranges and frames, without operators"},
    {Bound::kCpuUnrecorded, "cpuUnrecorded", "mostly in what was not recorded"},
    {Bound::kCpuMixed, "cpuMixed", "no single cause on the CPU"},
    {Bound::kProgramRunning, "programRunning", "bound by its own computing on the CPU"},
    {Bound::kProgramPreempted, "programPreempted", "bound by the CPUs that others use"},
    {Bound::kProgramQuota, "programQuota", "bound by the CPU quota of its container or cgroup"},
    {Bound::kProgramGil, "programGil", "bound by the lock of Python's interpreter (GIL)"},
    {Bound::kProgramSampled, "programSampled", "not known, as its stacks were sampled, not whether it ran or waited"},
};

const BoundText& bound_text(Bound bound) {
  return *std::ranges::find(kTexts, bound, &BoundText::bound);
}

Confidence confidence_in(const Report& report, const DeviceReport* device) {
  Confidence sure;
  const MissingReport& missing = report.missing;
  sure.measured_steps = report.steps.steps.size() - report.steps.warm_up_count;
  if (device != nullptr && device->idle > 0)
    sure.idle_explained =
        1 - TimeUse::part(saturating_add(device->lost(GapCause::kUnknown), device->lost(GapCause::kNotRecorded)),
                          device->idle);
  const auto part_without = [](std::uint64_t without, std::uint64_t all) {
    return all == 0 ? 1 : 1 - static_cast<double>(without) / static_cast<double>(all);
  };
  sure.launches_with_work = part_without(missing.launches_without_work, missing.launch_calls);
  sure.work_with_launch = part_without(missing.unlinked, missing.activities);
  sure.in_order = part_without(missing.before_launch, missing.activities - missing.unlinked);
  sure.by_stacks = missing.has_stacks;
  sure.by_shapes = missing.has_shapes;
  sure.by_memory = missing.has_memory;
  // Idle time that is not explained matters as much as there is idle time, unless the verdict is about nothing else.
  const double busy = device == nullptr ? 0 : TimeUse::part(device->busy, report.use.wall);
  const bool is_known = device == nullptr || device->verdict.bound != Bound::kUnknown;
  const double explained = is_known ? busy + (1 - busy) * sure.idle_explained : sure.idle_explained;
  const double least = std::min({explained, sure.launches_with_work, sure.work_with_launch, sure.in_order});
  sure.level = least < kLeastEvidence  ? Confidence::Level::kLow
               : least < kGoodEvidence ? Confidence::Level::kMedium
                                       : Confidence::Level::kHigh;
  return sure;
}

}  // namespace

std::string_view bound_name(Bound bound) {
  return bound_text(bound).name;
}
std::string_view bound_key(Bound bound) {
  return bound_text(bound).key;
}

Bound bound_of(GapCause cause) {
  switch (cause) {
    case GapCause::kLaunchBound:
      return Bound::kLaunch;
    case GapCause::kSynchronisation:
      return Bound::kSynchronisation;
    case GapCause::kDataLoading:
      return Bound::kDataLoading;
    case GapCause::kBlockingCopy:
      return Bound::kBlockingCopy;
    case GapCause::kFirstUse:
      return Bound::kFirstUse;
    case GapCause::kAllocation:
      return Bound::kAllocation;
    case GapCause::kFullQueue:
      return Bound::kFullQueue;
    case GapCause::kNotScheduled:
      return Bound::kNotScheduled;
    case GapCause::kHostCallback:
      return Bound::kHostCallback;
    case GapCause::kDependency:
      return Bound::kDependency;
    case GapCause::kCommunication:
      return Bound::kCommunication;
    case GapCause::kLateRank:
      return Bound::kLateRank;
    case GapCause::kInsideGraph:
      return Bound::kInsideGraph;
    case GapCause::kProfilerOverhead:
      return Bound::kProfiler;
    case GapCause::kKernelSpacing:
      return Bound::kKernelSpacing;
    case GapCause::kNotRecorded:
      return Bound::kNotRecorded;
    case GapCause::kOutsideSteps:
      return Bound::kOutsideSteps;
    case GapCause::kUnknown:
      break;
  }
  return Bound::kUnknown;
}

GpuVerdict judge_device(const DeviceReport& device) {
  const TimeUse& use = device.use;
  GpuVerdict verdict;
  const Nanos profiler = device.lost(GapCause::kProfilerOverhead);
  verdict.of = saturating_sub(use.wall, profiler);
  // What is the profiler's own is not the program's, unless it is nearly all that there is.
  const bool is_all_profiler = TimeUse::part(verdict.of, use.wall) < kLeastBesideProfiler;
  if (is_all_profiler) verdict.of = use.wall;
  const Nanos copies = use.at(TimeKind::kMemcpy) + use.at(TimeKind::kMemset);
  const Nanos exposed = use.exposed();
  const auto decide = [&](Bound bound, Nanos time) {
    verdict.bound = bound;
    verdict.time = time;
    return verdict;
  };
  if (verdict.of <= 0) return decide(Bound::kUnknown, 0);
  const Nanos waiting = use.at(TimeKind::kWaiting);
  const auto work = [&] {
    if (waiting > std::max({use.compute, exposed, copies})) return decide(Bound::kDependency, waiting);
    if (use.compute >= std::max(exposed, copies)) return decide(Bound::kCompute, use.compute);
    return exposed >= copies ? decide(Bound::kCommunication, exposed) : decide(Bound::kCopies, copies);
  };
  // Kernels that only wait take the GPU, but are no work: they count as idle time for another stream.
  const Nanos idle = (is_all_profiler ? device.idle : saturating_sub(device.idle, profiler)) + waiting;
  if (idle == 0 || TimeUse::part(saturating_sub(device.busy, waiting), verdict.of) >= kBusyEnough) return work();
  // Waiting for other GPUs inside a collective keeps this one busy, but is no work.
  if (exposed > idle && exposed > use.compute) return work();
  GapCause most = GapCause::kUnknown;
  for (const GapCause cause : all_gap_causes())
    if ((cause != GapCause::kProfilerOverhead || is_all_profiler) && device.lost(cause) > device.lost(most))
      most = cause;
  if (device.lost(GapCause::kDependency) + waiting > device.lost(most) && waiting > device.lost(GapCause::kDependency))
    return decide(Bound::kDependency, waiting);
  verdict.cause = most;
  return decide(bound_of(most), device.lost(most));
}

std::string_view confidence_key(Confidence::Level level) {
  constexpr std::array<std::string_view, 3> kKeys{"high", "medium", "low"};
  return kKeys[static_cast<std::size_t>(level)];
}

void judge_confidence(Report& report) {
  for (DeviceReport& device : report.devices) device.confidence = confidence_in(report, &device);
  report.confidence = report.devices.empty() ? confidence_in(report, nullptr) : report.devices.front().confidence;
}

void judge_all(Report& report) {
  for (DeviceReport& device : report.devices) device.verdict = judge_device(device);
  report.bound = report.busiest() != nullptr ? report.busiest()->verdict.bound
                 : report.program.is_known   ? judge_program(report.program, report.window.duration())
                                             : judge_cpu(report.cpu);
}

}  // namespace lacuna
