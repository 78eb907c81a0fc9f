#include "capture/metrics/gpu_meter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace lacuna {
namespace {

/// A number that a function tells of a device.
template <class Function, class... Given>
std::optional<double> number(Function function, nvml::Device device, Given... given) {
  unsigned value = 0;
  if (function == nullptr || function(device, given..., &value) != nvml::kSuccess) return std::nullopt;
  return value;
}

template <class Function>
std::string text(Function function, nvml::Device device) {
  std::array<char, 96> buffer{};
  if (function == nullptr || function(device, buffer.data(), buffer.size() - 1) != nvml::kSuccess) return {};
  return buffer.data();
}

std::uint64_t kib(const nvml::FieldValue& field) {
  switch (field.type) {
    case nvml::ValueType::kUnsigned:
      return field.value.number;
    case nvml::ValueType::kUnsignedLong:
      return field.value.long_number;
    case nvml::ValueType::kUnsignedLongLong:
      return field.value.long_long_number;
    default:
      return 0;
  }
}

}  // namespace

GpuMeter::GpuMeter(const NvmlLibrary& library, unsigned index) : functions_(library.functions), index_(index) {
  if (functions_.DeviceGetHandleByIndex(index, &device_) != nvml::kSuccess) {
    device_ = nullptr;
    return;
  }
  name_ = text(functions_.DeviceGetName, device_);
  uuid_ = text(functions_.DeviceGetUuid, device_);
  max_sm_mhz_ = number(functions_.DeviceGetMaxClockInfo, device_, nvml::Clock::kSm).value_or(0);
  power_limit_ = number(functions_.DeviceGetEnforcedPowerLimit, device_).value_or(0) / 1000;
}

GpuReading GpuMeter::read(std::uint64_t now) {
  GpuReading reading;
  nvml::Utilisation use{};
  if (functions_.DeviceGetUtilizationRates != nullptr &&
      functions_.DeviceGetUtilizationRates(device_, &use) == nvml::kSuccess) {
    reading.busy_percent = use.gpu;
    reading.memory_busy_percent = use.memory;
  }
  nvml::Memory memory{};
  if (functions_.DeviceGetMemoryInfo != nullptr && functions_.DeviceGetMemoryInfo(device_, &memory) == nvml::kSuccess)
    reading.memory_bytes = static_cast<double>(memory.used);
  reading.sm_mhz = number(functions_.DeviceGetClockInfo, device_, nvml::Clock::kSm);
  reading.memory_mhz = number(functions_.DeviceGetClockInfo, device_, nvml::Clock::kMemory);
  if (const auto milliwatts = number(functions_.DeviceGetPowerUsage, device_)) reading.watts = *milliwatts / 1000;
  reading.celsius = number(functions_.DeviceGetTemperature, device_, nvml::kTemperatureOfGpu);
  unsigned long long reasons = 0;
  if (functions_.DeviceGetReasons != nullptr && functions_.DeviceGetReasons(device_, &reasons) == nvml::kSuccess)
    reading.reasons = reasons;
  read_nvlink(now, reading);
  read_processes(reading);
  return reading;
}

void GpuMeter::read_nvlink(std::uint64_t now, GpuReading& reading) {
  if (!has_links_ || functions_.DeviceGetFieldValues == nullptr) return;
  std::array<nvml::FieldValue, 2> fields{};
  fields[0].field = nvml::kNvlinkSent;
  fields[1].field = nvml::kNvlinkReceived;
  for (nvml::FieldValue& field : fields) field.scope = nvml::kAllLinks;
  has_links_ = functions_.DeviceGetFieldValues(device_, 2, fields.data()) == nvml::kSuccess &&
               std::ranges::all_of(fields, [](const auto& f) { return f.status == nvml::kSuccess; });
  if (!has_links_) return;
  const Links links{now, kib(fields[0]), kib(fields[1])};
  if (links_ && now > links_->time && links.sent >= links_->sent && links.received >= links_->received) {
    const double seconds = static_cast<double>(now - links_->time) / 1e9;
    reading.nvlink_sent = static_cast<double>(links.sent - links_->sent) * 1024 / seconds;
    reading.nvlink_received = static_cast<double>(links.received - links_->received) * 1024 / seconds;
  }
  links_ = links;
}

void GpuMeter::read_processes(GpuReading& reading) const {
  if (functions_.DeviceGetProcesses == nullptr) return;
  std::array<nvml::ProcessInfo, 128> list{};
  unsigned count = list.size();
  if (functions_.DeviceGetProcesses(device_, &count, list.data()) != nvml::kSuccess) return;
  for (unsigned i = 0; i < std::min<unsigned>(count, list.size()); ++i)
    if (list[i].used != nvml::kUnknownBytes)
      reading.processes.emplace_back(list[i].pid, static_cast<double>(list[i].used));
}

std::optional<GpuMeter::Pcie> GpuMeter::read_pcie() const {
  const auto sent = number(functions_.DeviceGetPcieThroughput, device_, nvml::PcieCounter::kSent);
  if (!sent) return std::nullopt;
  const auto received = number(functions_.DeviceGetPcieThroughput, device_, nvml::PcieCounter::kReceived);
  if (!received) return std::nullopt;
  return Pcie{*sent * 1024, *received * 1024};
}

std::vector<unsigned> visible_gpus(const std::vector<std::string>& uuids, const std::string* visible_devices) {
  std::vector<unsigned> all(uuids.size());
  std::iota(all.begin(), all.end(), 0u);
  if (visible_devices == nullptr) return all;
  std::vector<unsigned> chosen;
  std::string_view rest = *visible_devices;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    unsigned index = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), index);
    if (read.ec == std::errc{} && read.ptr == word.data() + word.size() && index < uuids.size()) {
      chosen.push_back(index);
    } else if (word.starts_with("GPU-") && word.size() > 4) {
      for (unsigned i = 0; i < uuids.size(); ++i)
        if (uuids[i].starts_with(word)) chosen.push_back(i);
    } else if (word.starts_with("MIG")) {
      return all;
    } else {
      break;  // as CUDA does: what follows something invalid is not seen
    }
  }
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace lacuna
