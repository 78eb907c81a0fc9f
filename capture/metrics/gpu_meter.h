#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/metrics/nvml_library.h"

namespace lacuna {

/// One reading of a GPU; values that it does not provide are empty.
struct GpuReading {
  std::optional<double> busy_percent;         ///< percent of the driver's last period with a kernel running
  std::optional<double> memory_busy_percent;  ///< percent of that period with memory reads or writes
  std::optional<double> memory_bytes;
  std::optional<double> sm_mhz;
  std::optional<double> memory_mhz;
  std::optional<double> watts;
  std::optional<double> celsius;
  std::optional<std::uint64_t> reasons;  ///< bits of nvml::reason
  std::optional<double> nvlink_sent;     ///< bytes per second over all links since the last reading
  std::optional<double> nvlink_received;
  std::vector<std::pair<unsigned, double>> processes;  ///< pid (in the driver's namespace), bytes
};

/// One GPU. One thread at a time, except for read_pcie().
class GpuMeter {
 public:
  GpuMeter(const NvmlLibrary& library, unsigned index);

  unsigned index() const { return index_; }
  bool is_there() const { return device_ != nullptr; }
  const std::string& name() const { return name_; }
  const std::string& uuid() const { return uuid_; }
  double max_sm_mhz() const { return max_sm_mhz_; }    ///< 0: unknown
  double power_limit() const { return power_limit_; }  ///< W; 0: unknown

  /// Reads the GPU. `now` in CLOCK_MONOTONIC ns. Takes about 0.1 ms according to NVIDIA.
  GpuReading read(std::uint64_t now);
  struct Pcie {
    double sent = 0;  ///< bytes a second
    double received = 0;
  };
  /// Takes 40 ms: the driver counts for 20 ms in each direction. Nothing if unsupported. Any thread.
  std::optional<Pcie> read_pcie() const;

 private:
  void read_nvlink(std::uint64_t now, GpuReading& reading);
  void read_processes(GpuReading& reading) const;

  nvml::Functions functions_;
  unsigned index_;
  nvml::Device device_ = nullptr;
  std::string name_, uuid_;
  double max_sm_mhz_ = 0;
  double power_limit_ = 0;
  struct Links {
    std::uint64_t time = 0;
    std::uint64_t sent = 0, received = 0;
  };
  std::optional<Links> links_;
  bool has_links_ = true;
};

/// Returns the GPUs that a CUDA_VISIBLE_DEVICES selects: by index or by the start of the uuid. All if it is not set
/// or contains anything else (MIG).
std::vector<unsigned> visible_gpus(const std::vector<std::string>& uuids, const std::string* visible_devices);

}  // namespace lacuna
