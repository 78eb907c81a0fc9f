#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "model/base/growing_memory.h"

namespace lacuna {

/// Bounds the resident memory of a recording, while it grows and while it is viewed later: beyond a fixed limit sealed
/// slices go to disk, oldest first, and pages read back from there are released again. Runs a thread of its own,
/// which ends with the object. Shared by the recording's documents: the last one destroys it.
class ResidentLimit {
 public:
  /// Limit of the resident pages read back from disk, including everything else that this process maps from files.
  static constexpr std::uint64_t kMostRead = std::uint64_t{256} << 20;

  explicit ResidentLimit(std::uint64_t most_sealed = GrowingMemory::kUsuallyInMemory,
                         std::uint64_t most_read = kMostRead);
  ResidentLimit(const ResidentLimit&) = delete;
  ResidentLimit& operator=(const ResidentLimit&) = delete;

  /// Null where the system does not support it: then slices are not sealed.
  const std::shared_ptr<GrowingMemory>& memory() const { return memory_; }

 private:
  void run(const std::stop_token& stop);
  /// Enforces both limits. Returns false if the disk takes no more.
  bool keep_within(const std::stop_token& stop);

  const std::uint64_t most_sealed_;
  const std::uint64_t most_read_;
  const std::shared_ptr<GrowingMemory> memory_;
  std::mutex mutex_;  // taken by this thread alone, so that it can sleep without allocating
  std::condition_variable_any woken_;
  std::jthread thread_;  // last member: joined before the others are destroyed
};

}  // namespace lacuna
