#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "model/base/time.h"

namespace lacuna {

/// Larger times and durations (146 years) are refused, so that sums never overflow.
inline constexpr Nanos kLargestTime = (Nanos{1} << 62) - 1;

/// The result of parse_micros().
struct DecimalTime {
  enum class Status : std::uint8_t {
    kExact,    ///< `value` is the text times 1000, exactly
    kRounded,  ///< digits below 1 ns were rounded half to even
    kInvalid,  ///< not a number, or beyond kLargestTime; `value` is 0
  };
  Nanos value = 0;
  Status status = Status::kInvalid;

  bool valid() const { return status != Status::kInvalid; }
};

/// Converts microseconds as decimal text to nanoseconds, exactly: the same as Python's
/// `(Decimal(text) * 1000).to_integral_value()`. Epoch microseconds with three decimals do not fit in
/// a double (formats.md 1), so none is used.
///
/// Accepts JSON numbers and, because strings hold times too, a little more: a leading
/// '+', a leading or trailing '.', leading zeros, and surrounding white space. O(length).
DecimalTime parse_micros(std::string_view text);

/// Converts nanoseconds as decimal text: "12", "12.25" (rounded), "1.7e18".
DecimalTime parse_nanos(std::string_view text);

/// Parses an integer such as a correlation or a sort index: "-12", "12.0", "1e3". Nothing if the text is
/// not a number, not integral, or does not fit in 64 bits (values of 2^63 and more wrap to negative:
/// such ids are only compared, not computed with).
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Computes the value of `count` digits (1 to 8) at once; a loop would need one multiplication after the other
/// (12 % of the time to read an event). Returns false if one is not a digit. Reads 8 bytes from `p`.
inline bool read_digits(const char* p, std::size_t count, std::uint64_t& value) {
  constexpr std::uint64_t kZeros = 0x3030303030303030ull;
  std::uint64_t text = 0;
  std::memcpy(&text, p, sizeof text);
  const std::size_t absent = 64 - 8 * count;  // number of leading bits that stay 0: leading zeros
  text <<= absent;
  std::uint64_t v = text - (kZeros << absent);
  if (((v | (text + (0x4646464646464646ull << absent))) & 0x8080808080808080ull) != 0) return false;
  v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffull;          // pairs of digits
  v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffull;        // fours
  value = (v * 10000 + (v >> 32)) & 0x00000000ffffffffull;  // eight
  return true;
}

/// Like read_digits(), for 1 to 16 digits.
inline bool read_long_digits(const char* p, std::size_t count, std::uint64_t& value) {
  if (count <= 8) return read_digits(p, count, value);
  std::uint64_t high = 0;
  if (!read_digits(p, count - 8, high) || !read_digits(p + count - 8, 8, value)) return false;
  value += high * 100'000'000;
  return true;
}

/// parse_micros() for text followed by 8 readable bytes, as in padded buffers: faster for times with three decimals,
/// as Kineto writes them.
inline DecimalTime parse_padded_micros(std::string_view text) {
  constexpr std::size_t kDecimals = 3;
  const std::size_t size = text.size();
  if (size >= kDecimals + 2 && size <= kDecimals + 17 && text[size - kDecimals - 1] == '.') {
    std::uint64_t whole = 0;
    std::uint64_t decimals = 0;
    if (read_long_digits(text.data(), size - kDecimals - 1, whole) &&
        read_digits(text.data() + size - kDecimals, kDecimals, decimals)) {
      const std::uint64_t value = whole * 1000 + decimals;
      if (value <= static_cast<std::uint64_t>(kLargestTime))
        return {static_cast<Nanos>(value), DecimalTime::Status::kExact};
    }
  }
  return parse_micros(text);
}

/// parse_integer() for such text: faster if it consists of up to 16 digits.
inline std::optional<std::int64_t> parse_padded_integer(std::string_view text) {
  std::uint64_t value = 0;
  if (!text.empty() && text.size() <= 16 && read_long_digits(text.data(), text.size(), value))
    return static_cast<std::int64_t>(value);
  return parse_integer(text);
}

/// Parses a finite floating-point number; for counter values only.
std::optional<double> parse_double(std::string_view text);

}  // namespace lacuna
