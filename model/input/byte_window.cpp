#include "model/input/byte_window.h"

#include <algorithm>
#include <cstring>

namespace lacuna {

std::string_view ByteWindow::at(std::uint64_t offset, std::size_t size) {
  const bool is_inside = offset >= begin_ && offset - begin_ <= size_;
  std::size_t skip = is_inside ? static_cast<std::size_t>(offset - begin_) : 0;
  if (!is_inside) {
    begin_ = offset;
    size_ = 0;
  }
  if (size_ - skip < size) {
    // Keep what is here from `offset` on at the front, and read the rest behind it.
    const std::size_t kept = size_ - skip;
    if (size > capacity_) {
      const std::size_t capacity = std::max(size, capacity_ * 2);
      auto buffer = std::make_unique_for_overwrite<char[]>(capacity + kPadding);
      if (kept > 0) std::memcpy(buffer.get(), buffer_.get() + skip, kept);
      buffer_ = std::move(buffer);
      capacity_ = capacity;
    } else if (skip > 0 && kept > 0) {
      std::memmove(buffer_.get(), buffer_.get() + skip, kept);
    }
    begin_ = offset;
    skip = 0;
    size_ = kept + source_.read_at(offset + kept, {buffer_.get() + kept, size - kept});
    std::memset(buffer_.get() + size_, 0, kPadding);
  }
  if (!buffer_) return {};
  return {buffer_.get() + skip, size_ - skip};
}

std::string_view ByteWindow::ahead(std::uint64_t offset, std::size_t least, std::size_t most) {
  const bool is_here = offset >= begin_ && offset - begin_ <= size_ && size_ - (offset - begin_) >= least;
  return at(offset, is_here ? least : most);
}

}  // namespace lacuna
