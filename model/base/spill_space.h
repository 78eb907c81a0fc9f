#pragma once
// Disk space for large tables when memory runs short: an unlinked, mapped file in the user's cache, so
// that the system writes pages out and evicts them as it needs memory, whatever limit the process has.
// Tables are used as if in memory. Disk space is reserved before use: a full disk is an error when a
// table is allocated, never a signal when it is written. The file is deleted with the process, however that ends.
//
// Any thread may call anything here.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// From now on the tables of page_memory.h, and all large blocks of the program, are allocated on disk; existing ones
/// stay where they are. Cannot be undone. The folder is $XDG_CACHE_HOME/lacuna. Does nothing when called
/// again. Errors: kLimit when that folder is in memory itself, or when the address space is limited
/// (`ulimit -v`), of which spilled data take as much; kNotWritable.
Result<void> start_spilling();

/// Creates an unlinked file in that folder, for other tables. `folder` receives the folder's path.
/// Errors: kNotWritable, and kLimit when the folder is in memory itself.
Result<Descriptor> open_spill_file(std::string& folder);

/// Free space on the disk of that folder, also before start_spilling().
std::uint64_t free_to_spill();

struct SpillUsage {
  std::uint64_t bytes = 0;       ///< on disk now, or reserved
  std::uint64_t peak_bytes = 0;  ///< the largest value of `bytes` so far
  bool is_full = false;          ///< spill() was refused space at least once
  std::string folder;
};
SpillUsage spill_usage();

/// Allocates a block on disk: zeros, or contents of an earlier block; aligned for any plain type. Null: disk full.
/// Call start_spilling() first.
void* spill(std::size_t bytes) noexcept;
/// `block` must satisfy is_spilled().
void free_spilled(void* block) noexcept;

namespace spill_detail {
extern std::atomic<bool> is_on;
extern std::atomic<std::uintptr_t> begin;  // address of the mapping; 0: none
extern std::atomic<std::uintptr_t> size;
}  // namespace spill_detail

inline bool is_spilling() noexcept {
  return spill_detail::is_on.load(std::memory_order_acquire);
}
/// Whether `block` came from spill(). Costs a comparison: for code that frees both kinds of blocks.
inline bool is_spilled(const void* block) noexcept {
  const std::uintptr_t size = spill_detail::size.load(std::memory_order_acquire);  // stored after `begin`
  return reinterpret_cast<std::uintptr_t>(block) - spill_detail::begin.load(std::memory_order_relaxed) < size;
}

}  // namespace lacuna
