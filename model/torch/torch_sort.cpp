#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/base/stable_sort.h"
#include "model/torch/torch_table.h"

namespace lacuna {
namespace {

constexpr std::array<std::pair<std::string_view, TorchSortKey>, 12> kKeys{
    {{"cpu_time", TorchSortKey::kCpuTime},
     {"cpu_time_total", TorchSortKey::kCpuTotal},
     {"self_cpu_time_total", TorchSortKey::kSelfCpu},
     {"device_time", TorchSortKey::kDeviceTime},
     {"device_time_total", TorchSortKey::kDeviceTotal},
     {"self_device_time_total", TorchSortKey::kSelfDevice},
     {"cpu_memory_usage", TorchSortKey::kCpuMemory},
     {"self_cpu_memory_usage", TorchSortKey::kSelfCpuMemory},
     {"device_memory_usage", TorchSortKey::kDeviceMemory},
     {"self_device_memory_usage", TorchSortKey::kSelfDeviceMemory},
     {"count", TorchSortKey::kCount},
     {"key", TorchSortKey::kName}}};

template <class Value>
void sort_by(std::vector<TorchRow>& rows, Value value) {
  sort_stably(rows, std::ranges::greater{}, value);
}

}  // namespace

TorchSortKey parse_torch_sort_key(std::string_view text) {
  std::string name(text);
  for (const std::string_view alias : {"cuda", "xpu", "privateuse1"})
    for (std::size_t at = 0; (at = name.find(alias, at)) != std::string::npos;)
      name.replace(at, alias.size(), "device");
  const auto found = std::ranges::find(kKeys, name, [](const auto& key) { return key.first; });
  return found == kKeys.end() ? TorchSortKey::kNone : found->second;
}

const std::vector<std::string_view>& torch_sort_keys() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const auto& [name, key] : kKeys) result.push_back(name);
    return result;
  }();
  return names;
}

void sort_torch_rows(std::vector<TorchRow>& rows, TorchSortKey key, bool covered) {
  const auto average = [](Nanos covered_ns, std::uint64_t count) {
    return count == 0 ? 0 : static_cast<double>(covered_ns) / static_cast<double>(count);
  };
  if (covered) {
    switch (key) {
      case TorchSortKey::kCpuTotal:
        return sort_by(rows, &TorchRow::cpu_covered);
      case TorchSortKey::kDeviceTotal:
        return sort_by(rows, &TorchRow::device_covered);
      case TorchSortKey::kSelfDevice:
        return sort_by(rows, &TorchRow::self_device_covered);
      case TorchSortKey::kCpuTime:
        return sort_by(rows, [&](const TorchRow& row) { return average(row.cpu_covered, row.count); });
      case TorchSortKey::kDeviceTime:
        return sort_by(rows, [&](const TorchRow& row) { return average(row.device_covered, row.count); });
      default:
        break;
    }
  }
  switch (key) {
    case TorchSortKey::kNone:
      return;
    case TorchSortKey::kName:
      return sort_by(rows, &TorchRow::name);
    case TorchSortKey::kCount:
      return sort_by(rows, &TorchRow::count);
    case TorchSortKey::kCpuTime:
      return sort_by(rows, &TorchRow::cpu_average);
    case TorchSortKey::kCpuTotal:
      return sort_by(rows, &TorchRow::cpu_total);
    case TorchSortKey::kSelfCpu:
      return sort_by(rows, &TorchRow::self_cpu);
    case TorchSortKey::kDeviceTime:
      return sort_by(rows, &TorchRow::device_average);
    case TorchSortKey::kDeviceTotal:
      return sort_by(rows, &TorchRow::device_total);
    case TorchSortKey::kSelfDevice:
      return sort_by(rows, &TorchRow::self_device);
    case TorchSortKey::kCpuMemory:
      return sort_by(rows, &TorchRow::cpu_memory);
    case TorchSortKey::kSelfCpuMemory:
      return sort_by(rows, &TorchRow::self_cpu_memory);
    case TorchSortKey::kDeviceMemory:
      return sort_by(rows, &TorchRow::device_memory);
    case TorchSortKey::kSelfDeviceMemory:
      return sort_by(rows, &TorchRow::self_device_memory);
  }
}

}  // namespace lacuna
