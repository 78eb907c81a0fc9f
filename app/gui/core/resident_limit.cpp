#include "app/gui/core/resident_limit.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <sys/resource.h>

#include "model/import/memory_room.h"

namespace lacuna {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 100ms;
constexpr auto kTryAgainAfter = 5s;  // where the disk takes no more
/// Of what is free: the rest of the process needs some, too.
constexpr std::uint64_t kPartOfFree = 8;
constexpr std::uint64_t kLeastSettled = std::uint64_t{16} << 20;
constexpr int kMoverNice = 10;  // there is time: a disk that is slow for a while costs memory, no more

}  // namespace

ResidentLimit::ResidentLimit(std::uint64_t most_settled, std::uint64_t most_read)
    : most_settled_(most_settled), most_read_(most_read), memory_(GrowingMemory::make()) {
  if (memory_) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void ResidentLimit::run(const std::stop_token& stop) {
#if defined(__linux__)
  (void)::setpriority(PRIO_PROCESS, 0, kMoverNice);  // there, 0 is the calling thread alone
#endif
  std::mutex mutex;
  std::condition_variable_any woken;
  for (std::unique_lock lock(mutex);;) {
    GrowingMemory::Usage usage = memory_->usage();
    if (usage.settled_bytes > std::min(most_settled_, kLeastSettled)) {
      std::uint64_t most = most_settled_;
      if (const auto free = free_memory()) most = std::min(most, std::max(*free / kPartOfFree, kLeastSettled));
      if (usage.settled_bytes > most)
        while (!stop.stop_requested() && memory_->move_settled(most / 4 * 3)) continue;
      usage = memory_->usage();
    }
    if (usage.disk_bytes > 0 && resident_file_bytes() > most_read_) memory_->drop_read();
    (void)woken.wait_for(lock, stop, usage.failure.empty() ? kLookEvery : kTryAgainAfter, [] { return false; });
    if (stop.stop_requested()) return;
  }
}

}  // namespace lacuna
