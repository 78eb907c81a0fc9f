#include "model/base/page_memory.h"

#include <new>

#include <sys/mman.h>

namespace lacuna {

// Huge pages are not asked for: where memory is fragmented, the kernel then stops to make some, and
// an import took up to twice as long.
void* allocate_pages(std::size_t bytes) {
  void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  return block;
}

// Piece by piece: while pages are given back no other thread gets any, and a capture must not wait for gigabytes.
void free_pages(void* block, std::size_t bytes) noexcept {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  char* at = static_cast<char*>(block);
  for (; bytes > kPiece; bytes -= kPiece, at += kPiece) ::munmap(at, kPiece);
  ::munmap(at, bytes);
}

}  // namespace lacuna
