#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "capture/collector/memory.h"
#include "capture/collector/name_table.h"
#include "capture/wire/clock.h"
#include "capture/wire/ring_writer.h"

namespace lacuna::collector {

struct ThreadState;

/// What the collector knows of the process that it lives in. One per process, in memory that a forked
/// child finds zeroed: the child then attaches by itself, with a segment of its own.
///
/// Everything but `state` is guarded by `lock` once `state` is kReady, unless said otherwise.
/// Nothing here allocates through the target's malloc, throws, or waits for the viewer.
struct Process {
  enum State : std::uint32_t { kNew = 0, kReady = 1, kOff = 2, kAsleep = 3 };
  std::atomic<std::uint32_t> state{kNew};
  Lock lock;
  std::uint32_t generation = 0;  ///< unique in this process and its parents; handles of another one are announced anew
  std::uint32_t pid = 0;
  bool was_dormant = false;  ///< it began in the middle of the program: ends without a begin are no mistakes
  wire::ClockKind clock = wire::ClockKind::kMonotonic;
  bool captures_nvtx = false;
  bool captures_cuda = false;
  bool captures_memory = false;
  bool captures_whole_graphs = false;
  bool is_verbose = false;

  char* segment = nullptr;
  wire::SegmentHeader* header = nullptr;
  wire::SegmentLayout layout;
  std::uint64_t most_thread_rings = 0;

  wire::RingWriter control;
  ThreadState* control_thread = nullptr;  ///< whose events in the control ring come last
  std::uint32_t next_name = 0;            ///< kFirstName once attached
  NameTable names;

  // Thread rings and states whose threads have ended, for the next threads.
  std::uint32_t* free_rings = nullptr;
  std::uint32_t free_ring_count = 0;
  ThreadState* free_states = nullptr;

  Lock gpu_lock;  ///< guards `gpu` alone
  wire::RingWriter gpu;

  std::atomic<std::uint64_t> next_range{0};  ///< 1 once attached; of one that was dormant, above those before
  std::uint64_t first_range = 1;
};

/// The process as far as known; in a forked child its memory is zeroed.
extern std::atomic<Process*> the_process;
/// The process sleeps (kAsleep), in one word that costs the entry points next to nothing. False right after a fork.
extern std::atomic<bool> is_sleeping;

/// The process, attached to the viewer on the first call (and after a fork). Null when nobody
/// captures it: not launched by Lacuna, viewer gone, or no memory. Any thread.
Process* attached_process();
/// The process as far as known, attached or not; null before the first attached_process().
inline Process* known_process() {
  return the_process.load(std::memory_order_acquire);
}
/// Puts a fresh process that sleeps in the place of this one, of which nothing is used any more but what threads are at
/// now: its memory stays. Null without memory. One thread at a time.
Process* begin_sleep(Process& awake);

/// Id of a name; the caller does not hold the lock. `address` may be null (a temporary text).
/// kLostName when the viewer had no room for it.
std::uint32_t intern(Process& process, NameCache* cache, const char* address, const char* text, std::size_t length);
std::uint32_t intern_locked(Process& process, NameCache* cache, const char* address, const char* text,
                            std::size_t length, std::uint64_t hash);

/// Puts one record of the slow kind into the control ring; the caller holds the lock.
template <class Record>
bool put_control(Process& process, const Record& record) {
  return process.control.put(record);
}

/// A line for the user, shown by the viewer and with LACUNA_VERBOSE=1 on stderr.
void say(wire::MessageKind kind, const char* text);

inline std::uint64_t now(const Process& process) {
  return wire::read_clock(process.clock);
}

}  // namespace lacuna::collector
