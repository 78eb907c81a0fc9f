#include "model/base/os/pages.h"

#include <cerrno>
#include <mutex>

#include <malloc.h>

#include "model/base/os/windows/windows_calls.h"

namespace lacuna {
namespace {

struct MapRights {
  DWORD pages = PAGE_READONLY;
  DWORD view = FILE_MAP_READ;
};
MapRights map_rights_of(FileMapping mapping) {
  if (mapping == FileMapping::kReadOnly) return {PAGE_READONLY, FILE_MAP_READ};
  return mapping == FileMapping::kShared ? MapRights{PAGE_READWRITE, FILE_MAP_READ | FILE_MAP_WRITE}
                                         : MapRights{PAGE_WRITECOPY, FILE_MAP_COPY};
}

/// The system counts in smaller ones.
std::size_t rounded_to_pages(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

/// Gives back the address space of pages whose memory is gone, once all that was mapped with them is.
void release_if_empty(void* at) {
  MEMORY_BASIC_INFORMATION here{};
  if (::VirtualQuery(at, &here, sizeof here) == 0 || here.State == MEM_FREE) return;
  void* const begin = here.AllocationBase;
  for (char* next = static_cast<char*>(begin);; next = static_cast<char*>(here.BaseAddress) + here.RegionSize) {
    if (::VirtualQuery(next, &here, sizeof here) == 0 || here.AllocationBase != begin) break;
    if (here.State == MEM_COMMIT) return;
  }
  ::VirtualFree(begin, 0, MEM_RELEASE);
}

}  // namespace

std::size_t page_size() {
  static const std::size_t size = [] {
    SYSTEM_INFO info{};
    ::GetSystemInfo(&info);
    return static_cast<std::size_t>(info.dwAllocationGranularity);  // mappings begin at multiples of it
  }();
  return size;
}

void* map_pages(std::size_t bytes) {
  void* const at = ::VirtualAlloc(nullptr, rounded_to_pages(bytes), MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (at == nullptr) note_error();
  return at;
}
bool map_pages_at(void* at, std::size_t bytes) {
  return (::VirtualFree(at, bytes, MEM_DECOMMIT) && ::VirtualAlloc(at, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr) ||
         note_error();
}
bool can_move_pages() {
  return false;
}
bool move_pages([[maybe_unused]] void* from, [[maybe_unused]] std::size_t bytes, [[maybe_unused]] void* to) {
  errno = ENOSYS;
  return false;
}
void unmap_pages(void* at, std::size_t bytes) {
  static std::mutex one_at_a_time;  // else two threads find that nothing is left, and one frees what is new
  const std::scoped_lock lock(one_at_a_time);
  MEMORY_BASIC_INFORMATION here{};
  if (::VirtualQuery(at, &here, sizeof here) != 0 && here.Type == MEM_MAPPED) {
    ::UnmapViewOfFile(at);
    return;
  }
  ::VirtualFree(at, rounded_to_pages(bytes), MEM_DECOMMIT);
  release_if_empty(at);
}

void* map_file(int descriptor, std::uint64_t offset, std::size_t bytes, FileMapping mapping) {
  const MapRights rights = map_rights_of(mapping);
  const std::uint64_t end = rights.pages == PAGE_READWRITE ? offset + bytes : 0;  // only so can it grow
  const Handle file(::CreateFileMappingW(handle_of(descriptor), nullptr, rights.pages, static_cast<DWORD>(end >> 32),
                                         static_cast<DWORD>(end), nullptr));
  void* const at = file.is_open() ? ::MapViewOfFile(file.get(), rights.view, static_cast<DWORD>(offset >> 32),
                                                    static_cast<DWORD>(offset), bytes)
                                  : nullptr;
  if (at == nullptr) note_error();
  return at;
}
bool map_file_at([[maybe_unused]] void* at, [[maybe_unused]] int descriptor, [[maybe_unused]] std::uint64_t offset,
                 [[maybe_unused]] std::size_t bytes, [[maybe_unused]] FileMapping mapping) {
  errno = ENOSYS;
  return false;
}

bool make_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
  return false;
}
void drop_pages(void* at, std::size_t bytes) {
  ::VirtualUnlock(at, bytes);  // takes pages that are not locked out of the working set
}
void* allocate_large_pages(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  return ::_aligned_malloc(bytes, kLargePage);
}
void free_large_pages(void* at) {
  ::_aligned_free(at);
}
void leave_out_of_dumps([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {}

}  // namespace lacuna
