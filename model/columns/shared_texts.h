#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/trace/string_pool.h"

namespace lacuna {

/// Assigns numbers to texts from several threads: equal texts get the same number, from 1 on. The order
/// depends on which thread comes first.
class SharedTexts {
 public:
  struct Known {
    std::string_view text;  ///< valid as long as the SharedTexts
    std::uint32_t number = 0;
  };
  /// Calls `make(number)` for a new text, one call at a time.
  template <class Make>
  Known add(std::string_view text, Make&& make) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t before = pool_.size();
    const StringId id = pool_.intern(text);
    if (pool_.size() > before) make(id.value);
    return {pool_.get(id), id.value};
  }

 private:
  std::mutex mutex_;
  StringPool pool_;
};

/// One thread's cache of SharedTexts: most texts are found here, without the lock.
class TextMemo {
 public:
  explicit TextMemo(SharedTexts& shared) : shared_(shared), slots_(1024) {}

  /// `text` must not be empty.
  template <class Make>
  std::uint32_t number(std::string_view text, Make&& make) {
    const std::uint64_t hash = seeded_hash(text);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].known.number != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].hash == hash && slots_[at].known.text == text) return slots_[at].known.number;
    const SharedTexts::Known known = shared_.add(text, make);
    slots_[at] = {hash, known};
    if (++used_ * 2 > slots_.size()) grow();
    return known.number;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    SharedTexts::Known known;  // number 0: free slot
  };

  void grow() {
    std::vector<Slot> slots(slots_.size() * 2);
    for (const Slot& slot : slots_) {
      if (slot.known.number == 0) continue;
      std::size_t at = slot.hash & (slots.size() - 1);
      while (slots[at].known.number != 0) at = (at + 1) & (slots.size() - 1);
      slots[at] = slot;
    }
    slots_ = std::move(slots);
  }

  SharedTexts& shared_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace lacuna
