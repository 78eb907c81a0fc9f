#include "model/torch/torch_covered.h"

#include <algorithm>
#include <vector>

namespace lacuna {
namespace {

/// Length of the union of intervals that come ascending by start.
struct Union {
  Nanos until = kMinNanos;
  Nanos covered = 0;

  void add(Nanos start, Nanos end) {
    if (end <= until) return;
    covered += end - std::max(start, until);
    until = end;
  }
  /// Later intervals are of another clock.
  void restart() { until = kMinNanos; }
};

struct RowUnions {
  Union cpu;
  Union device;
  Union self_device;
};

}  // namespace

void add_covered(const TorchTree& tree, std::span<const std::uint32_t> row_of_event, TorchTable& table) {
  const TorchEvents& events = tree.events();
  std::vector<RowUnions> unions(table.rows.size());
  Union all_cpu, all_device;
  std::size_t next_launch = 0;
  for (const TorchEvents::Part& part : events.parts()) {
    for (std::uint32_t i = part.first; i < part.last; ++i) {
      const std::uint32_t row = row_of_event[i];
      if (row == TorchEvents::kNone) continue;
      const Nanos start = events.start(i), end = events.end(i);
      if (!is_on_gpu(events.kind(i))) {
        unions[row].cpu.add(start, end);
        all_cpu.add(start, end);
        continue;
      }
      unions[row].device.add(start, end);
      unions[row].self_device.add(start, end);
      if (events.kind(i) != TorchKind::kGpuAnnotation) all_device.add(start, end);
    }
    // Launches ascend by the start of their work, so each row sees its kernels in order.
    const auto& launches = events.launches();
    for (; next_launch < launches.size() && launches[next_launch].work < part.last; ++next_launch) {
      const auto [op, work] = launches[next_launch];
      if (tree.has_lost_kernels(op)) continue;
      const Nanos start = events.start(work), end = events.end(work);
      const std::uint32_t owner = tree.merged_into(op);
      if (row_of_event[owner] != TorchEvents::kNone) unions[row_of_event[owner]].self_device.add(start, end);
      for (std::uint32_t e = owner; e != TorchTree::kNone; e = tree.parent(e))
        if (row_of_event[e] != TorchEvents::kNone) unions[row_of_event[e]].device.add(start, end);
    }
    for (RowUnions& u : unions) {
      u.cpu.restart();
      u.device.restart();
      u.self_device.restart();
    }
    all_cpu.restart();
    all_device.restart();
  }
  table.has_covered = true;
  table.cpu_covered = all_cpu.covered;
  table.device_covered = all_device.covered;
  for (std::size_t r = 0; r < unions.size(); ++r) {
    table.rows[r].cpu_covered = unions[r].cpu.covered;
    table.rows[r].device_covered = unions[r].device.covered;
    table.rows[r].self_device_covered = unions[r].self_device.covered;
  }
}

double torch_overlap(double sum_us, Nanos covered) {
  const double difference = sum_us - static_cast<double>(covered) / 1000;
  return difference < 0 && difference > -0.0005 ? 0.0 : difference;
}

}  // namespace lacuna
