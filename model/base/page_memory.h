#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace lacuna {

/// Allocates memory for large tables. Large blocks come from the system, in whole pages, and are returned to it
/// when freed, where malloc would keep them: an import holds little more than its live data. Smaller blocks use malloc.
/// When memory is short (spill_space.h), all but the smallest blocks are on disk. Throws std::bad_alloc. Any thread.
void* allocate_block(std::size_t bytes);
/// `bytes`: the size passed to allocate_block().
void free_block(void* block, std::size_t bytes) noexcept;

/// Populates the pages of a block that will be written entirely: a page fault each costs a quarter more.
void touch_block(void* block, std::size_t bytes);

/// While an instance exists, the pages of freed blocks are reused for new blocks of any size, up to `most_bytes`: code
/// that builds large tables from large tables, such as an import, or makes and frees the same ones again and again,
/// such as a recording under way, saves fresh pages. The system moves a touched page in 0.03 us; freeing one, finding
/// another and clearing it takes 1.9 us. With several instances the largest limit counts; the excess is freed when one
/// is destroyed. Any thread.
class PageReuse {
 public:
  explicit PageReuse(std::size_t most_bytes);
  ~PageReuse();
  PageReuse(const PageReuse&) = delete;
  PageReuse& operator=(const PageReuse&) = delete;

  /// The bytes that are kept now.
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

/// A vector whose memory, once large, is not from malloc. Reserve before filling it.
template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

/// Like PageVector, but resize() leaves new elements of plain types uninitialised: for tables that several
/// threads then fill in parts, so that each thread pays for the first touch of its own pages.
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
