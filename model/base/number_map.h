#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/seeded_hash.h"

namespace lacuna {

/// Maps numbers out of files to 32-bit numbers: an open hash table without tombstones.
class NumberMap {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;  ///< no value

  NumberMap() : slots_(16) {}

  std::uint32_t find(std::uint64_t key) const { return slots_[place_of(key)].value; }
  /// Inserts or replaces.
  void put(std::uint64_t key, std::uint32_t value) { slot_of(key) = {key, value}; }
  /// Inserts, unless the key has a value: that, and whether it is new.
  std::pair<std::uint32_t, bool> try_put(std::uint64_t key, std::uint32_t value) {
    Slot& slot = slot_of(key);
    if (slot.value != kNone) return {slot.value, false};
    slot = {key, value};
    return {value, true};
  }
  void erase(std::uint64_t key) {
    std::size_t i = place_of(key);
    if (slots_[i].value == kNone) return;
    --size_;
    // Moves the following entries back into the hole, unless their home slot lies behind it.
    for (std::size_t j = (i + 1) & mask(); slots_[j].value != kNone; j = (j + 1) & mask()) {
      if (((j - home(slots_[j].key)) & mask()) < ((j - i) & mask())) continue;
      slots_[i] = slots_[j];
      i = j;
    }
    slots_[i].value = kNone;
  }
  template <class Take>
  void for_each(Take&& take) const {
    for (const Slot& slot : slots_)
      if (slot.value != kNone) take(slot.key, slot.value);
  }
  /// Loads the place of a key that will be asked for soon into the cache.
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)]); }
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = kNone;
  };
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(std::uint64_t key) const { return SeededHash{}(key)&mask(); }
  /// Where the key stands, or would.
  std::size_t place_of(std::uint64_t key) const {
    std::size_t i = home(key);
    while (slots_[i].value != kNone && slots_[i].key != key) i = (i + 1) & mask();
    return i;
  }
  Slot& slot_of(std::uint64_t key) {
    if (4 * (size_ + 1) > 3 * slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    size_ += slot.value == kNone;
    return slot;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kNone) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace lacuna
