#pragma once

#include <cstddef>

/// The CUDA driver, loaded at run time, with the functions of the demo. Without a driver or a device every
/// call does nothing and is_there() is false.
class Gpu {
 public:
  Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  bool is_there() const { return is_there_; }
  /// Copies `bytes` (at most kBytes) to the device, on the demo's stream.
  void upload(const void* data, std::size_t bytes);
  /// Starts a kernel of about `rounds` multiply-adds per thread.
  void launch(unsigned rounds);
  /// Reads one number back; waits for all started work.
  float read_back();
  void synchronize();

  static constexpr std::size_t kBytes = std::size_t{4} << 20;

 private:
  bool is_there_ = false;
  void* library_ = nullptr;
  void* stream_ = nullptr;
  void* kernel_ = nullptr;
  unsigned long long memory_ = 0;
};
