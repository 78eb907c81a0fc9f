#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/metrics/metric_lanes.h"
#include "capture/session/launcher.h"

namespace lacuna {

struct CountedGpu {
  unsigned index = 0;  ///< as NVML counts
  std::string uuid;    ///< CUDA's name for it
};

/// SM activity and occupancy, and DRAM traffic, of GPUs by their performance monitors: a process for each GPU
/// (pm_worker.h), whose lines become counters. One thread, which never waits for a driver.
class GpuCounters {
 public:
  GpuCounters(std::vector<CountedGpu> gpus, unsigned per_second);
  /// Ends the processes without waiting for what they have to say.
  ~GpuCounters();
  GpuCounters(const GpuCounters&) = delete;
  GpuCounters& operator=(const GpuCounters&) = delete;

  /// Waits for news a tenth of a second at most, and takes them. False: nothing will come any more.
  bool read(MetricLanes& lanes, std::vector<std::string>& messages);
  /// Ends the sampling, and waits for its last samples for `milliseconds`; a process that does not end is killed.
  void finish(int milliseconds, MetricLanes& lanes, std::vector<std::string>& messages);

  /// Whether it would work on a GPU: "GH100, CUPTI API 130001 …", or a sentence that says why not and what to do. Waits
  /// ten seconds at most; takes nothing of the GPU.
  struct Answer {
    bool works = false;
    std::string words;
  };
  static Answer ask(const CountedGpu& gpu);

 private:
  struct Worker;
  bool wait(int milliseconds, MetricLanes& lanes);
  void tell(std::vector<std::string>& messages);

  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace lacuna
