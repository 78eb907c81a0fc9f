#pragma once

#include <cstring>

#include "capture/wire/segment.h"

namespace lacuna::wire {

/// The writer's state of one ring, in the writer's private memory.
///
/// put() costs a few stores and never blocks. Without room the record is dropped and counted, and
/// the next record that fits is preceded by a kLost, so that the reader knows where records are missing.
/// One thread at a time; the caller synchronises threads that take turns (a lock, or the ring's hand-over).
struct RingWriter {
  std::uint64_t position = 0;
  std::uint64_t limit = 0;  ///< position may grow up to here without reading the reader's tail
  Slot* slots = nullptr;
  std::uint64_t mask = 0;
  RingHeader* shared = nullptr;
  std::uint64_t lost = 0;  ///< records dropped since the last one written

  void attach(char* memory, std::uint64_t slot_count) {
    shared = reinterpret_cast<RingHeader*>(memory);
    slots = reinterpret_cast<Slot*>(memory + kRingHeaderBytes);
    mask = slot_count - 1;
    position = shared->head.load(std::memory_order_relaxed);
    limit = position;
    lost = 0;
  }
  std::uint64_t capacity() const { return mask + 1; }

  /// Whether `count` slots may be written now. The slow path of put().
  bool make_room(std::uint64_t count, std::uint64_t time) {
    if (shared == nullptr) return false;
    const std::uint64_t needed = count + (lost > 0 ? 1 : 0);
    if (position + needed > limit) {
      const std::uint64_t tail = shared->tail.load(std::memory_order_acquire);
      if (tail > position || position - tail > capacity()) return drop();  // the reader's tail is invalid
      limit = tail + capacity();
      if (position + needed > limit) return drop();
    }
    if (lost > 0) {
      RecordHead head;
      head.time = time;
      head.name = lost > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(lost);
      head.type = RecordType::kLost;
      std::memcpy(static_cast<void*>(&slots[position & mask]), &head, sizeof head);
      ++position;
      lost = 0;
    }
    return true;
  }
  /// Whether `count` slots are free, as far as known without reading the reader's tail.
  bool has_room(std::uint64_t count) const { return position + count <= limit; }

  void publish() { shared->head.store(position, std::memory_order_release); }

  /// Writes one slot; the caller has made sure of room.
  void put_slot(std::uint64_t low, std::uint64_t high) {
    Slot& slot = slots[position & mask];
    slot.low = low;
    slot.high = high;
    ++position;
  }
  /// Writes `count` slots from memory; the caller has made sure of room and publishes.
  void copy(const void* record, std::size_t count) {
    const char* from = static_cast<const char*>(record);
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(static_cast<void*>(&slots[position++ & mask]), from + i * kSlotBytes, kSlotBytes);
  }

  /// The address of the next `count` slots, to be written in place; the caller has made sure of room, raises `position`
  /// and publishes. Null when they wrap around the end of the ring.
  void* next(std::size_t count) const {
    const std::uint64_t at = position & mask;
    return at + count <= capacity() ? &slots[at] : nullptr;
  }

  /// Writes a whole record; false when it was dropped.
  template <class Record>
  bool put(const Record& record) {
    static_assert(sizeof(Record) % kSlotBytes == 0);
    constexpr std::size_t kCount = sizeof(Record) / kSlotBytes;
    if (!has_room(kCount) && !make_room(kCount, record_time(record))) return false;
    copy(&record, kCount);
    publish();
    return true;
  }

 private:
  static std::uint64_t record_time(const RecordHead& head) { return head.time; }
  template <class Record>
  static std::uint64_t record_time(const Record& record) {
    return record.head.time;
  }
  bool drop() {
    ++lost;
    limit = position;  // so that the next record checks for room again, and writes the kLost first
    shared->dropped.store(shared->dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
  }
};

/// The second half of a record's head.
constexpr std::uint64_t head_bits(RecordType type, std::uint32_t name, std::uint16_t domain, std::uint8_t depth) {
  return std::uint64_t{name} | std::uint64_t{domain} << 32 | static_cast<std::uint64_t>(type) << 48 |
         std::uint64_t{depth} << 56;
}

}  // namespace lacuna::wire
