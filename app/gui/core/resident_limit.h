#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "model/base/growing_memory.h"

namespace lacuna {

/// Keeps what a recording takes of memory bounded while it grows, and while it is looked at later: sealed slices go to
/// disk beyond a fixed part of memory, oldest first, and what was read of them is let go of again. A thread of its own,
/// which ends with the object. Shared by the recording's documents: the last one ends it.
class ResidentLimit {
 public:
  /// What was read back from disk, with all else that this process maps from files.
  static constexpr std::uint64_t kMostRead = std::uint64_t{256} << 20;

  explicit ResidentLimit(std::uint64_t most_sealed = GrowingMemory::kUsuallyInMemory,
                         std::uint64_t most_read = kMostRead);
  ResidentLimit(const ResidentLimit&) = delete;
  ResidentLimit& operator=(const ResidentLimit&) = delete;

  /// Null where the system cannot do it: then slices are not sealed.
  const std::shared_ptr<GrowingMemory>& memory() const { return memory_; }

 private:
  void run(const std::stop_token& stop);
  /// False: the disk takes no more.
  bool keep_within(const std::stop_token& stop);

  const std::uint64_t most_sealed_;
  const std::uint64_t most_read_;
  const std::shared_ptr<GrowingMemory> memory_;
  std::mutex mutex_;  // taken by this thread alone, which sleeps on it without allocating
  std::condition_variable_any woken_;
  std::jthread thread_;  // last: joined before the rest goes
};

}  // namespace lacuna
