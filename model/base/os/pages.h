#pragma once
// Memory as the system gives it: whole pages. Sizes and offsets are multiples of page_size() unless said otherwise.
// Any thread.

#include <cstddef>
#include <cstdint>

namespace lacuna {

/// In bytes, a power of two.
std::size_t page_size();

/// Zeros, for reading and writing; memory is taken where something is written. Null: there is none.
void* map_pages(std::size_t bytes);
/// Zeros at an address of map_pages(), in place of what was there. False: part of it may be gone.
bool map_pages_at(void* at, std::size_t bytes);
/// Puts pages at an address of map_pages(), in place of what was there; `from` is gone afterwards. False: either may
/// be gone.
bool move_pages(void* from, std::size_t bytes, void* to);
void unmap_pages(void* at, std::size_t bytes);

/// How a part of a file is mapped: what is written goes into the file, or into pages of this mapping alone.
enum class FileMapping : std::uint8_t { kReadOnly, kShared, kOwnCopy };
/// Takes address space; memory or disk only where something is read or written. Null: there is none.
void* map_file(int descriptor, std::uint64_t offset, std::size_t bytes, FileMapping mapping);
/// The same, at an address of map_file(), in place of what was there: who reads meanwhile finds either.
bool map_file_at(void* at, int descriptor, std::uint64_t offset, std::size_t bytes, FileMapping mapping);

/// Makes pages exist before they are written, which costs a third of doing so one by one; `at` and `bytes` are of any
/// size, and pages that reach beyond them are made as well. False where the system cannot, which may be ignored.
bool make_pages(void* at, std::size_t bytes);
/// Takes what was read of a mapped file out of this process's memory; it comes back as it is read.
void drop_pages(void* at, std::size_t bytes);
/// Memory that may lie in pages of 2 MiB, a multiple of which it is: fresh memory is expensive to touch in small ones.
/// Null: there is none.
void* allocate_large_pages(std::size_t bytes);
void free_large_pages(void* at);
/// A crash does not write them to its dump.
void leave_out_of_dumps(void* at, std::size_t bytes);

}  // namespace lacuna
