#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/metrics/metric_lanes.h"
#include "capture/session/launcher.h"

namespace lacuna {

struct CountedGpu {
  unsigned index = 0;  ///< NVML's index
  std::string uuid;    ///< its id in CUDA
};

/// SM activity and occupancy, and DRAM traffic, of GPUs from their performance monitors: runs one process per GPU
/// (pm_worker.h) and turns their output lines into counters. One thread, which never waits for a driver.
class GpuCounters {
 public:
  GpuCounters(std::vector<CountedGpu> gpus, unsigned per_second);
  /// Ends the processes and discards their remaining output.
  ~GpuCounters();
  GpuCounters(const GpuCounters&) = delete;
  GpuCounters& operator=(const GpuCounters&) = delete;

  /// Waits at most a tenth of a second for output, and reads it. Returns false if none will come any more.
  bool read(MetricLanes& lanes, std::vector<std::string>& messages);
  /// Ends the sampling, and waits up to `milliseconds` for the last samples; kills processes that do not end.
  void finish(int milliseconds, MetricLanes& lanes, std::vector<std::string>& messages);

  /// Whether sampling would work on a GPU: "GH100, CUPTI API 130001 …", or a sentence that says why not and what to do.
  /// Waits ten seconds at most; reserves nothing on the GPU.
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
