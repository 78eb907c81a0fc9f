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

/// Looks at GPUs and host by the clock while a program runs, on threads of its own. Nobody waits for them: a driver
/// that is slow is asked less often, one that does not answer is left alone, which is said. The program is not touched.
class MetricsSampler {
 public:
  /// `program`: its first process. `visible_devices`: its CUDA_VISIBLE_DEVICES, null: not set.
  MetricsSampler(const MetricsOptions& options, int program, const std::string* visible_devices);
  /// As stop().
  ~MetricsSampler() { stop(); }
  MetricsSampler(const MetricsSampler&) = delete;
  MetricsSampler& operator=(const MetricsSampler&) = delete;

  /// Ends the looks; waits for a driver that does not answer half a second at most.
  void stop();

  struct Name {
    std::uint32_t pid = 0;
    std::string text;
    std::string labels;
    int order = 0;  ///< where it is shown
  };
  struct Delivery {
    std::vector<Name> names;  ///< belong before the samples
    std::vector<MetricSample> samples;
    std::vector<std::string> messages;
    /// Pids that the driver sees on a GPU, when they changed: whose GPU it is.
    std::vector<std::pair<unsigned, std::vector<unsigned>>> users;
  };
  /// What is new since the last call. Any thread.
  Delivery take();

 private:
  struct Shared;
  static void look_at_gpus(const std::shared_ptr<Shared>& shared);
  static void look_at_pcie(const std::shared_ptr<Shared>& shared, const std::vector<GpuMeter>& meters);
  static void look_at_counters(const std::shared_ptr<Shared>& shared, std::vector<CountedGpu> gpus);
  static void look_at_host(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;  // threads that the driver holds may outlive this
  std::vector<std::jthread> threads_;
};

}  // namespace lacuna
