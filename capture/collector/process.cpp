#include "capture/collector/process.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "capture/collector/announce.h"
#include "capture/collector/attach.h"
#include "capture/collector/domains.h"
#include "capture/collector/sleeper.h"

namespace lacuna::collector {
std::atomic<Process*> the_process{nullptr};
std::atomic<bool> is_sleeping{false};

namespace {

Process* make_process() {
  auto* fresh = static_cast<Process*>(allocate_forgetting(sizeof(Process)));
  if (fresh == nullptr) return nullptr;
  Process* expected = nullptr;
  if (the_process.compare_exchange_strong(expected, fresh)) return fresh;
  munmap(fresh, sizeof(Process));
  return expected;
}

}  // namespace

Process* attached_process() {
  Process* process = known_process();
  if (process == nullptr) process = make_process();
  if (process == nullptr) return nullptr;
  const std::uint32_t state = process->state.load(std::memory_order_acquire);
  if (state == Process::kReady) return process;
  if (state == Process::kOff || state == Process::kAsleep) return nullptr;
  const Locked locked(process->lock);
  if (process->state.load(std::memory_order_relaxed) == Process::kNew) {
    if (is_dormant()) {
      process->pid = static_cast<std::uint32_t>(getpid());
      release_inherited_lock();
      const bool sleeps = start_sleeper();
      process->state.store(sleeps ? Process::kAsleep : Process::kOff, std::memory_order_release);
      is_sleeping = sleeps;
      return nullptr;
    }
    const bool ready = attach(*process);
    if (ready) announce_names(*process), announce_rank(*process);
    process->state.store(ready ? Process::kReady : Process::kOff, std::memory_order_release);
  }
  return process->state.load(std::memory_order_relaxed) == Process::kReady ? process : nullptr;
}

Process* begin_sleep(Process& awake) {
  auto* fresh = static_cast<Process*>(allocate_forgetting(sizeof(Process)));
  if (fresh == nullptr) return nullptr;
  fresh->pid = awake.pid;
  fresh->next_range = awake.next_range.load();
  {
    const Locked locked(awake.lock);
    fresh->free_states = awake.free_states;
    awake.free_states = nullptr;
  }
  fresh->state.store(Process::kAsleep, std::memory_order_release);
  is_sleeping = true;
  the_process.store(fresh, std::memory_order_release);
  return fresh;
}

std::uint32_t intern(Process& process, NameCache* cache, const char* address, const char* text, std::size_t length) {
  if (length == 0) return wire::kNoName;
  if (length > wire::kMostNameBytes) {
    length = wire::kMostNameBytes;
    address = nullptr;
    process.header->names_cut.fetch_add(1, std::memory_order_relaxed);
  }
  const std::uint64_t hash = hash_name(text, length);
  if (cache != nullptr) {
    if (const std::uint32_t id = cache->find_content(text, length, hash); id != 0) return id;
  }
  const Locked locked(process.lock);
  return intern_locked(process, cache, address, text, length, hash);
}

std::uint32_t intern_locked(Process& process, NameCache* cache, const char* address, const char* text,
                            std::size_t length, std::uint64_t hash) {
  const KnownName* name = process.names.find(text, length, hash);
  std::uint32_t id = 0;
  if (name != nullptr) {
    id = name->id;
  } else {
    const std::size_t slots = 1 + wire::text_slots(length);
    if (process.next_name == ~0u || !process.control.make_room(slots, length)) {
      process.header->names_lost.fetch_add(1, std::memory_order_relaxed);
      return wire::kLostName;
    }
    id = process.next_name++;
    wire::RingWriter& ring = process.control;
    ring.put_slot(length, wire::head_bits(wire::RecordType::kString, id, 0, 0));
    for (std::size_t i = 0; i < length; i += wire::kSlotBytes) {
      wire::Slot slot;
      std::memcpy(static_cast<void*>(&slot), text + i, length - i < wire::kSlotBytes ? length - i : wire::kSlotBytes);
      ring.put_slot(slot.low, slot.high);
    }
    ring.publish();
    name = process.names.add(text, length, hash, id);
  }
  if (name != nullptr && cache != nullptr) cache->remember(address, *name);
  return id;
}

void say(wire::MessageKind kind, const char* text) {
  Process* process = attached_process();
  if (process == nullptr) return;
  if (process->is_verbose) std::fprintf(stderr, "lacuna: %s\n", text);
  wire::NumberRecord record;
  record.head.type = wire::RecordType::kMessage;
  record.head.name = intern(*process, nullptr, nullptr, text, std::strlen(text));
  record.head.time = now(*process);
  record.number = static_cast<std::uint32_t>(kind);
  const Locked locked(process->lock);
  put_control(*process, record);
}

}  // namespace lacuna::collector
