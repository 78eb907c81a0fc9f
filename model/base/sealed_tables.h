#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "model/base/growing_memory.h"
#include "model/base/sealed_vector.h"

namespace lacuna {

/// Immutable tables of a recording under way, stored one after the other in blocks of a GrowingMemory, from
/// where they are moved to disk like all sealed data. A block is freed when all its tables are gone.
/// One thread at a time; any thread may read stored tables.
class SealedTables {
 public:
  /// `memory` may be null: then nothing is stored.
  explicit SealedTables(std::shared_ptr<GrowingMemory> memory) : memory_(std::move(memory)) {}

  struct Place {
    std::shared_ptr<const GrowingBlock> block;  ///< null: no room, or the table is too small to be worth it
    const std::byte* at = nullptr;
  };
  /// Stores a copy of these bytes, aligned for any plain type.
  Place keep(std::span<const std::byte> bytes);
  template <class T>
  void keep(SealedVector<T>& made) {
    Place place = keep(std::as_bytes(made.get()));
    if (place.block != nullptr)
      made.lie_at({reinterpret_cast<const T*>(place.at), made.get().size()}, std::move(place.block));
  }

 private:
  std::shared_ptr<GrowingMemory> memory_;
  std::shared_ptr<GrowingBlock> block_;
  std::size_t used_ = 0;
};

}  // namespace lacuna
