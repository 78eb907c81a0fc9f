#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lacuna {

/// Maps addresses to 32-bit numbers: an open hash table without tombstones, for the live state of a replay.
class AddressMap {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  AddressMap() : slots_(1024) {}

  std::uint32_t find(std::uint64_t address) const {
    for (std::size_t i = home(address);; i = (i + 1) & mask())
      if (slots_[i].value == kNone || slots_[i].address == address) return slots_[i].value;
  }
  /// Inserts or replaces.
  void put(std::uint64_t address, std::uint32_t value) {
    if (4 * (size_ + 1) > 3 * slots_.size()) grow();
    std::size_t i = home(address);
    while (slots_[i].value != kNone && slots_[i].address != address) i = (i + 1) & mask();
    size_ += slots_[i].value == kNone;
    slots_[i] = {address, value};
  }
  void erase(std::uint64_t address) {
    std::size_t i = home(address);
    while (slots_[i].address != address || slots_[i].value == kNone) {
      if (slots_[i].value == kNone) return;
      i = (i + 1) & mask();
    }
    --size_;
    // Moves the following entries back into the hole, unless their home slot lies behind it.
    for (std::size_t j = (i + 1) & mask(); slots_[j].value != kNone; j = (j + 1) & mask()) {
      if (((j - home(slots_[j].address)) & mask()) < ((j - i) & mask())) continue;
      slots_[i] = slots_[j];
      i = j;
    }
    slots_[i].value = kNone;
  }
  template <class Take>
  void for_each(Take&& take) const {
    for (const Slot& slot : slots_)
      if (slot.value != kNone) take(slot.address, slot.value);
  }

 private:
  struct Slot {
    std::uint64_t address = 0;
    std::uint32_t value = kNone;
  };
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(std::uint64_t address) const {
    const std::uint64_t hash = address * 0x9e37'79b9'7f4a'7c15;
    return (hash ^ hash >> 32) & mask();
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    size_ = 0;
    for (const Slot& slot : old)
      if (slot.value != kNone) put(slot.address, slot.value);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace lacuna
