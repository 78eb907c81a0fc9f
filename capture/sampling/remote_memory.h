#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lacuna {

/// Reads another process's memory while that runs (process_vm_readv): what is read may be half written, and is to be
/// checked. Small reads close to the last one cost nothing: a block around each is kept until forget(). One thread
/// at a time.
class RemoteMemory {
 public:
  explicit RemoteMemory(int pid) : pid_(pid), block_(kBlock) {}

  int pid() const { return pid_; }
  /// False when not all of it can be read.
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
