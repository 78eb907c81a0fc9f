#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/base/os/descriptor.h"

namespace lacuna {

class GrowingBlock;

/// A range of bytes of a block, by offset from its data(), that were written and will never change.
struct SealedBytes {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Blocks that one thread extends at their ends while others read the earlier part: all in an unlinked
/// file in memory. A block takes address space from the start, but memory only where it was written. Bytes that will
/// never change (GrowingBlock::seal) may be moved to unlinked files on disk, one for each block: reading them works
/// as before, at the same addresses, and the system evicts their pages when it needs memory.
/// Any thread; each block is written by one thread at a time.
class GrowingMemory : public std::enable_shared_from_this<GrowingMemory> {
 public:
  /// Null where the system has no files in memory.
  static std::shared_ptr<GrowingMemory> make();
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;

  /// The most blocks at a time: each block and each copy is one of the limited memory mappings of the process.
  static constexpr std::size_t kMostBlocks = 4096;
  /// Moved ranges begin and end at multiples of this, which is a multiple of every page size.
  static constexpr std::size_t kMoveUnit = std::size_t{1} << 16;
  /// Returns a block of zeros. Null when there are too many, or no address space is left. Its memory is freed with the
  /// last reference to it or to a copy().
  std::shared_ptr<GrowingBlock> block(std::size_t bytes);
  std::size_t block_count() const;

  /// How much sealed data a recording usually keeps in memory; less where little memory is free.
  static constexpr std::uint64_t kUsuallyInMemory = std::uint64_t{192} << 20;
  struct Usage {
    std::uint64_t sealed_bytes = 0;  ///< sealed bytes still in memory
    std::uint64_t disk_bytes = 0;    ///< on disk
    std::string folder;              ///< folder on that disk; empty: nothing was moved yet
    std::string failure;             ///< why moving to disk has stopped; empty: it has not
  };
  Usage usage() const;
  /// Moves some sealed bytes to disk, from the block with the most, unless no more than `most_bytes` of them are in
  /// memory. Waits for the disk; returns whether anything was moved: then there may be more to move. If writing fails,
  /// the bytes stay in memory, see Usage::failure. One thread at a time.
  bool move_sealed(std::uint64_t most_bytes);
  /// Drops pages read from disk from this process's memory; they are read again on access. Takes the time of
  /// a walk over the pages.
  void drop_read() const;

 private:
  friend class GrowingBlock;
  explicit GrowingMemory(Descriptor file) : file_(std::move(file)) {}
  struct Move;
  std::vector<Move> next_moves(std::uint64_t most_bytes) const;
  bool finish_move(const Move& move);
  void fail_moving(std::string why);

  const Descriptor file_;
  mutable std::mutex mutex_;
  // Guarded by mutex_, like the parts and copies of blocks:
  std::uint64_t end_ = 0;
  std::vector<GrowingBlock*> blocks_;
  Usage usage_;
};

class GrowingBlock : public std::enable_shared_from_this<GrowingBlock> {
 public:
  ~GrowingBlock();
  GrowingBlock(const GrowingBlock&) = delete;
  GrowingBlock& operator=(const GrowingBlock&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

  /// Seals ranges, each identified by its begin; their ends may grow. Does nothing in a copy.
  void seal(std::span<const SealedBytes> parts);
  /// Returns a copy-on-write copy at another address: it costs memory only for the pages that are written in it.
  /// Later writes to the original may or may not show in the other pages. `same` are the
  /// parts that stay unchanged in both: in the copy, the bytes behind them may be written. Null when no
  /// address space is left.
  std::shared_ptr<GrowingBlock> copy(std::span<const SealedBytes> same = {}) const;
  /// Call before bytes of a block are written.
  static void touch(void* begin, std::size_t bytes);

 private:
  friend class GrowingMemory;
  struct Part {
    SealedBytes sealed;
    std::size_t on_disk = 0;  // bytes from movable_begin() up to here are on disk; 0: none

    // A unit may hold bytes of two parts.
    std::size_t movable_begin() const {
      return (sealed.begin + GrowingMemory::kMoveUnit - 1) / GrowingMemory::kMoveUnit * GrowingMemory::kMoveUnit;
    }
    std::size_t next() const { return on_disk == 0 ? movable_begin() : on_disk; }
    std::size_t movable_end() const {
      const std::size_t end = sealed.end / GrowingMemory::kMoveUnit * GrowingMemory::kMoveUnit;
      return end > next() ? end : next();
    }
    std::uint64_t moved() const { return next() - movable_begin(); }
    std::uint64_t in_memory() const { return sealed.end - sealed.begin - moved(); }
  };
  GrowingBlock(std::shared_ptr<GrowingMemory> memory, std::shared_ptr<const GrowingBlock> original, std::byte* data,
               std::size_t bytes, std::uint64_t offset)
      : memory_(std::move(memory)), original_(std::move(original)), data_(data), bytes_(bytes), offset_(offset) {}
  void note_disk(const GrowingBlock& original) const;
  std::size_t same_until(std::size_t part) const;
  std::size_t movable_below(std::size_t part, std::size_t begin, std::size_t end) const;
  bool map_from_disk(const GrowingBlock& original, std::size_t begin, std::size_t end) const;

  const std::shared_ptr<GrowingMemory> memory_;
  const std::shared_ptr<const GrowingBlock> original_;  // null: this is an original
  std::byte* const data_;
  const std::size_t bytes_;
  const std::uint64_t offset_;  // in the in-memory file
  // For originals:
  std::vector<Part> parts_;
  mutable std::vector<const GrowingBlock*> copies_;
  Descriptor disk_file_;  // same offsets as in the block
  std::string disk_name_;
  // For copies:
  std::vector<SealedBytes> same_;
};

}  // namespace lacuna
