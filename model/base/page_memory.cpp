#include "model/base/page_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

#include "model/base/os/pages.h"
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
      for (void* const block : blocks_[reused_size(size).index]) unmap_pages(block, size);
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

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

/// The pages that PageReuse keeps.
class KeptPages {
 public:
  /// Puts kept pages where `block` has none yet, as far as they reach. False: part of it is gone.
  bool lay_under(char* block, std::size_t bytes) {
    for (char* const end = block + bytes; block < end;) {
      const Piece piece = take(static_cast<std::size_t>(end - block));
      if (piece.bytes == 0) return true;
      if (!move_pages(piece.at, piece.bytes, block)) {
        // What was there may be gone already.
        unmap_pages(piece.at, piece.bytes);
        return map_pages_at(block, piece.bytes);
      }
      block += piece.bytes;
    }
    return true;
  }
  /// Takes the first pages of a block over, as many as there is room for; says how many bytes.
  std::size_t keep(char* block, std::size_t bytes) noexcept {
    const std::scoped_lock lock(mutex_);
    if (count_ == pieces_.size() || !can_move_pages()) return 0;
    bytes = std::min(bytes, most_ - std::min(most_, kept_));
    if (bytes < kLeastPaged) return 0;
    pieces_[count_++] = {block, bytes};
    kept_ += bytes;
    return bytes;
  }
  void begin(std::size_t most) {
    const std::scoped_lock lock(mutex_);
    limits_.push_back(whole_pages(most));
    most_ = std::ranges::max(limits_);
  }
  void end(std::size_t most) {
    const std::scoped_lock lock(mutex_);
    limits_.erase(std::ranges::find(limits_, whole_pages(most)));
    most_ = limits_.empty() ? 0 : std::ranges::max(limits_);
    for (; kept_ > most_; --count_) {
      unmap_pages(pieces_[count_ - 1].at, pieces_[count_ - 1].bytes);
      kept_ -= pieces_[count_ - 1].bytes;
    }
  }
  std::size_t kept() {
    const std::scoped_lock lock(mutex_);
    return kept_;
  }

 private:
  struct Piece {
    char* at = nullptr;
    std::size_t bytes = 0;
  };
  Piece take(std::size_t most) {
    const std::scoped_lock lock(mutex_);
    if (count_ == 0) return {};
    Piece& last = pieces_[count_ - 1];
    const Piece taken{last.at, std::min(most, last.bytes)};
    last.at += taken.bytes;
    last.bytes -= taken.bytes;
    if (last.bytes == 0) --count_;
    kept_ -= taken.bytes;
    return taken;
  }

  std::mutex mutex_;
  std::array<Piece, 4096> pieces_;  // the first count_ of them: those kept last are taken first, caches know them
  std::size_t count_ = 0;
  std::size_t kept_ = 0;
  std::size_t most_ = 0;
  std::vector<std::size_t> limits_;  // one for each PageReuse
};

/// Never destroyed, as above.
KeptPages& kept_pages() {
  static auto* const pages = new KeptPages;
  return *pages;
}

}  // namespace

PageReuse::PageReuse(std::size_t most_bytes) : most_bytes_(most_bytes) {
  kept_pages().begin(most_bytes);
}
PageReuse::~PageReuse() {
  kept_pages().end(most_bytes_);
}
std::size_t PageReuse::kept_bytes() {
  return kept_pages().kept();
}

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
  void* const block = map_pages(mapped_size(bytes));
  if (block == nullptr) throw std::bad_alloc();
  if (!kept_pages().lay_under(static_cast<char*>(block), whole_pages(bytes))) throw std::bad_alloc();
  return block;
}

void touch_block(void* block, std::size_t bytes) {
  if (bytes >= kLeastPaged && !is_spilled(block)) (void)make_pages(block, bytes);
}

// Piece by piece: while pages are given back no other thread gets any, and a capture must not wait for gigabytes.
void free_block(void* block, std::size_t bytes) noexcept {
  if (is_spilled(block)) return free_spilled(block);
  if (bytes < kLeastPaged) return ::operator delete(block);
  if (bytes <= kMostReused && kept_blocks().keep(block, bytes)) return;
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  char* at = static_cast<char*>(block);
  const std::size_t kept = kept_pages().keep(at, whole_pages(bytes));
  at += kept;
  bytes = whole_pages(mapped_size(bytes)) - kept;
  if (bytes == 0) return;
  for (; bytes > kPiece; bytes -= kPiece, at += kPiece) unmap_pages(at, kPiece);
  unmap_pages(at, bytes);
}

}  // namespace lacuna
