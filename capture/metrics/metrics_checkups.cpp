#include "capture/metrics/metrics_checkups.h"

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "capture/metrics/gpu_counters.h"
#include "capture/metrics/gpu_meter.h"
#include "capture/wire/clock.h"
#include "model/base/guarded.h"
#include "model/base/start_thread.h"

namespace lacuna {
namespace {

constexpr const char* kMetricsSubject = "GPU metrics";
constexpr const char* kCountersSubject = "GPU counters";
constexpr auto kWaitForDriver = std::chrono::seconds(2);

Checkup ask_about_counters(const CountedGpu& gpu) {
  const GpuCounters::Answer answer = GpuCounters::ask(gpu);
  if (answer.works)
    return {Checkup::State::kGood, kCountersSubject, fmt::format("by --gpu-counters, {}", answer.words), ""};
  const std::size_t colon = answer.words.find(": ");
  return {Checkup::State::kNote, kCountersSubject, fmt::format("not had: {}", answer.words.substr(0, colon)),
          colon == std::string::npos ? "recordings lack --gpu-counters, nothing else" : answer.words.substr(colon + 2)};
}

/// `gpu`: the first one, where there is one.
Checkup ask_driver(std::optional<CountedGpu>& gpu) {
  const Result<NvmlLibrary> library = load_nvml();
  if (!library) {
    const bool has_none = library.error().code == ErrorCode::kNotFound;
    return {has_none ? Checkup::State::kNote : Checkup::State::kMissing, kMetricsSubject, library.error().message(),
            has_none
                ? "nothing; the host's are recorded all the same"
                : "nvidia-smi says the same: repair the driver; recordings lack clocks, power and the like until then"};
  }
  if (library->devices == 0)
    return {Checkup::State::kNote, kMetricsSubject, "the NVIDIA driver shows no GPU",
            "start the container with its GPUs"};
  GpuMeter meter(*library, 0);
  if (!meter.is_there())
    return {Checkup::State::kMissing, kMetricsSubject, "NVML does not show GPU 0", "nvidia-smi says why"};
  gpu = CountedGpu{0, meter.uuid()};
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
  struct DriverSays {
    std::optional<CountedGpu> gpu;
    Checkup checkup;
  };
  auto promise = std::make_shared<std::promise<DriverSays>>();
  std::future<DriverSays> answer = promise->get_future();
  std::jthread asking = start_thread([promise] {
    DriverSays says;
    const auto none = [](std::string_view) {};  // an answer without a subject says it
    (void)run_guarded([&] { says.checkup = ask_driver(says.gpu); }, none);
    promise->set_value(std::move(says));
  });
  if (!asking.joinable())
    return {{Checkup::State::kMissing, kMetricsSubject, fmt::format("the driver cannot be asked: {}", kNoMoreThreads),
             "ulimit -u shows the limit of processes"}};
  asking.detach();
  if (answer.wait_for(kWaitForDriver) != std::future_status::ready)
    return {{Checkup::State::kMissing, kMetricsSubject, "NVIDIA's driver (NVML) does not answer within 2 s",
             "nvidia-smi will hang as well: recordings go on without GPU metrics"}};
  const DriverSays says = answer.get();
  if (says.checkup.subject.empty())
    return {{Checkup::State::kMissing, kMetricsSubject, fmt::format("the driver cannot be asked: {}", kNotEnoughMemory),
             "free -h shows how much memory is left"}};
  std::vector<Checkup> list = {says.checkup};
  if (says.gpu) list.push_back(ask_about_counters(*says.gpu));
  return list;
}

}  // namespace lacuna
