#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace lacuna {

class GrowingBlock;

/// Where blocks lie that one thread goes on writing at their ends while others read what is there already: a nameless
/// file in memory. A block takes address space from the start, but memory only where something was written.
/// Any thread; a block is written by one at a time.
class GrowingMemory : public std::enable_shared_from_this<GrowingMemory> {
 public:
  /// Null where the system has no such files.
  static std::shared_ptr<GrowingMemory> make();
  ~GrowingMemory();
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;

  /// At most so many blocks at a time: each, and each copy, is one of the mappings that a process may have.
  static constexpr std::size_t kMostBlocks = 4096;
  /// Zeros. Null when there are too many, or no address space is left. Its memory goes back with the last who holds it
  /// or a copy().
  std::shared_ptr<GrowingBlock> block(std::size_t bytes);

 private:
  friend class GrowingBlock;
  explicit GrowingMemory(int file) : file_(file) {}
  const int file_;
  std::mutex mutex_;
  // Guarded by mutex_:
  std::uint64_t end_ = 0;
  std::size_t blocks_ = 0;
};

class GrowingBlock : public std::enable_shared_from_this<GrowingBlock> {
 public:
  ~GrowingBlock();
  GrowingBlock(const GrowingBlock&) = delete;
  GrowingBlock& operator=(const GrowingBlock&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  /// The same bytes at another address, where what is written stays: costs memory for the pages that are written, and
  /// for no others. What is written to the original afterwards may show in the other pages, or not. Null when there is
  /// no address space left.
  std::shared_ptr<GrowingBlock> copy() const;
  /// Some bytes of a block are about to be written.
  static void touch(void* begin, std::size_t bytes);

 private:
  friend class GrowingMemory;
  GrowingBlock(std::shared_ptr<GrowingMemory> memory, std::shared_ptr<const GrowingBlock> original, std::byte* data,
               std::size_t bytes, std::uint64_t offset)
      : memory_(std::move(memory)), original_(std::move(original)), data_(data), bytes_(bytes), offset_(offset) {}

  const std::shared_ptr<GrowingMemory> memory_;
  const std::shared_ptr<const GrowingBlock> original_;  // null: this is one
  std::byte* const data_;
  const std::size_t bytes_;
  const std::uint64_t offset_;  // in the file
};

}  // namespace lacuna
