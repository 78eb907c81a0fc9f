#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "model/base/page_memory.h"

namespace lacuna {

/// A vector that, once complete, may be moved into memory owned elsewhere (SealedTables).
template <class T>
class SealedVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// For filling the vector; it must not be changed after lie_at().
  PageVector<T>& own() { return own_; }
  std::span<const T> get() const { return sealed_.empty() ? std::span<const T>(own_) : sealed_; }

  /// `sealed` holds the same elements, and lives as long as `holder`.
  void lie_at(std::span<const T> sealed, std::shared_ptr<const void> holder) {
    sealed_ = sealed;
    holder_ = std::move(holder);
    own_ = {};
  }
  /// The bytes of elements that are not stored elsewhere.
  std::size_t memory_bytes() const { return own_.capacity() * sizeof(T); }

 private:
  PageVector<T> own_;
  std::span<const T> sealed_;
  std::shared_ptr<const void> holder_;
};

}  // namespace lacuna
