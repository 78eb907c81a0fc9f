#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "model/base/growing_memory.h"
#include "model/base/sealed_vector.h"

namespace lacuna {

/// Tables of a recording under way that are made once and stay: one behind the other in blocks of a GrowingMemory, from
/// where they go to disk as all that is sealed does. Nothing is freed before all tables of a block are gone.
/// One thread at a time; what was kept any thread may read.
class SealedTables {
 public:
  /// `memory` may be null: then nothing is kept.
  explicit SealedTables(std::shared_ptr<GrowingMemory> memory) : memory_(std::move(memory)) {}

  struct Place {
    std::shared_ptr<const GrowingBlock> block;  ///< null: no room, or too small to be worth it
    const std::byte* at = nullptr;
  };
  /// Keeps a copy of these bytes, aligned for any plain type.
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
