#pragma once
// Memory of the system in whole pages. Sizes and offsets are multiples of page_size() unless said otherwise.
// Any thread.

#include <cstddef>
#include <cstdint>

namespace lacuna {

/// The page size in bytes, a power of two; on Windows what mappings are multiples of.
std::size_t page_size();

/// Maps zeroed pages for reading and writing; memory is taken on the first write, though Windows promises it at once.
/// Null: out of memory.
void* map_pages(std::size_t bytes);
/// Maps zeroed pages within an existing mapping, replacing its pages. False: part of it may be unmapped.
bool map_pages_at(void* at, std::size_t bytes);
/// Whether move_pages() can: not on Windows.
bool can_move_pages();
/// Moves pages to an address within a mapping, replacing its pages; `from` is unmapped afterwards. False: either may
/// be unmapped.
bool move_pages(void* from, std::size_t bytes, void* to);
/// Part of what map_pages() mapped, or a whole mapping of a file.
void unmap_pages(void* at, std::size_t bytes);

/// How a part of a file is mapped: writes go to the file, or to private pages of this mapping.
enum class FileMapping : std::uint8_t { kReadOnly, kShared, kOwnCopy };
/// Maps part of a file: takes address space, but memory or disk only on access. Null: out of address space.
void* map_file(int descriptor, std::uint64_t offset, std::size_t bytes, FileMapping mapping);
/// Like map_file(), but replaces pages of a mapping; concurrent readers see the old or the new pages. Windows cannot:
/// false.
bool map_file_at(void* at, int descriptor, std::uint64_t offset, std::size_t bytes, FileMapping mapping);

/// Populates pages before they are written, at a third of the cost of a fault each; `at` and `bytes` need no
/// alignment, partly covered pages are populated as well. False where the system cannot, which may be ignored.
bool make_pages(void* at, std::size_t bytes);
/// Drops the pages of a mapped file from this process's memory; they are read again on access.
void drop_pages(void* at, std::size_t bytes);
/// Allocates memory for pages of 2 MiB, a multiple of that size: touching fresh memory in small pages is expensive.
/// Null: out of memory.
void* allocate_large_pages(std::size_t bytes);
void free_large_pages(void* at);
/// Excludes the pages from core dumps.
void leave_out_of_dumps(void* at, std::size_t bytes);

}  // namespace lacuna
