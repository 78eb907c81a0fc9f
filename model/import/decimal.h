#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/base/time.h"

namespace lacuna {

/// Times and durations beyond this (146 years) are refused, so that sums never overflow.
inline constexpr Nanos kLargestTime = (Nanos{1} << 62) - 1;

/// The outcome of parse_micros.
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

/// Microseconds as decimal text -> nanoseconds, exactly: the same as Python's
/// `(Decimal(text) * 1000).to_integral_value()`. Epoch microseconds with three decimals do not fit
/// a double (formats.md 1), so no double is involved.
///
/// Accepts what JSON calls a number, and a little more, because strings hold times too: a leading
/// '+', a leading or trailing '.', leading zeros, and blanks around it. O(length).
DecimalTime parse_micros(std::string_view text);

/// An integer such as a correlation or a sort index: "-12", "12.0", "1e3". Nothing when the text is
/// not a number, not integral, or does not fit 64 bits (values of 2^63 and more wrap to negative:
/// such ids are compared, not computed with).
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A finite floating-point number, for counter values alone.
std::optional<double> parse_double(std::string_view text);

}  // namespace lacuna
