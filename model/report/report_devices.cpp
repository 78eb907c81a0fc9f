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
  for (std::size_t g = 0; g < set.gaps.size(); ++g) {
    const Gap& gap = set.gaps[g];
    set.diagnoses[g].for_each_part(gap.duration(), [&](GapCause cause, Nanos time) {
      const auto c = static_cast<std::size_t>(cause);
      device.by_cause[c] = saturating_add(device.by_cause[c], time);
      if (device.gaps[c]++ == 0 || gap.duration() > device.longest[c].duration()) device.longest[c] = gap;
    });
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
