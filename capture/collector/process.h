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

/// The collector's state in its process. One per process, in memory that is zeroed in a forked
/// child: the child then attaches by itself, with a segment of its own.
///
/// Everything but `state` is guarded by `lock` once `state` is kReady, unless said otherwise.
/// Nothing here allocates through the target's malloc, throws, or waits for the viewer.
struct Process {
  enum State : std::uint32_t { kNew = 0, kReady = 1, kOff = 2, kAsleep = 3 };
  std::atomic<std::uint32_t> state{kNew};
  Lock lock;
  std::uint32_t generation = 0;  ///< unique in this process and its parents; handles of another one are announced again
  std::uint32_t pid = 0;
  bool was_dormant = false;  ///< capture began in the middle of the program: ends without a begin are no errors
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
  ThreadState* control_thread = nullptr;  ///< the thread of the latest events in the control ring
  std::uint32_t next_name = 0;            ///< kFirstName once attached
  NameTable names;

  // Rings and states of ended threads, for reuse.
  std::uint32_t* free_rings = nullptr;
  std::uint32_t free_ring_count = 0;
  ThreadState* free_states = nullptr;

  Lock gpu_lock;  ///< guards only `gpu`
  wire::RingWriter gpu;

  std::atomic<std::uint64_t> next_range{0};  ///< 1 once attached; in a dormant process it continues across windows
  std::uint64_t first_range = 1;
};

/// The process state if it exists; zeroed in a forked child.
extern std::atomic<Process*> the_process;
/// Whether the process sleeps (kAsleep): one word that entry points can read cheaply. False right after a fork.
extern std::atomic<bool> is_sleeping;

/// Returns the process, after attaching to the viewer on the first call (and after a fork). Null if it is not
/// captured: not launched by Lacuna, viewer gone, or no memory. Any thread.
Process* attached_process();
/// Returns the process, attached or not; null before the first attached_process().
inline Process* known_process() {
  return the_process.load(std::memory_order_acquire);
}
/// Replaces the process by a fresh, sleeping one. The old one's memory is not freed, as threads may still be
/// using it. Null if out of memory. One thread at a time.
Process* begin_sleep(Process& awake);

/// Returns the id of a name; the caller does not hold the lock. `address` may be null (a temporary text).
/// kLostName when the viewer had no room for it.
std::uint32_t intern(Process& process, NameCache* cache, const char* address, const char* text, std::size_t length);
std::uint32_t intern_locked(Process& process, NameCache* cache, const char* address, const char* text,
                            std::size_t length, std::uint64_t hash);

/// Puts one record of the slow path into the control ring; the caller holds the lock.
template <class Record>
bool put_control(Process& process, const Record& record) {
  return process.control.put(record);
}

/// Sends a message for the user, shown by the viewer and with LACUNA_VERBOSE=1 on stderr.
void say(wire::MessageKind kind, const char* text);

inline std::uint64_t now(const Process& process) {
  return wire::read_clock(process.clock);
}

}  // namespace lacuna::collector
