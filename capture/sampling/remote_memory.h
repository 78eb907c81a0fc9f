#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lacuna {

/// Reads the memory of another, running process (process_vm_readv). The data may be half written, so callers must
/// check it. Small reads near the last one cost nothing: the block around it is cached until forget(). One thread
/// at a time.
class RemoteMemory {
 public:
  explicit RemoteMemory(int pid) : pid_(pid), block_(kBlock) {}

  int pid() const { return pid_; }
  /// False when a part of the range cannot be read.
  bool read(std::uint64_t address, void* out, std::size_t size);
  template <class Value>
  bool read(std::uint64_t address, Value& out) {
    return read(address, &out, sizeof out);
  }
  /// Forgets cached memory, so that later reads are fresh.
  void forget() { block_size_ = 0; }
  /// errno of the last read that failed.
  int error() const { return error_; }

 private:
  static constexpr std::size_t kBlock = 4096;
  std::size_t read_now(std::uint64_t address, void* out, std::size_t size);

  int pid_;
  int error_ = 0;
  std::vector<char> block_;
  std::uint64_t block_begin_ = 0;
  std::size_t block_size_ = 0;
};

}  // namespace lacuna
