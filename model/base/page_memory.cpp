#include "model/base/page_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

#include <sys/mman.h>

#include "model/base/spill_space.h"

namespace lacuna {
namespace {

constexpr std::size_t kLeastPaged = std::size_t{64} << 10;
/// Batches of a trace with many threads consist of thousands of short tables.
constexpr std::size_t kLeastSpilled = 512;
/// Larger blocks are never kept.
constexpr std::size_t kMostReused = std::size_t{8} << 20;
/// Sizes of kept blocks: each power of two and three between it and the next.
constexpr std::size_t kSizesAnOctave = 4;
constexpr std::size_t kSizes = 64 * kSizesAnOctave;

/// The least size of a kept block that holds `bytes`, and its index.
struct ReusedSize {
  std::size_t bytes = 0;
  std::size_t index = 0;
};
ReusedSize reused_size(std::size_t bytes) {
  const std::size_t octave = std::bit_floor(bytes);
  const std::size_t step = octave / kSizesAnOctave;
  const std::size_t steps = (bytes - octave + step - 1) / step;
  return {octave + steps * step, static_cast<std::size_t>(std::bit_width(octave)) * kSizesAnOctave + steps};
}

/// What a block of that size takes from the system.
std::size_t mapped_size(std::size_t bytes) {
  return bytes <= kMostReused ? reused_size(bytes).bytes : bytes;
}

/// The blocks that BlockReuse keeps.
class KeptBlocks {
 public:
  void* take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    std::vector<void*>& of_size = blocks_[reused_size(bytes).index];
    if (of_size.empty()) return nullptr;
    void* const block = of_size.back();
    of_size.pop_back();
    kept_ -= mapped_size(bytes);
    return block;
  }
  /// False: it is to be given back.
  bool keep(void* block, std::size_t bytes) noexcept {
    const std::size_t size = mapped_size(bytes);
    const std::scoped_lock lock(mutex_);
    std::vector<void*>& of_size = blocks_[reused_size(bytes).index];
    if (users_ == 0 || kept_ + size > BlockReuse::kMostKept || of_size.size() == of_size.capacity()) return false;
    of_size.push_back(block);
    kept_ += size;
    return true;
  }
  void begin() {
    const std::scoped_lock lock(mutex_);
    for (std::size_t size = kLeastPaged; size <= kMostReused; size = reused_size(size + 1).bytes)
      blocks_[reused_size(size).index].reserve(std::min<std::size_t>(BlockReuse::kMostKept / size, 64));
    ++users_;
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    if (--users_ > 0) return;
    for (std::size_t size = kLeastPaged; size <= kMostReused; size = reused_size(size + 1).bytes) {
      for (void* const block : blocks_[reused_size(size).index]) ::munmap(block, size);
      blocks_[reused_size(size).index].clear();
    }
    kept_ = 0;
  }
  std::size_t kept() {
    const std::scoped_lock lock(mutex_);
    return kept_;
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<void*>, kSizes> blocks_;
  std::size_t kept_ = 0;
  int users_ = 0;
};

/// Never destroyed: tables may be freed after everything else.
KeptBlocks& kept_blocks() {
  static auto* const blocks = new KeptBlocks;
  return *blocks;
}

}  // namespace

BlockReuse::BlockReuse() {
  kept_blocks().begin();
}
BlockReuse::~BlockReuse() {
  kept_blocks().end();
}
std::size_t BlockReuse::kept_bytes() {
  return kept_blocks().kept();
}

// Huge pages are not asked for: where memory is fragmented, the kernel then stops to make some, and
// an import took up to twice as long.
void* allocate_block(std::size_t bytes) {
  if (is_spilling() && bytes >= kLeastSpilled) {
    void* const block = spill(bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  if (bytes < kLeastPaged) return ::operator new(bytes);
  if (bytes <= kMostReused)
    if (void* const kept = kept_blocks().take(bytes)) return kept;
  void* block = ::mmap(nullptr, mapped_size(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  return block;
}

// Piece by piece: while pages are given back no other thread gets any, and a capture must not wait for gigabytes.
void free_block(void* block, std::size_t bytes) noexcept {
  if (is_spilled(block)) return free_spilled(block);
  if (bytes < kLeastPaged) return ::operator delete(block);
  if (bytes <= kMostReused && kept_blocks().keep(block, bytes)) return;
  bytes = mapped_size(bytes);
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  char* at = static_cast<char*>(block);
  for (; bytes > kPiece; bytes -= kPiece, at += kPiece) ::munmap(at, kPiece);
  ::munmap(at, bytes);
}

}  // namespace lacuna
