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

/// Bytes of a block, by their distance from its data(), that were written and never will be again.
struct SealedBytes {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where blocks lie that one thread goes on writing at their ends while others read what is there already: a nameless
/// file in memory. A block takes address space from the start, but memory only where something was written. What will
/// never be written again (GrowingBlock::seal) may be moved to nameless files on disk, one a block: it is then read
/// as before, at the same addresses, and the system takes its pages away as it needs memory.
/// Any thread; a block is written by one at a time.
class GrowingMemory : public std::enable_shared_from_this<GrowingMemory> {
 public:
  /// Null where the system has no such files.
  static std::shared_ptr<GrowingMemory> make();
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;

  /// The most blocks at a time: each block and each copy is one of the mappings that a process may have.
  static constexpr std::size_t kMostBlocks = 4096;
  /// What is moved begins and ends at multiples of this; a multiple of every page size.
  static constexpr std::size_t kMoveUnit = std::size_t{1} << 16;
  /// Zeros. Null when there are too many, or no address space is left. Its memory goes back with the last who holds it
  /// or a copy().
  std::shared_ptr<GrowingBlock> block(std::size_t bytes);
  std::size_t block_count() const;

  /// What of a recording is usually kept in memory of what is sealed; less where little is free.
  static constexpr std::uint64_t kUsuallyInMemory = std::uint64_t{192} << 20;
  struct Usage {
    std::uint64_t sealed_bytes = 0;  ///< sealed, and in memory
    std::uint64_t disk_bytes = 0;    ///< on disk
    std::string folder;              ///< where; empty: nothing was moved yet
    std::string failure;             ///< why nothing more goes to disk; empty: it does
  };
  Usage usage() const;
  /// Puts some sealed bytes on disk, of the block with the most, unless no more than `most_bytes` of them are in
  /// memory. Waits for the disk; returns whether anything was moved: then there may be more. What cannot be written
  /// stays in memory, as Usage::failure says. One thread at a time.
  bool move_sealed(std::uint64_t most_bytes);
  /// Takes what was read of the disk out of this process's memory again; it comes back as it is read. Costs the time of
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
  // Guarded by mutex_, as are the parts and copies of blocks:
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

  /// Each part by its begin, which stays; ends grow. Nothing happens in a copy.
  void seal(std::span<const SealedBytes> parts);
  /// The same bytes at another address, where what is written stays: costs memory for the pages that are written, and
  /// for no others. What is written to the original afterwards may show in the other pages, or not. `same` are those
  /// parts that stay as they are in both: in the copy what lies behind them may be written. Null when there is no
  /// address space left.
  std::shared_ptr<GrowingBlock> copy(std::span<const SealedBytes> same = {}) const;
  /// Some bytes of a block are about to be written.
  static void touch(void* begin, std::size_t bytes);

 private:
  friend class GrowingMemory;
  struct Part {
    SealedBytes sealed;
    std::size_t on_disk = 0;  // from movable_begin() up to there; 0: nothing

    // A unit may have bytes of two parts.
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
  const std::shared_ptr<const GrowingBlock> original_;  // null: this is one
  std::byte* const data_;
  const std::size_t bytes_;
  const std::uint64_t offset_;  // in the file
  // Of the original:
  std::vector<Part> parts_;
  mutable std::vector<const GrowingBlock*> copies_;
  Descriptor disk_file_;  // bytes lie where they lie in the block
  std::string disk_name_;
  // Of a copy:
  std::vector<SealedBytes> same_;
};

}  // namespace lacuna
