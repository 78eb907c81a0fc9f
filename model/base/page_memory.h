#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace lacuna {

/// Memory for large tables. From a size on it comes straight from the system, in whole pages: what is freed goes back
/// at once, where malloc would keep it, and an import holds little more than what lives. Smaller blocks are malloc's.
/// While memory does not suffice (spill_space.h), all but the smallest lie on disk. Throws std::bad_alloc. Any thread.
void* allocate_block(std::size_t bytes);
/// `bytes` as they were asked for.
void free_block(void* block, std::size_t bytes) noexcept;

/// Has the system give the pages of a block, all of which will be written at once: a fault each costs a quarter more.
void touch_block(void* block, std::size_t bytes);

/// While one lives, freed blocks of middle size are kept for the next ones, kMostKept bytes of them at most: what makes
/// and frees the same tables again and again, such as a recording under way, does not pay for a fault of each page
/// each time. The last one to go gives them back. Any thread.
class BlockReuse {
 public:
  static constexpr std::size_t kMostKept = std::size_t{32} << 20;

  BlockReuse();
  ~BlockReuse();
  BlockReuse(const BlockReuse&) = delete;
  BlockReuse& operator=(const BlockReuse&) = delete;

  /// What is kept now, in bytes.
  static std::size_t kept_bytes();
};

/// While one lives, freed blocks leave their pages to new ones of whatever size, `most_bytes` of them at most: what
/// makes large tables of large tables, such as an import, does not pay for fresh pages each time. The system moves a
/// page that was touched before in 0.03 us; to take it back, find another and clear it takes 1.9 us. Where several
/// live, the largest number counts; what is kept beyond it goes back when one dies. Any thread.
class PageReuse {
 public:
  explicit PageReuse(std::size_t most_bytes);
  ~PageReuse();
  PageReuse(const PageReuse&) = delete;
  PageReuse& operator=(const PageReuse&) = delete;

  /// What is kept now, in bytes.
  static std::size_t kept_bytes();

 private:
  const std::size_t most_bytes_;
};

/// Allocator for large tables.
template <class T>
class PageAllocator {
 public:
  using value_type = T;

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_block(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t count) noexcept { free_block(block, count * sizeof(T)); }
  bool operator==(const PageAllocator&) const = default;
};

/// A vector whose memory, once large, does not pass through malloc. Reserve before filling it.
template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

/// The same, but resize() leaves new elements of plain types as they are: for tables that several
/// threads then fill, each its part, so that each also pays for the first touch of its pages.
template <class T>
class RawAllocator : public PageAllocator<T> {
 public:
  RawAllocator() = default;
  template <class U>
  RawAllocator(const RawAllocator<U>&) noexcept {}
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

/// Uninitialised memory as above, for tables whose size is known from the start. Freed with the object;
/// empty when moved from.
class PageBlock {
 public:
  PageBlock() = default;
  explicit PageBlock(std::size_t bytes) : block_(Allocator().allocate(bytes)), bytes_(bytes) {}
  PageBlock(PageBlock&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PageBlock& operator=(PageBlock&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PageBlock() {
    if (block_ != nullptr) Allocator().deallocate(block_, bytes_);
  }

  std::byte* data() const { return block_; }
  std::size_t size() const { return bytes_; }

 private:
  using Allocator = PageAllocator<std::byte>;
  std::byte* block_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace lacuna
