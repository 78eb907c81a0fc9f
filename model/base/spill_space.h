#pragma once
// Where large tables lie once memory does not suffice for them: in a file without a name in the user's cache, mapped,
// so that the system writes their pages out and takes them away as it needs memory, whatever limit the process has.
// Tables are used as if they lay in memory. Room on disk is reserved before it is used: a full disk is an error where a
// table is made, never a signal where it is written. The file goes with the process, however that ends.
//
// Any thread may call anything here.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// From now on page_memory.h's tables, and in the program all large blocks, are made on disk; those that there are stay
/// where they are. Stays so until the process ends. The folder is $XDG_CACHE_HOME/lacuna. Nothing happens when it was
/// called before. Errors: kLimit where that folder lies in memory itself, or where the address space is limited
/// (`ulimit -v`), of which what lies on disk takes as much; kNotWritable.
Result<void> start_spilling();

/// A new file without a name in that folder, for others that put tables there. `folder` is set to where it lies.
/// Errors: kNotWritable, and kLimit where the folder lies in memory itself.
Result<Descriptor> open_spill_file(std::string& folder);

/// Room on the disk of that folder, also before start_spilling().
std::uint64_t free_to_spill();

struct SpillUsage {
  std::uint64_t bytes = 0;       ///< on disk now, or as good as
  std::uint64_t peak_bytes = 0;  ///< the most that it ever was
  bool is_full = false;          ///< spill() was refused room once
  std::string folder;
};
SpillUsage spill_usage();

/// Zeros, or what an earlier block left; aligned for any plain type. Null: the disk is full. Only after
/// start_spilling().
void* spill(std::size_t bytes) noexcept;
/// `block` is_spilled().
void free_spilled(void* block) noexcept;

namespace spill_detail {
extern std::atomic<bool> is_on;
extern std::atomic<std::uintptr_t> begin;  // of the mapping; 0: none
extern std::atomic<std::uintptr_t> size;
}  // namespace spill_detail

inline bool is_spilling() noexcept {
  return spill_detail::is_on.load(std::memory_order_acquire);
}
/// Whether `block` came from spill(). Costs a comparison: for who frees blocks of either kind.
inline bool is_spilled(const void* block) noexcept {
  const std::uintptr_t size = spill_detail::size.load(std::memory_order_acquire);  // stored behind the other
  return reinterpret_cast<std::uintptr_t>(block) - spill_detail::begin.load(std::memory_order_relaxed) < size;
}

}  // namespace lacuna
