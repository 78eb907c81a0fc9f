#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capture/metrics/gpu_counters.h"
#include "capture/metrics/gpu_meter.h"
#include "capture/metrics/host_meter.h"
#include "capture/metrics/metric_lanes.h"
#include "capture/metrics/metrics_options.h"
#include "model/trace/hardware_tracks.h"

namespace lacuna {

/// Samples GPUs and host periodically while a program runs, on threads of its own. Nothing waits for them: a slow
/// driver is asked less often, one that hangs is no longer asked, with a message. Does not touch the program.
class MetricsSampler {
 public:
  /// `program`: its first process. `visible_devices`: its CUDA_VISIBLE_DEVICES, null: not set.
  MetricsSampler(const MetricsOptions& options, int program, const std::string* visible_devices);
  /// Calls stop().
  ~MetricsSampler() { stop(); }
  MetricsSampler(const MetricsSampler&) = delete;
  MetricsSampler& operator=(const MetricsSampler&) = delete;

  /// Ends the sampling; waits at most half a second for a hanging driver.
  void stop();

  struct Name {
    std::uint32_t pid = 0;
    std::string text;
    std::string labels;
    int order = 0;  ///< display order
  };
  struct Delivery {
    std::vector<Name> names;  ///< to be announced before the samples
    std::vector<MetricSample> samples;
    std::vector<std::string> messages;
    /// By GPU, the pids that the driver sees on it, if they changed.
    std::vector<std::pair<unsigned, std::vector<unsigned>>> users;
  };
  /// Returns the new data since the last call. Any thread.
  Delivery take();

 private:
  struct Shared;
  static void look_at_gpus(const std::shared_ptr<Shared>& shared);
  static void look_at_pcie(const std::shared_ptr<Shared>& shared, const std::vector<GpuMeter>& meters);
  static void look_at_counters(const std::shared_ptr<Shared>& shared, std::vector<CountedGpu> gpus);
  static void look_at_host(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;  // threads that hang in the driver may outlive this
  std::vector<std::jthread> threads_;
};

}  // namespace lacuna
