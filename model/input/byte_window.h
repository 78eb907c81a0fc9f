#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "model/base/byte_source.h"

namespace lacuna {

/// A sliding, reused buffer over a ByteSource: the part of the file that a reader works on.
/// Bytes that are already loaded are not read again when the window moves forward. Behind the bytes lie
/// kPadding readable ones, so that vector code may overrun. One thread.
class ByteWindow {
 public:
  static constexpr std::size_t kPadding = 64;

  explicit ByteWindow(const ByteSource& source) : source_(source) {}

  /// Returns the bytes from `offset` on: at least `size`, fewer only at the end of the data. Valid until
  /// the next call. Writable through data(), for sentinels that the caller removes again.
  std::string_view at(std::uint64_t offset, std::size_t size);
  /// Like at(), at least `least` bytes; where these are not loaded yet, reads `most` at once, so that small steps
  /// forward cost nothing.
  std::string_view ahead(std::uint64_t offset, std::size_t least, std::size_t most);
  char* data(std::uint64_t offset) { return buffer_.get() + (offset - begin_); }

 private:
  const ByteSource& source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::uint64_t begin_ = 0;  // file offset of buffer_[0]
  std::size_t size_ = 0;
};

}  // namespace lacuna
