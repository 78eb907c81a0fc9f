#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/metrics/pm_library.h"

namespace lacuna {

/// What the performance monitors counted over a while.
struct PmSample {
  std::uint64_t start = 0, end = 0;  ///< CLOCK_MONOTONIC ns
  std::vector<double> values;        ///< beside PmMeter::metrics()
};

/// Samples the performance monitors of this process's first GPU, whatever runs there. Holds them for itself, and the
/// GPU's clocks still, from start() on. One thread. The driver may hang or end the process in any of it.
class PmMeter {
 public:
  explicit PmMeter(const PmLibrary& library) : f_(library.functions), library_(library) {}
  /// Stops.
  ~PmMeter() { stop(); }
  PmMeter(const PmMeter&) = delete;
  PmMeter& operator=(const PmMeter&) = delete;

  /// Asks whether it would work, without taking anything. Errors: a sentence for people.
  Result<void> prepare();
  const std::string& chip() const { return chip_; }
  /// What is sampled: indices into kPmMetrics. After prepare().
  const std::vector<std::size_t>& metrics() const { return choice_.metrics; }

  /// Begins sampling, at this rate per second (GPUs that count in cycles: about). Errors as prepare().
  Result<void> start(unsigned per_second);
  /// What came since the last call; is to be called every kReadEveryMs. What gets lost is counted. Errors: it cannot go
  /// on.
  Result<std::vector<PmSample>> read();
  /// Gives the monitors back; read() before it has all that came.
  void stop();

  /// How often something was lost (the GPU's buffer ran over, or a value made no sense).
  std::uint64_t losses() const { return losses_; }

  static constexpr int kReadEveryMs = 50;
  static constexpr unsigned kMostPerSecond = 5000;

 private:
  Result<void> begin();
  pm::Status begin_with(pm::Trigger trigger);
  template <class Call>
  pm::Status ask(Call&& call);
  Result<void> renew_data();
  void follow_clock();

  pm::Functions f_;
  const PmLibrary& library_;
  std::string chip_;
  PmChoice choice_;
  void* context_ = nullptr;
  unsigned per_second_ = 0;
  void* sampler_ = nullptr;
  std::vector<std::uint8_t> data_;
  std::uint64_t began_ = 0;
  std::int64_t clock_offset_ = 0;  // CUPTI's clock less CLOCK_MONOTONIC
  std::uint64_t losses_ = 0;
};

}  // namespace lacuna
