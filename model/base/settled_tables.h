#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/base/growing_memory.h"

namespace lacuna {

/// Tables of a recording under way that are made once and stay: one behind the other in blocks of a GrowingMemory, from
/// where they go to disk as all that is settled does. Nothing is freed before all tables of a block are gone.
/// One thread at a time; what was kept any thread may read.
class SettledTables {
 public:
  /// `memory` may be null: then nothing is kept.
  explicit SettledTables(std::shared_ptr<GrowingMemory> memory) : memory_(std::move(memory)) {}

  struct Place {
    std::shared_ptr<const GrowingBlock> block;  ///< null: no room, or too small to be worth it
    const std::byte* at = nullptr;
  };
  /// A copy of these bytes, aligned for any plain type.
  Place keep(std::span<const std::byte> bytes);

 private:
  std::shared_ptr<GrowingMemory> memory_;
  std::shared_ptr<GrowingBlock> block_;
  std::size_t used_ = 0;
};

/// A vector that, once it is complete, may lie there.
template <class T>
class SettledVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// While it is made; nothing may be changed after settle_in().
  std::vector<T>& own() { return own_; }
  std::span<const T> get() const { return settled_.empty() ? std::span<const T>(own_) : settled_; }

  void settle_in(SettledTables& tables) {
    SettledTables::Place place = tables.keep(std::as_bytes(std::span<const T>(own_)));
    if (place.block == nullptr) return;
    settled_ = {reinterpret_cast<const T*>(place.at), own_.size()};
    block_ = std::move(place.block);
    own_ = {};
  }
  /// Of what is not kept elsewhere.
  std::size_t memory_bytes() const { return own_.capacity() * sizeof(T); }

 private:
  std::vector<T> own_;
  std::span<const T> settled_;
  std::shared_ptr<const GrowingBlock> block_;
};

}  // namespace lacuna
