#pragma once

#include <cstdint>

namespace lacuna {

/// Memory requested with `new` by all threads since the program began. Both are 0 with sanitizers, which replace
/// `new`: see is_memory_counted().
struct MemoryAsked {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
};
MemoryAsked memory_asked();
bool is_memory_counted();

/// While it lives, memory runs out: of the requests by other threads than its maker's, the `call`-th (from 1) and
/// all later ones throw std::bad_alloc, or only `count` of them. One at a time.
class FailingMemory {
 public:
  explicit FailingMemory(std::uint64_t call, std::uint64_t count = ~std::uint64_t{0});
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
  /// Returns how many requests have failed.
  std::uint64_t failed() const;
};

}  // namespace lacuna
