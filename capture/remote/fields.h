#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace lacuna {

/// Writes consecutive numbers and texts, as in the frames of a remote connection: numbers as 64 bits, little-endian;
/// a text as its length and its bytes.
class FieldWriter {
 public:
  FieldWriter& number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) out_.push_back(static_cast<char>((value >> shift) & 0xff));
    return *this;
  }
  FieldWriter& text(std::string_view value) {
    number(value.size());
    out_.append(value);
    return *this;
  }
  std::string take() { return std::move(out_); }
  const std::string& bytes() const { return out_; }

 private:
  std::string out_;
};

/// Reads the bytes of a FieldWriter, which may be invalid and must outlive it. From the first missing
/// field on all values are 0 or empty, and ok() is false.
class FieldReader {
 public:
  explicit FieldReader(std::string_view rest) : rest_(rest) {}

  std::uint64_t number() {
    if (!is_ok_ || rest_.size() < 8) return fail();
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(8);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (!is_ok_ || size > rest_.size()) {
      fail();
      return {};
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  bool ok() const { return is_ok_; }
  bool is_at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::uint64_t fail() {
    is_ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool is_ok_ = true;
};

}  // namespace lacuna
