#include "model/base/os/pages.h"

#include <cstdlib>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lacuna {
namespace {

struct MapFlags {
  int protection = PROT_READ;
  int flags = MAP_SHARED;
};
MapFlags flags_of(FileMapping mapping) {
  if (mapping == FileMapping::kReadOnly) return {PROT_READ, MAP_SHARED | MAP_NORESERVE};
  return {PROT_READ | PROT_WRITE, MAP_NORESERVE | (mapping == FileMapping::kOwnCopy ? MAP_PRIVATE : MAP_SHARED)};
}

void* null_if_failed(void* mapped) {
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

void* map_pages(std::size_t bytes) {
  return null_if_failed(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
bool map_pages_at(void* at, std::size_t bytes) {
  return ::mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}
bool can_move_pages() {
  return true;
}
bool move_pages(void* from, std::size_t bytes, void* to) {
  return ::mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}
void unmap_pages(void* at, std::size_t bytes) {
  ::munmap(at, bytes);
}

void* map_file(int descriptor, std::uint64_t offset, std::size_t bytes, FileMapping mapping) {
  const auto [protection, flags] = flags_of(mapping);
  return null_if_failed(::mmap(nullptr, bytes, protection, flags, descriptor, static_cast<off_t>(offset)));
}
bool map_file_at(void* at, int descriptor, std::uint64_t offset, std::size_t bytes, FileMapping mapping) {
  const auto [protection, flags] = flags_of(mapping);
#if defined(__SANITIZE_THREAD__)  // which would take it for a write: whoever reads meanwhile finds the same bytes
  return ::syscall(SYS_mmap, at, bytes, protection, flags | MAP_FIXED, descriptor, static_cast<off_t>(offset)) != -1;
#else
  return ::mmap(at, bytes, protection, flags | MAP_FIXED, descriptor, static_cast<off_t>(offset)) != MAP_FAILED;
#endif
}

bool make_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  const auto begin = reinterpret_cast<std::uintptr_t>(at) / page_size() * page_size();
  const std::uintptr_t end =
      (reinterpret_cast<std::uintptr_t>(at) + bytes + page_size() - 1) / page_size() * page_size();
  return ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE) == 0;
#else
  return false;
#endif
}
void drop_pages(void* at, std::size_t bytes) {
  (void)::madvise(at, bytes, MADV_DONTNEED);
}
void* allocate_large_pages(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  void* const at = std::aligned_alloc(kLargePage, bytes);
#if defined(MADV_HUGEPAGE)
  if (at != nullptr) (void)::madvise(at, bytes, MADV_HUGEPAGE);
#endif
  return at;
}
void free_large_pages(void* at) {
  std::free(at);
}
void leave_out_of_dumps([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_DONTDUMP)
  (void)::madvise(at, bytes, MADV_DONTDUMP);
#endif
}

}  // namespace lacuna
