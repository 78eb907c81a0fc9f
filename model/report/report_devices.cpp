#include <algorithm>
#include <optional>

#include "model/base/stable_sort.h"
#include "model/report/report_parts.h"

namespace lacuna {
namespace {

/// `set` cut to the window, its diagnoses kept: causes are judged on whole gaps.
CausedGaps inside(const CausedGaps& set, TimeSpan window) {
  CausedGaps cut;
  cut.source = set.source;
  cut.device = set.device;
  cut.is_device = set.is_device;
  for (std::size_t g = 0; g < set.gaps.size(); ++g) {
    const TimeSpan span = TimeSpan{set.gaps[g].start, set.gaps[g].end}.intersect(window);
    if (span.empty()) continue;
    Gap gap = set.gaps[g];
    gap.start = span.begin;
    gap.end = span.end;
    GapDiagnosis diagnosis = set.diagnoses[g];
    diagnosis.before_issue =
        std::clamp<Nanos>(diagnosis.before_issue - (span.begin - set.gaps[g].start), 0, span.duration());
    diagnosis.in_queue = span.duration() - diagnosis.before_issue;
    cut.gaps.push_back(gap);
    cut.diagnoses.push_back(diagnosis);
  }
  return cut;
}

DeviceReport summarise(const CausedGaps& cut, const DeviceActivity& whole, TimeSpan window) {
  DeviceReport device;
  device.device = cut.device;
  device.activities = whole.events;
  for (std::size_t g = 0; g < cut.gaps.size(); ++g) {
    const Gap& gap = cut.gaps[g];
    const auto cause = static_cast<std::size_t>(cut.diagnoses[g].cause);
    device.by_cause[cause] = saturating_add(device.by_cause[cause], gap.duration());
    if (device.gaps[cause]++ == 0 || gap.duration() > device.longest[cause].duration()) device.longest[cause] = gap;
    device.idle = saturating_add(device.idle, gap.duration());
  }
  device.edges = {window.intersect({kMinNanos, whole.first_start}), window.intersect({whole.last_end, kMaxNanos})};
  for (const TimeSpan edge : device.edges) device.at_edges = saturating_add(device.at_edges, edge.duration());
  device.idle = saturating_add(device.idle, device.at_edges);
  device.busy = saturating_sub(window.duration(), device.idle);
  return device;
}

}  // namespace

void report_devices(const Trace& trace, Report& report, const CauseIndex* causes) {
  std::optional<CauseIndex> own;
  if (causes == nullptr) own.emplace(trace);
  const CauseIndex& index = causes == nullptr ? *own : *causes;
  std::vector<std::pair<DeviceReport, CausedGaps>> devices;
  for (DeviceActivity& activity : analyze_devices(trace)) {
    if (activity.source != report.source) continue;
    DeviceActivity bounds = activity;
    bounds.gaps.clear();
    CausedGaps cut = inside(add_causes(index, std::move(activity)), report.window);
    DeviceReport device = summarise(cut, bounds, report.window);
    device.rank_waits = index.rank_waits(report.source, device.device, report.window);
    devices.emplace_back(std::move(device), std::move(cut));
  }
  sort_stably(devices, std::ranges::greater{}, [](const auto& d) { return d.first.busy; });
  for (auto& [device, gaps] : devices) {
    for (const OperatorCost& cost : charge_operators(trace, {&gaps, 1}, 1).rows) {
      ReportWait wait{cost.name, cost.lost, cost.places.size(), {}};
      if (!cost.places.empty()) {
        const Gap& worst = gaps.gaps[cost.places.front().gap];
        wait.worst = {{worst.start, worst.end}, worst.after};
      }
      device.waits.push_back(wait);
    }
    report.devices.push_back(std::move(device));
  }
}

Bound judge_bound(const DeviceReport& device) {
  const TimeUse& use = device.use;
  const Nanos copies = use.at(TimeKind::kMemcpy) + use.at(TimeKind::kMemset);
  const Nanos compute = use.at(TimeKind::kKernel);
  if (TimeUse::part(device.busy, use.wall) >= kBusyEnough) {
    const Nanos waiting = use.at(TimeKind::kWaiting);
    if (waiting > std::max({compute, use.exposed(), copies})) return Bound::kDependency;
    if (compute >= std::max(use.exposed(), copies)) return Bound::kCompute;
    return use.exposed() >= copies ? Bound::kCommunication : Bound::kCopies;
  }
  struct Candidate {
    Bound bound;
    Nanos lost;
  };
  const Candidate candidates[] = {
      {Bound::kLaunch, device.lost(GapCause::kLaunchBound) + device.lost(GapCause::kKernelSpacing) +
                           device.lost(GapCause::kFirstUse) + device.lost(GapCause::kAllocation) +
                           device.lost(GapCause::kFullQueue) + device.lost(GapCause::kNotScheduled)},
      {Bound::kSynchronisation, device.lost(GapCause::kSynchronisation) + device.lost(GapCause::kBlockingCopy)},
      {Bound::kDataLoading, device.lost(GapCause::kDataLoading) + device.edge_data_loading},
      {Bound::kCommunication, device.lost(GapCause::kCommunication) + device.lost(GapCause::kLateRank)},
      {Bound::kDependency,
       device.lost(GapCause::kDependency) + device.lost(GapCause::kHostCallback) + device.lost(GapCause::kInsideGraph)},
      {Bound::kProfiler, device.lost(GapCause::kProfilerOverhead)},
      {Bound::kUnknown, device.lost(GapCause::kUnknown) + device.lost(GapCause::kNotRecorded) + device.at_edges -
                            device.edge_data_loading + device.lost(GapCause::kOutsideSteps)}};
  if (device.idle == 0) return Bound::kUnknown;
  // Waiting for other GPUs inside a collective keeps this one busy, but is no work.
  if (use.exposed() > device.idle && use.exposed() > compute) return Bound::kCommunication;
  const Candidate* most = std::ranges::max_element(candidates, {}, &Candidate::lost);
  return most->lost * 2 >= device.idle ? most->bound : Bound::kMixed;
}

std::string_view bound_name(Bound bound) {
  switch (bound) {
    case Bound::kNoGpu:
      return "no GPU activity";
    case Bound::kCompute:
      return "compute-bound";
    case Bound::kCommunication:
      return "communication-bound";
    case Bound::kCopies:
      return "bound by copies";
    case Bound::kLaunch:
      return "overhead-bound (launch-bound)";
    case Bound::kSynchronisation:
      return "bound by synchronisation";
    case Bound::kDataLoading:
      return "bound by data loading";
    case Bound::kDependency:
      return "bound by dependencies between streams";
    case Bound::kProfiler:
      return "bound by the profiler";
    case Bound::kMixed:
      return "overhead-bound, with several causes";
    case Bound::kUnknown:
      return "idle for reasons that the trace does not tell";
    case Bound::kCpuOperators:
      return "bound by operators on the CPU";
    case Bound::kCpuPython:
      return "bound by Python between operators";
    case Bound::kCpuLongGaps:
      return "bound by long gaps between operators";
    case Bound::kCpuWaiting:
      return "bound by waiting (locks, I/O, time)";
    case Bound::kCpuRanges:
      return "bound by its own ranges and frames, without operators";
    case Bound::kCpuUnrecorded:
      return "mostly in what was not recorded";
    case Bound::kCpuMixed:
      return "no single cause on the CPU";
    case Bound::kProgramRunning:
      return "bound by its own computing on the CPU";
    case Bound::kProgramPreempted:
      return "bound by the CPUs that others use";
  }
  return "";
}

std::string_view bound_key(Bound bound) {
  switch (bound) {
    case Bound::kNoGpu:
      return "noGpu";
    case Bound::kCompute:
      return "compute";
    case Bound::kCommunication:
      return "communication";
    case Bound::kCopies:
      return "copies";
    case Bound::kLaunch:
      return "launch";
    case Bound::kSynchronisation:
      return "synchronisation";
    case Bound::kDataLoading:
      return "dataLoading";
    case Bound::kDependency:
      return "dependency";
    case Bound::kProfiler:
      return "profiler";
    case Bound::kMixed:
      return "mixed";
    case Bound::kUnknown:
      return "unknown";
    case Bound::kCpuOperators:
      return "cpuOperators";
    case Bound::kCpuPython:
      return "cpuPython";
    case Bound::kCpuLongGaps:
      return "cpuLongGaps";
    case Bound::kCpuWaiting:
      return "cpuWaiting";
    case Bound::kCpuRanges:
      return "cpuRanges";
    case Bound::kCpuUnrecorded:
      return "cpuUnrecorded";
    case Bound::kCpuMixed:
      return "cpuMixed";
    case Bound::kProgramRunning:
      return "programRunning";
    case Bound::kProgramPreempted:
      return "programPreempted";
  }
  return "";
}

}  // namespace lacuna
