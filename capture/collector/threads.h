#pragma once

#include <cstdint>

#include "capture/collector/process.h"

namespace lacuna::collector {

/// One captured thread: its ring and the state for fast writing. In memory that is zeroed in a forked
/// child, so the child's first record takes the slow path and gets a ring of its own.
/// Used only by its thread.
struct ThreadState {
  wire::RingWriter ring;       ///< if out of memory (shared == null), events go to the control ring
  Process* process = nullptr;  ///< null: not in use (or cleared by a fork)
  wire::ClockKind clock = wire::ClockKind::kMonotonic;
  std::uint32_t generation = 0;
  std::uint32_t tid = 0;
  std::uint32_t ring_index = 0;
  std::uint32_t torch_thread = 0;   ///< PyTorch's number of this thread, once known
  std::int32_t profiler_steps = 0;  ///< number of running ProfilerStep# ranges of torch.profiler
  bool has_ring = false;
  ThreadState* next_free = nullptr;
  static constexpr std::uint32_t kNearDomains = 64;
  std::int32_t near_depths[kNearDomains] = {};
  std::int32_t* far_depths = nullptr;  ///< of all domains, allocated when a far one is used
  NameCache names;

  /// Returns the number of open push/pop ranges of one domain on this thread.
  std::int32_t& depth(std::uint16_t domain) { return domain < kNearDomains ? near_depths[domain] : far_depth(domain); }
  std::uint64_t time() const { return wire::read_clock(clock); }

 private:
  std::int32_t& far_depth(std::uint16_t domain);
};

/// Eight bytes of TLS with the initial-exec model: one load, without a call into the loader. Libraries
/// loaded late can always get that little.
extern thread_local ThreadState* this_thread __attribute__((tls_model("initial-exec")));

ThreadState* start_thread();

/// Returns the calling thread, announced to the viewer on first use; null while nothing is captured.
inline ThreadState* current_thread() {
  ThreadState* thread = this_thread;
  Process* process = the_process.load(std::memory_order_relaxed);
  if (__builtin_expect(thread != nullptr && process != nullptr && thread->process == process, 1)) return thread;
  if (is_sleeping.load(std::memory_order_relaxed)) return nullptr;
  return start_thread();
}

/// Resets the calling thread; called after a fork if the kernel did not clear our memory.
void forget_this_thread();

/// Puts one record of the calling thread into its ring or, if it has none, into the control
/// ring. Returns false when it was dropped, which is counted.
template <class Record>
bool put(ThreadState& thread, const Record& record);

/// Slow path of put(): `count` slots at `record`.
bool put_slowly(ThreadState& thread, const void* record, std::size_t count, std::uint64_t time);

template <class Record>
bool put(ThreadState& thread, const Record& record) {
  constexpr std::size_t kCount = sizeof(Record) / wire::kSlotBytes;
  if (__builtin_expect(thread.ring.has_room(kCount), 1)) {
    thread.ring.copy(&record, kCount);
    thread.ring.publish();
    return true;
  }
  return put_slowly(thread, &record, kCount, thread.time());
}

/// put() of a one-slot record, the hot path of push and pop. Reads the time itself.
inline bool put_now(ThreadState& thread, std::uint64_t head_bits) {
  wire::RingWriter& ring = thread.ring;
  if (__builtin_expect(ring.has_room(1), 1)) {
    ring.put_slot(thread.time(), head_bits);
    ring.publish();
    return true;
  }
  const wire::Slot slot{thread.time(), head_bits};
  return put_slowly(thread, &slot, 1, slot.low);
}

/// put_now() of a two-slot record.
inline bool put_now(ThreadState& thread, std::uint64_t head_bits, const wire::Slot& more) {
  wire::RingWriter& ring = thread.ring;
  if (__builtin_expect(ring.has_room(2), 1)) {
    ring.put_slot(thread.time(), head_bits);
    ring.put_slot(more.low, more.high);
    ring.publish();
    return true;
  }
  const wire::Slot slots[2] = {{thread.time(), head_bits}, more};
  return put_slowly(thread, slots, 2, slots[0].low);
}

}  // namespace lacuna::collector
