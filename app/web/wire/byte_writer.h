#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace lacuna {

/// Writes numbers as bytes in little-endian order; varints are LEB128, signed ones zigzag.
class ByteWriter {
 public:
  void number(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void real(float value) { number(std::bit_cast<std::uint32_t>(value), 4); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void zigzag(std::int64_t value) {
    varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  /// Writes the other's length and bytes.
  void block(const ByteWriter& other) {
    varint(other.bytes_.size());
    bytes_ += other.bytes_;
  }
  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace lacuna
