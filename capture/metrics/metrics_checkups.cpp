#include "capture/metrics/metrics_checkups.h"

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "capture/metrics/gpu_meter.h"
#include "capture/wire/clock.h"

namespace lacuna {
namespace {

constexpr const char* kMetricsSubject = "GPU metrics";
constexpr auto kWaitForDriver = std::chrono::seconds(2);

Checkup ask_driver() {
  const Result<NvmlLibrary> library = load_nvml();
  if (!library) {
    const bool has_none = library.error().code == ErrorCode::kNotFound;
    return {has_none ? Checkup::State::kNote : Checkup::State::kMissing, kMetricsSubject, library.error().message(),
            has_none
                ? "nothing; the host's are recorded all the same"
                : "nvidia-smi says the same: mend the driver; recordings lack clocks, power and the like until then"};
  }
  if (library->devices == 0)
    return {Checkup::State::kNote, kMetricsSubject, "the NVIDIA driver shows no GPU",
            "start the container with its GPUs"};
  GpuMeter meter(*library, 0);
  if (!meter.is_there())
    return {Checkup::State::kMissing, kMetricsSubject, "NVML does not show GPU 0", "nvidia-smi says why"};
  const std::uint64_t began = wire::monotonic_ns();
  const GpuReading reading = meter.read(began);
  const double ms = static_cast<double>(wire::monotonic_ns() - began) / 1e6;
  std::string missing;
  const auto need = [&](bool is_there, const char* what) {
    if (!is_there) missing += fmt::format("{}{}", missing.empty() ? "; not told: " : ", ", what);
  };
  need(reading.sm_mhz.has_value(), "clocks");
  need(reading.reasons.has_value(), "throttle reasons");
  need(reading.watts.has_value(), "power");
  need(reading.busy_percent.has_value(), "utilisation");
  need(meter.read_pcie().has_value(), "PCIe");
  return {Checkup::State::kGood, kMetricsSubject,
          fmt::format("NVML of driver {}, {} {}, a look at one takes {:.1f} ms{}",
                      library->driver.empty() ? "?" : library->driver, library->devices,
                      library->devices == 1 ? "GPU" : "GPUs", ms, missing),
          ""};
}

}  // namespace

std::vector<Checkup> examine_metrics() {
  auto promise = std::make_shared<std::promise<Checkup>>();
  std::future<Checkup> answer = promise->get_future();
  std::thread([promise] { promise->set_value(ask_driver()); }).detach();
  if (answer.wait_for(kWaitForDriver) == std::future_status::ready) return {answer.get()};
  return {{Checkup::State::kMissing, kMetricsSubject, "NVIDIA's driver (NVML) does not answer within 2 s",
           "nvidia-smi will hang as well: recordings go on without GPU metrics"}};
}

}  // namespace lacuna
