#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/base/byte_source.h"

namespace lacuna {

/// A window on the bytes of a pickle. An opcode and its number can always be read; bytes past the end are zeros.
class PickleInput {
 public:
  static constexpr std::size_t kWindow = std::size_t{1} << 20;  ///< size for large files
  static constexpr std::size_t kHead = 16;                      ///< bytes that ensure() makes readable

  explicit PickleInput(const ByteSource& source)
      : source_(source), room_(std::clamp<std::uint64_t>(source.size() + 1, 64, kWindow)), window_(room_ + kHead) {
    refill();
  }

  /// Makes the next kHead bytes readable.
  void ensure() {
    if (end_ - at_ < static_cast<std::ptrdiff_t>(kHead) && !is_last_) refill();
  }
  /// Whether more was taken than there is; is_at_end(): whether everything was.
  bool is_overrun() const { return at_ > end_; }
  bool is_at_end() const { return at_ >= end_; }
  std::uint64_t offset() const { return base_ + static_cast<std::uint64_t>(at_ - window_.data()); }

  /// Returns the next `size` bytes in place; null if they are not all in the window.
  const char* peek(std::size_t size) const { return end_ - at_ >= static_cast<std::ptrdiff_t>(size) ? at_ : nullptr; }
  /// Moves past bytes that peek() returned.
  void take(std::size_t size) { at_ += size; }

  std::uint8_t byte() { return static_cast<std::uint8_t>(*at_++); }
  /// Little-endian, like all numbers of a pickle except floats.
  template <class T>
  T number() {
    T value;
    __builtin_memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  /// Returns the next `size` bytes, valid until the next call; fewer at the end of the data.
  std::string_view text(std::size_t size);
  void skip(std::uint64_t size);

 private:
  /// Refills the window from the current position.
  void refill();

  const ByteSource& source_;
  const std::size_t room_;  // size of the window in bytes
  std::vector<char> window_;
  std::vector<char> long_text_;
  std::uint64_t base_ = 0;  // file offset of the window
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool is_last_ = false;
};

}  // namespace lacuna
