#include "model/page_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace lacuna {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLeastHuge = 2 * kHugePage;  // below, aligning costs more than it gives

std::size_t rounded(std::size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

char* map(std::size_t bytes) {
  void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(block);
}

}  // namespace

void* allocate_pages(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  const std::size_t size = rounded(bytes);
  if (size < kLeastHuge) return map(size);
  // Maps a huge page too much and gives back what lies outside the aligned block.
  char* const wide = map(size + kHugePage);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(wide) % kHugePage) % kHugePage;
  char* const block = wide + before;
  if (before != 0) ::munmap(wide, before);
  if (before != kHugePage) ::munmap(block + size, kHugePage - before);
  ::madvise(block, size, MADV_HUGEPAGE);  // only advice: failure does not matter
  return block;
}

void free_pages(void* block, std::size_t bytes) noexcept { ::munmap(block, rounded(bytes)); }

}  // namespace lacuna
