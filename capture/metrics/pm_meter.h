#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/metrics/pm_library.h"

namespace lacuna {

/// The performance monitors' values over an interval.
struct PmSample {
  std::uint64_t start = 0, end = 0;  ///< CLOCK_MONOTONIC ns
  std::vector<double> values;        ///< parallel to PmMeter::metrics()
};

/// Samples the performance monitors of this process's first GPU, whichever process uses it. From start() on, reserves
/// them and fixes the GPU's clocks. One thread. In each function the driver may hang or end the process.
class PmMeter {
 public:
  explicit PmMeter(const PmLibrary& library) : f_(library.functions), library_(library) {}
  /// Calls stop().
  ~PmMeter() { stop(); }
  PmMeter(const PmMeter&) = delete;
  PmMeter& operator=(const PmMeter&) = delete;

  /// Checks whether it would work, without reserving anything. Errors: a sentence for users.
  Result<void> prepare();
  const std::string& chip() const { return chip_; }
  /// The sampled metrics: indices into kPmMetrics. After prepare().
  const std::vector<std::size_t>& metrics() const { return choice_.metrics; }

  /// Begins sampling at this rate per second (approximate on GPUs that count cycles). Errors as in prepare().
  Result<void> start(unsigned per_second);
  /// Returns the samples since the last call; call it every kReadEveryMs. Lost samples are counted. Errors: sampling
  /// cannot continue.
  Result<std::vector<PmSample>> read();
  /// Releases the monitors; call read() before for the last samples.
  void stop();

  /// The number of losses (the GPU's buffer overflowed, or a value was invalid).
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
  std::int64_t clock_offset_ = 0;  // CUPTI's clock minus CLOCK_MONOTONIC
  std::uint64_t losses_ = 0;
};

}  // namespace lacuna
