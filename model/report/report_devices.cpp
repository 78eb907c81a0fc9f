#include <algorithm>

#include "model/base/stable_sort.h"
#include "model/causes/operator_costs.h"
#include "model/causes/window_gaps.h"
#include "model/report/report_parts.h"

namespace lacuna {
namespace {

DeviceReport summarise(const WindowGaps& found) {
  const CausedGaps& set = found.gaps;
  DeviceReport device;
  device.device = set.device;
  device.activities = found.activities;
  device.edges = found.edges;
  device.busy = set.busy;
  device.idle = set.idle();
  const auto lose = [&](GapCause cause, Nanos time) {
    Nanos& sum = device.by_cause[static_cast<std::size_t>(cause)];
    sum = saturating_add(sum, time);
  };
  for (std::size_t g = 0; g < set.gaps.size(); ++g) {
    const Gap& gap = set.gaps[g];
    const GapDiagnosis& diagnosis = set.diagnoses[g];
    const auto cause = static_cast<std::size_t>(diagnosis.cause);
    // What the CPU would have needed without the profiler is not the profiler's.
    lose(GapCause::kLaunchBound, diagnosis.launching);
    lose(diagnosis.cause, gap.duration() - diagnosis.launching);
    const auto count = [&](std::size_t c) {
      if (device.gaps[c]++ == 0 || gap.duration() > device.longest[c].duration()) device.longest[c] = gap;
    };
    count(cause);
    if (diagnosis.launching > 0) count(static_cast<std::size_t>(GapCause::kLaunchBound));
  }
  return device;
}

}  // namespace

void report_devices(const Trace& trace, Report& report, const CauseIndex& index) {
  std::vector<std::pair<DeviceReport, CausedGaps>> devices;
  for (WindowGaps& found : diagnose_window(index, report.source, report.window)) {
    DeviceReport device = summarise(found);
    device.rank_waits = index.rank_waits(report.source, device.device, report.window);
    devices.emplace_back(std::move(device), std::move(found.gaps));
  }
  sort_stably(devices, std::ranges::greater{}, [](const auto& d) { return d.first.busy; });
  std::vector<std::span<const CausedGaps>> groups;
  for (const auto& [device, gaps] : devices) groups.emplace_back(&gaps, 1);
  const std::vector<OperatorCosts> costs = charge_operators_each(trace, groups, 1);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    auto& [device, gaps] = devices[d];
    for (const OperatorCost& cost : costs[d].rows) {
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

}  // namespace lacuna
