#include "model/base/page_memory.h"

#include <algorithm>
#include <array>
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

/// Never destroyed: tables may be freed after everything else.
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

// Huge pages are not asked for: where memory is fragmented, the kernel then stops to make some, and
// an import took up to twice as long.
void* allocate_block(std::size_t bytes) {
  if (is_spilling() && bytes >= kLeastSpilled) {
    void* const block = spill(bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  if (bytes < kLeastPaged) return ::operator new(bytes);
  void* const block = map_pages(bytes);
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
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  char* at = static_cast<char*>(block);
  const std::size_t kept = kept_pages().keep(at, whole_pages(bytes));
  at += kept;
  bytes = whole_pages(bytes) - kept;
  if (bytes == 0) return;
  for (; bytes > kPiece; bytes -= kPiece, at += kPiece) unmap_pages(at, kPiece);
  unmap_pages(at, bytes);
}

}  // namespace lacuna
