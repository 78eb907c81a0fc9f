#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/base/page_memory.h"

namespace lacuna {

/// The bytes that one read may still allocate: each of its tables asks before it grows, so that a hostile file ends
/// with a message. Any thread.
class MemoryRoom {
 public:
  /// Thrown when nothing is left; caught where the read began, never outside model/memory.
  struct Exhausted {
    std::string cause;
    explicit Exhausted(std::string why) : cause(std::move(why)) {}
  };

  explicit MemoryRoom(std::uint64_t limit) : limit_(limit) {}
  void take(std::uint64_t bytes) {
    std::uint64_t before = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ - before) throw Exhausted("it needs more memory than a file of its size may");
    } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  }
  /// Returns bytes to the room.
  void give_back(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t limit() const { return limit_; }

 private:
  std::uint64_t limit_;
  std::atomic<std::uint64_t> used_ = 0;
};

/// A vector in blocks of 2^kShift elements that never move: growing copies nothing, and allocates at most one block
/// more than needed. T must be trivial.
template <class T, unsigned kShift = 14>
class ChunkedVector {
 public:
  static constexpr std::size_t kChunk = std::size_t{1} << kShift;

  /// `room`, if any, is charged for the blocks and must outlive the vector.
  explicit ChunkedVector(MemoryRoom* room = nullptr) : room_(room) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  const T& operator[](std::size_t i) const { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  T& back() { return (*this)[size_ - 1]; }

  void push_back(const T& value) {
    if (size_ == chunks_.size() << kShift) add_chunk();
    (*this)[size_++] = value;
  }
  /// Appends up to `count` elements of `from` that fit into one block; returns how many.
  std::size_t append_some(const T* from, std::size_t count) {
    if (size_ == chunks_.size() << kShift) add_chunk();
    const std::size_t at = size_ & (kChunk - 1);
    const std::size_t some = std::min(count, kChunk - at);
    std::copy_n(from, some, chunks_.back().data() + at);
    size_ += some;
    return some;
  }
  /// Returns the elements as a span if they lie in one block; else an empty one.
  std::span<const T> together(std::size_t first, std::size_t count) const {
    if ((first >> kShift) != ((first + count - 1) >> kShift)) return {};
    return {&(*this)[first], count};
  }
  /// Drops elements at the end; keeps one spare block for the next ones.
  void shrink(std::size_t size) {
    size_ = std::min(size, size_);
    while (chunks_.size() > (size_ >> kShift) + 1) drop_chunk();
  }
  /// Frees all chunks.
  void clear() {
    size_ = 0;
    while (!chunks_.empty()) drop_chunk();
  }
  /// Elements added from now on are not charged.
  void leave_room() { room_ = nullptr; }
  std::size_t memory_bytes() const { return chunks_.size() * kChunk * sizeof(T); }

 private:
  using Chunk = RawVector<T>;

  void add_chunk() {
    if (room_ != nullptr) room_->take(kChunk * sizeof(T));
    chunks_.emplace_back(kChunk);
  }
  void drop_chunk() {
    chunks_.pop_back();
    if (room_ != nullptr) room_->give_back(kChunk * sizeof(T));
  }

  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
  MemoryRoom* room_;
};

}  // namespace lacuna
