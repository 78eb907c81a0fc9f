#include "capture/metrics/metrics_sampler.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <signal.h>

#include "capture/sampling/process_tree.h"
#include "capture/wire/clock.h"
#include "model/base/guarded.h"
#include "model/base/start_thread.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kPcieEveryNs = 1'000'000'000;
constexpr std::uint64_t kNoAnswerNs = 3'000'000'000;
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr int kPatienceForCountersMs = 300;           // within that; a read waits for 100
constexpr std::size_t kMostSamplesWaiting = 200'000;  // samples that nobody takes
constexpr int kFirstOrder = 5'000'000;                // where Kineto and Lacuna put GPUs

}  // namespace

struct MetricsSampler::Shared {
  MetricsOptions options;
  int program = 0;
  std::optional<std::string> visible_devices;
  std::shared_ptr<std::vector<GpuMeter>> meters;  // set before the thread of PCIe starts

  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex:
  bool is_stopping = false;
  int running = 0;
  std::vector<int> pids;    // of the program
  std::uint64_t asked = 0;  // since when the driver has not answered; 0: it has
  bool reported_silence = false;
  std::size_t dropped = 0;  // samples, since it was told
  Delivery ready;

  void hand_over(std::vector<MetricSample> samples) {
    const std::scoped_lock lock(mutex);
    if (ready.samples.size() + samples.size() > kMostSamplesWaiting) {
      dropped += samples.size();
      return;
    }
    std::ranges::move(samples, std::back_inserter(ready.samples));
  }
  void say(std::string text) {
    const std::scoped_lock lock(mutex);
    ready.messages.push_back(std::move(text));
  }
  void driver_is_asked(bool is_asked) {
    const std::scoped_lock lock(mutex);
    asked = is_asked ? wire::monotonic_ns() : 0;
  }
  std::vector<int> program_pids() {
    const std::scoped_lock lock(mutex);
    return pids;
  }
  /// False once it is to end.
  bool pause_until(std::uint64_t time) {
    std::unique_lock lock(mutex);
    for (;;) {
      const std::uint64_t now = wire::monotonic_ns();
      if (is_stopping) return false;
      if (now >= time) return true;
      changed.wait_for(lock, std::chrono::nanoseconds(time - now));
    }
  }
  bool ends() {
    const std::scoped_lock lock(mutex);
    return is_stopping;
  }
  void has_ended() {
    const std::scoped_lock lock(mutex);
    --running;
    changed.notify_all();
  }
};

namespace {

/// Reasons that have held so far: most never do, and need no lane.
struct ThrottleLanes {
  std::uint64_t seen = 0;
  std::uint64_t looked = 0;  // when, the last time
  std::uint64_t held = 0;    // then

  void add(MetricLanes& lanes, std::uint64_t now, std::uint32_t pid, std::uint64_t reasons) {
    const auto tell = [&](std::uint64_t time, std::uint64_t holding) {
      MetricLanes::Values list;
      for (const ThrottleReason& reason : kThrottleReasons)
        if ((seen & reason.bit) != 0) list.emplace_back(reason.name.data(), (holding & reason.bit) != 0 ? 1 : 0);
      if (!list.empty()) lanes.add(time, pid, kThrottledCounter, list);
    };
    const bool is_new = (reasons & ~seen) != 0;
    seen |= reasons;
    if (is_new && looked != 0) tell(looked, held);
    tell(now, reasons);
    looked = now;
    held = reasons;
  }
};

void add_reading(MetricLanes& lanes, std::uint64_t now, const GpuMeter& meter, const GpuReading& r,
                 const std::vector<int>& program, ThrottleLanes& throttled) {
  const std::uint32_t pid = kHardwarePid + meter.index();
  const auto add = [&](const char* name, const char* series, std::optional<double> value) {
    if (value) lanes.add(now, pid, name, {{series, *value}});
  };
  add(kGpuBusyCounter, kGpuBusySeries, r.busy_percent);
  add("Memory busy", "%", r.memory_busy_percent);
  add("Memory used", "bytes", r.memory_bytes);
  add(kSmClockCounter, kSmClockSeries, r.sm_mhz);
  add("Memory clock", "MHz", r.memory_mhz);
  add("Power", "W", r.watts);
  add("Temperature", "C", r.celsius);
  if (r.reasons) throttled.add(lanes, now, pid, *r.reasons);
  if (r.nvlink_sent && r.nvlink_received)
    lanes.add(now, pid, "NVLink", {{"sent bytes/s", *r.nvlink_sent}, {"received bytes/s", *r.nvlink_received}});
  for (const auto& [user, bytes] : r.processes)
    if (std::ranges::find(program, static_cast<int>(user)) != program.end())
      lanes.add(now, user, fmt::format("GPU {} memory of this process", meter.index()), {{"bytes", bytes}});
}

void add_reading(MetricLanes& lanes, std::uint64_t now, int program, const HostReading& r) {
  const auto root = static_cast<std::uint32_t>(program);
  if (r.busy_cores) lanes.add(now, kHostPid, "CPU", {{"% of a core", *r.busy_cores * 100}});
  if (r.memory_bytes) lanes.add(now, kHostPid, "Memory", {{"bytes", *r.memory_bytes}});
  if (r.received && r.sent)
    lanes.add(now, kHostPid, "Network", {{"received bytes/s", *r.received}, {"sent bytes/s", *r.sent}});
  for (std::size_t i = 0; i < r.core_percent.size(); ++i)
    lanes.add(now, kCoresPid, fmt::format("Core {}", i), {{"%", r.core_percent[i]}});
  if (r.program_cores) lanes.add(now, root, kProgramCpuCounter, {{kProgramCpuSeries, *r.program_cores * 100}});
  if (r.program_bytes) lanes.add(now, root, "Memory of the program", {{"bytes", *r.program_bytes}});
  if (r.faults && r.disk_faults)
    lanes.add(now, root, kFaultsCounter, {{kFaultsSeries, *r.faults}, {kDiskFaultsSeries, *r.disk_faults}});
  if (r.cgroup.quota_cores && r.cgroup.held_back)
    lanes.add(now, root, kQuotaCounter,
              {{kQuotaSeries, *r.cgroup.quota_cores * 100}, {kHeldBackSeries, *r.cgroup.held_back * 100}});
  if (r.program_read && r.program_written)
    lanes.add(now, root, "Disk of the program",
              {{"read bytes/s", *r.program_read}, {"written bytes/s", *r.program_written}});
}

/// Starts a thread that gets no signals (they are for those that were there before), counts as running until it ends,
/// and says why it ends where memory runs out. Throws where the system starts none.
template <class Shared, class Run>
std::jthread metrics_thread(const std::shared_ptr<Shared>& shared, Run&& run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread = start_thread([shared, run = std::forward<Run>(run)]() mutable {
    const auto tell = [&](std::string_view what) { shared->say(fmt::format("metrics end here: {}", what)); };
    (void)run_guarded(run, tell);
    shared->has_ended();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!thread.joinable()) throw std::runtime_error(std::string(kNoMoreThreads));
  return thread;
}

/// When the next look is due: by the clock, but never so often that half of the time goes into looks.
std::uint64_t next_look(std::uint64_t due, std::uint64_t began, std::uint64_t ended, std::uint64_t period) {
  return std::max(due + period, ended + (ended - began));
}

}  // namespace

MetricsSampler::MetricsSampler(const MetricsOptions& options, int program, const std::string* visible_devices)
    : shared_(std::make_shared<Shared>()) {
  shared_->options = options;
  shared_->program = program;
  if (visible_devices != nullptr) shared_->visible_devices = *visible_devices;
  shared_->pids = {program};
  threads_.reserve(2);  // a thread for which there is no place would end the program
  const auto start = [this](auto look) {
    ++shared_->running;
    const auto tell = [this](std::string_view what) {  // the lock is held
      shared_->ready.messages.push_back(fmt::format("metrics are missing: {}", what));
    };
    const auto begin = [&] { threads_.push_back(metrics_thread(shared_, [shared = shared_, look] { look(shared); })); };
    if (!run_guarded(begin, tell)) --shared_->running;
  };
  const std::scoped_lock lock(shared_->mutex);
  start([](const std::shared_ptr<Shared>& shared) { look_at_host(shared); });
  if (!options.gpus) return;
  start([](const std::shared_ptr<Shared>& shared) { look_at_gpus(shared); });
}

void MetricsSampler::stop() {
  bool have_ended = false;
  {
    std::unique_lock lock(shared_->mutex);
    shared_->is_stopping = true;
    shared_->changed.notify_all();
    have_ended = shared_->changed.wait_for(lock, kPatience, [this] { return shared_->running == 0; });
  }
  for (std::jthread& thread : threads_) have_ended ? thread.join() : thread.detach();
  threads_.clear();
}

MetricsSampler::Delivery MetricsSampler::take() {
  const std::scoped_lock lock(shared_->mutex);
  Delivery delivery = std::exchange(shared_->ready, {});
  if (const std::size_t dropped = std::exchange(shared_->dropped, 0); dropped > 0)
    delivery.messages.push_back(
        fmt::format("{} metric samples were dropped: they arrived faster than they were stored", dropped));
  if (shared_->asked != 0 && !shared_->reported_silence && wire::monotonic_ns() - shared_->asked > kNoAnswerNs) {
    shared_->reported_silence = true;
    delivery.messages.push_back("GPU metrics are missing: NVIDIA's driver (NVML) does not answer");
  }
  return delivery;
}

void MetricsSampler::look_at_gpus(const std::shared_ptr<Shared>& shared) {
  shared->driver_is_asked(true);
  const Result<NvmlLibrary> library = load_nvml();
  if (!library) {
    shared->driver_is_asked(false);
    // Most machines without a GPU have no driver, which is no news; lacuna doctor tells it.
    const bool is_asked_for = shared->options.counters_per_second > 0;
    if (library.error().code != ErrorCode::kNotFound || is_asked_for)
      shared->say(
          fmt::format("no GPU {}: {}", is_asked_for ? "metrics and counters" : "metrics", library.error().message()));
    return;
  }
  auto meters = std::make_shared<std::vector<GpuMeter>>();
  std::vector<std::string> uuids;
  for (unsigned i = 0; i < library->devices; ++i) {
    meters->emplace_back(*library, i);
    uuids.push_back(meters->back().uuid());
  }
  shared->driver_is_asked(false);
  const std::vector<unsigned> chosen =
      visible_gpus(uuids, shared->visible_devices ? &*shared->visible_devices : nullptr);
  std::erase_if(*meters, [&](const GpuMeter& meter) {
    return !meter.is_there() || std::ranges::find(chosen, meter.index()) == chosen.end();
  });
  if (meters->empty()) {
    if (shared->options.counters_per_second > 0)
      shared->say("no GPU counters: the driver shows no GPU that this program may see (CUDA_VISIBLE_DEVICES)");
    return;
  }
  {
    const std::scoped_lock lock(shared->mutex);
    if (shared->is_stopping) return;
    for (const GpuMeter& meter : *meters) {
      std::string labels = meter.max_sm_mhz() > 0 ? fmt::format("SM clock up to {:.0f} MHz", meter.max_sm_mhz()) : "";
      if (meter.power_limit() > 0)
        labels += fmt::format("{}power limit {:.0f} W", labels.empty() ? "" : ", ", meter.power_limit());
      shared->ready.names.push_back({kHardwarePid + meter.index(),
                                     fmt::format("{}GPU {}: {}", kHardwareOf, meter.index(), meter.name()), labels,
                                     kFirstOrder + static_cast<int>(meter.index())});
    }
    shared->running += shared->options.counters_per_second > 0 ? 2 : 1;
  }
  if (shared->options.counters_per_second > 0) {
    std::vector<CountedGpu> gpus;
    for (const GpuMeter& meter : *meters) gpus.push_back({meter.index(), meter.uuid()});
    metrics_thread(shared, [shared, gpus = std::move(gpus)] { look_at_counters(shared, gpus); }).detach();
  }
  // A look at PCIe takes 40 ms: its thread is its own, and ends by itself.
  metrics_thread(shared, [shared, meters] { look_at_pcie(shared, *meters); }).detach();
  const std::uint64_t period = 1'000'000'000u / std::clamp(shared->options.per_second, 1u, 1000u);
  MetricLanes lanes;
  std::map<unsigned, std::vector<unsigned>> users;
  std::map<unsigned, ThrottleLanes> throttled;
  for (std::uint64_t due = wire::monotonic_ns(); shared->pause_until(due);) {
    const std::uint64_t began = wire::monotonic_ns();
    const std::vector<int> program = shared->program_pids();
    for (GpuMeter& meter : *meters) {
      const std::uint64_t now = wire::monotonic_ns();
      shared->driver_is_asked(true);
      const GpuReading reading = meter.read(now);
      shared->driver_is_asked(false);
      if (shared->ends()) return;
      add_reading(lanes, now, meter, reading, program, throttled[meter.index()]);
      std::vector<unsigned> own;
      for (const auto& [pid, bytes] : reading.processes)
        if (std::ranges::find(program, static_cast<int>(pid)) != program.end()) own.push_back(pid);
      std::ranges::sort(own);
      if (users[meter.index()] != own) {
        const std::scoped_lock lock(shared->mutex);
        shared->ready.users.emplace_back(meter.index(), own);
        users[meter.index()] = std::move(own);
      }
    }
    shared->hand_over(lanes.take());
    due = next_look(due, began, wire::monotonic_ns(), period);
  }
}

void MetricsSampler::look_at_pcie(const std::shared_ptr<Shared>& shared, const std::vector<GpuMeter>& meters) {
  MetricLanes lanes;
  std::vector<const GpuMeter*> telling;
  for (const GpuMeter& meter : meters) telling.push_back(&meter);
  for (std::uint64_t due = wire::monotonic_ns(); !telling.empty() && shared->pause_until(due);) {
    const std::uint64_t began = wire::monotonic_ns();
    std::erase_if(telling, [&](const GpuMeter* meter) {
      if (shared->ends()) return false;
      const auto pcie = meter->read_pcie();
      if (pcie)
        lanes.add(wire::monotonic_ns(), kHardwarePid + meter->index(), "PCIe",
                  {{"sent bytes/s", pcie->sent}, {"received bytes/s", pcie->received}});
      return !pcie;
    });
    shared->hand_over(lanes.take());
    due = next_look(due, began, wire::monotonic_ns(), kPcieEveryNs);
  }
}

void MetricsSampler::look_at_counters(const std::shared_ptr<Shared>& shared, std::vector<CountedGpu> gpus) {
  GpuCounters counters(std::move(gpus), shared->options.counters_per_second);
  MetricLanes lanes;
  std::vector<std::string> messages;
  const auto hand_over = [&] {
    shared->hand_over(lanes.take());
    for (std::string& message : std::exchange(messages, {})) shared->say(std::move(message));
  };
  while (!shared->ends() && counters.read(lanes, messages)) hand_over();
  counters.finish(kPatienceForCountersMs, lanes, messages);
  hand_over();
}

void MetricsSampler::look_at_host(const std::shared_ptr<Shared>& shared) {
  const std::uint64_t period = 1'000'000'000u / std::clamp(shared->options.per_second, 1u, kMostHostLooks);
  MetricLanes lanes;
  HostMeter meter;
  ProcessTree tree;
  tree.add(shared->program);
  bool is_named = false;
  for (std::uint64_t due = wire::monotonic_ns(); shared->pause_until(due);) {
    const std::uint64_t began = wire::monotonic_ns();
    tree.update();
    std::vector<int> pids;
    for (const auto& entry : tree.processes()) pids.push_back(entry.first);
    {
      const std::scoped_lock lock(shared->mutex);
      shared->pids = pids;
      if (shared->options.host && !std::exchange(is_named, true)) {
        shared->ready.names.push_back({kHostPid, "Host", "CPU, memory, network", kFirstOrder + 2000});
        shared->ready.names.push_back({kCoresPid, "Host: cores", "CPU", kFirstOrder + 2001});
      }
    }
    if (shared->options.host) {
      const HostReading reading = meter.read(began, pids);
      add_reading(lanes, began, shared->program, reading);
      if (reading.cgroup.killed > 0)
        shared->say(fmt::format("the kernel killed {} of the program's cgroup, which has used up its memory limit",
                                reading.cgroup.killed == 1 ? std::string("a process")
                                                           : fmt::format("{} processes", reading.cgroup.killed)));
      shared->hand_over(lanes.take());
    }
    due = next_look(due, began, wire::monotonic_ns(), period);
  }
}

}  // namespace lacuna
