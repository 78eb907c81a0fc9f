#include "app/gui/core/resident_limit.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "model/base/guarded.h"
#include "model/base/os/machine.h"
#include "model/base/start_thread.h"
#include "model/input/memory_room.h"

namespace lacuna {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 100ms;
constexpr auto kTryAgainAfter = 5s;  // where the disk takes no more
/// Of what is free: the rest of the process needs some, too.
constexpr std::uint64_t kPartOfFree = 8;
constexpr std::uint64_t kLeastSealed = std::uint64_t{16} << 20;
constexpr int kMoverNice = 10;  // there is time: a disk that is slow for a while costs memory, no more

}  // namespace

ResidentLimit::ResidentLimit(std::uint64_t most_sealed, std::uint64_t most_read)
    : most_sealed_(most_sealed), most_read_(most_read), memory_(GrowingMemory::make()) {
  // Where no thread starts, all stays in memory.
  if (memory_) thread_ = start_thread([this](const std::stop_token& stop) { run(stop); });
}

void ResidentLimit::run(const std::stop_token& stop) {
  give_way_to_others(kMoverNice);
  while (!stop.stop_requested()) {
    bool has_failed = false;
    // Where memory runs out this is what makes room: it tries again.
    if (!run_guarded([&] { has_failed = !keep_within(stop); }, [](std::string_view) {})) has_failed = true;
    std::unique_lock lock(mutex_);
    (void)woken_.wait_for(lock, stop, has_failed ? std::chrono::milliseconds(kTryAgainAfter) : kLookEvery,
                          [] { return false; });
  }
}

bool ResidentLimit::keep_within(const std::stop_token& stop) {
  GrowingMemory::Usage usage = memory_->usage();
  if (usage.sealed_bytes > std::min(most_sealed_, kLeastSealed)) {
    std::uint64_t most = most_sealed_;
    if (const auto free = free_memory()) most = std::min(most, std::max(*free / kPartOfFree, kLeastSealed));
    if (usage.sealed_bytes > most)
      while (!stop.stop_requested() && memory_->move_sealed(most / 4 * 3)) continue;
    usage = memory_->usage();
  }
  if (usage.disk_bytes > 0 && resident_file_bytes() > most_read_) memory_->drop_read();
  return usage.failure.empty();
}

}  // namespace lacuna
