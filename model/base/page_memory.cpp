#include "model/base/page_memory.h"

#include <new>

#include <sys/mman.h>

#include "model/base/spill_space.h"

namespace lacuna {
namespace {

constexpr std::size_t kLeastPaged = std::size_t{256} << 10;
/// Batches of a trace with many threads consist of thousands of short tables.
constexpr std::size_t kLeastSpilled = 512;

}  // namespace

// Huge pages are not asked for: where memory is fragmented, the kernel then stops to make some, and
// an import took up to twice as long.
void* allocate_block(std::size_t bytes) {
  if (is_spilling() && bytes >= kLeastSpilled) {
    void* const block = spill(bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  if (bytes < kLeastPaged) return ::operator new(bytes);
  void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  return block;
}

// Piece by piece: while pages are given back no other thread gets any, and a capture must not wait for gigabytes.
void free_block(void* block, std::size_t bytes) noexcept {
  if (is_spilled(block)) return free_spilled(block);
  if (bytes < kLeastPaged) return ::operator delete(block);
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  char* at = static_cast<char*>(block);
  for (; bytes > kPiece; bytes -= kPiece, at += kPiece) ::munmap(at, kPiece);
  ::munmap(at, bytes);
}

}  // namespace lacuna
