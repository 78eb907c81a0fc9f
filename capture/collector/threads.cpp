#include "capture/collector/threads.h"

#include <cstring>
#include <new>

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lacuna::collector {

thread_local ThreadState* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

pthread_key_t end_key;
std::atomic<int> end_key_state{0};  // 0 none, 1 being made, 2 there

/// A thread that ends hands its ring to the next thread. NVTX calls of later destructors start the
/// thread anew; pthread calls this again then.
void end_thread(void* pointer) {
  auto* thread = static_cast<ThreadState*>(pointer);
  if (this_thread != thread) return;
  this_thread = nullptr;
  Process* process = thread->process;
  if (process == nullptr) return;                                // forgotten by a fork
  if (Process* current = known_process(); current != process) {  // captured before a sleep: its ring is gone
    if (current == nullptr) return;
    const Locked locked(current->lock);
    thread->process = nullptr;
    thread->next_free = current->free_states;
    current->free_states = thread;
    return;
  }
  const Locked locked(process->lock);
  if (process->control_thread == thread) process->control_thread = nullptr;
  if (thread->has_ring && process->free_rings != nullptr)
    process->free_rings[process->free_ring_count++] = thread->ring_index;
  thread->process = nullptr;
  thread->next_free = process->free_states;
  process->free_states = thread;
}

void watch_end(ThreadState* thread) {
  int expected = 0;
  if (end_key_state.compare_exchange_strong(expected, 1))
    end_key_state.store(pthread_key_create(&end_key, end_thread) == 0 ? 2 : 3);
  if (end_key_state.load() == 2) pthread_setspecific(end_key, thread);
}

char* ring_memory(Process& process, std::uint32_t index) {
  return process.segment + process.layout.ring_offset(wire::kFirstThreadRing + index);
}

/// A ring for a new thread: one left behind with room enough, else a fresh one, else none.
bool take_ring(Process& process, ThreadState& thread) {
  if (process.free_rings == nullptr)
    process.free_rings =
        static_cast<std::uint32_t*>(allocate_forgetting(process.most_thread_rings * sizeof(std::uint32_t)));
  const std::uint64_t slots = process.layout.thread_slots;
  const std::uint32_t looked_at = process.free_ring_count < 8 ? process.free_ring_count : 8;
  for (std::uint32_t i = 0; i < looked_at; ++i) {
    const std::uint32_t place = process.free_ring_count - 1 - i;
    const std::uint32_t index = process.free_rings[place];
    wire::RingWriter ring;
    ring.attach(ring_memory(process, index), slots);
    const std::uint64_t unread = ring.position - ring.shared->tail.load(std::memory_order_acquire);
    if (unread > slots / 2) continue;
    process.free_rings[place] = process.free_rings[--process.free_ring_count];
    thread.ring = ring;
    thread.ring_index = index;
    return true;
  }
  const std::uint32_t next = process.header->thread_rings.load(std::memory_order_relaxed);
  if (next >= process.most_thread_rings) return false;
  thread.ring.attach(ring_memory(process, next), slots);
  thread.ring_index = next;
  process.header->thread_rings.store(next + 1, std::memory_order_release);
  return true;
}

wire::ThreadRecord thread_record(const ThreadState& thread) {
  wire::ThreadRecord record;
  record.head.type = wire::RecordType::kThread;
  record.head.time = thread.time();
  record.tid = thread.tid;
  record.pthread_low = static_cast<std::uint32_t>(pthread_self());
  char comm[17] = {};
  prctl(PR_GET_NAME, comm);
  std::memcpy(record.comm, comm, sizeof record.comm);
  return record;
}

bool put_in_control_ring(ThreadState& thread, const void* record, std::size_t count, std::uint64_t time) {
  Process& process = *thread.process;
  const Locked locked(process.lock);
  if (process.control_thread != &thread) {
    if (!process.control.put(thread_record(thread))) return false;
    process.control_thread = &thread;
  }
  if (!process.control.has_room(count) && !process.control.make_room(count, time)) return false;
  process.control.copy(record, count);
  process.control.publish();
  return true;
}

}  // namespace

std::int32_t& ThreadState::far_depth(std::uint16_t domain) {
  if (far_depths == nullptr) far_depths = static_cast<std::int32_t*>(allocate_forgetting(65536 * sizeof(std::int32_t)));
  static std::int32_t nowhere = 0;  // no memory: levels are then meaningless, ranges are not
  return far_depths == nullptr ? nowhere : far_depths[domain];
}

ThreadState* start_thread() {
  Process* process = attached_process();
  if (process == nullptr) return nullptr;
  ThreadState* thread = this_thread;  // of before a fork: its memory is zeroed
  {
    const Locked locked(process->lock);
    if (thread == nullptr && (thread = process->free_states) != nullptr) process->free_states = thread->next_free;
    if (thread == nullptr) thread = static_cast<ThreadState*>(allocate_forgetting(sizeof(ThreadState)));
    if (thread == nullptr) return nullptr;
    std::int32_t* far_depths = thread->far_depths;
    if (far_depths != nullptr) std::memset(far_depths, 0, 65536 * sizeof(std::int32_t));
    new (thread) ThreadState;
    thread->far_depths = far_depths;
    thread->clock = process->clock;
    thread->generation = process->generation;
    thread->tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    thread->has_ring = take_ring(*process, *thread);
    thread->process = process;
  }
  this_thread = thread;
  watch_end(thread);
  if (thread->has_ring) {
    const wire::ThreadRecord record = thread_record(*thread);
    if (!thread->ring.put(record)) thread->has_ring = false, thread->ring = {};
  }
  return thread;
}

void forget_this_thread() {
  this_thread = nullptr;
}

bool put_slowly(ThreadState& thread, const void* record, std::size_t count, std::uint64_t time) {
  if (thread.ring.shared == nullptr) return put_in_control_ring(thread, record, count, time);
  if (!thread.ring.make_room(count, time)) return false;
  thread.ring.copy(record, count);
  thread.ring.publish();
  return true;
}

}  // namespace lacuna::collector
