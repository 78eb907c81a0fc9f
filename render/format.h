#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/time.h"

namespace lacuna {

// Formats numbers for users. Rounds half away from zero in integers, so that 999.9995 us is "1.00 ms".
// The append_ forms write into a string that the caller reuses.

/// Three significant digits: "0 ns", "812 ns", "3.21 us" (with a micro sign), "12.3 ms", "1.23 s",
/// "2 min 03.4 s", "1 h 02 min", "3 d 04 h". At most 15 bytes up to 277 hours, so a std::string
/// holds it without allocating.
std::string format_duration(Nanos ns);
void append_duration(std::string& out, Nanos ns);

/// "~12.3 ms": a number estimated from samples, not measured.
std::string marked_as_estimate(std::string_view number);

/// Formats a duration with all digits: "812 ns", "3.21 us", "1,294.789 ms" (up to 10 s), "12.000000001 s"; for
/// tooltips and copying.
std::string format_duration_exact(Nanos ns);

/// Formats with thousands separators: "1,465".
std::string format_count(std::uint64_t n);
void append_count(std::string& out, std::uint64_t n);

/// Returns "1 row", "1,234 rows", "2 copies".
std::string counted(std::uint64_t n, std::string_view singular);

/// Formats "97.3 %". Never rounds to 0 or 100 % what is only close: "> 99.9 %", "< 0.1 %"; "-" for
/// NaN.
std::string format_percent(double part);
void append_percent(std::string& out, double part);

/// 1024-based: "812 B", "1.33 GiB".
std::string format_bytes(std::uint64_t bytes);

/// Formats a counter's value: up to four significant digits below 10,000, integral with thousands separators
/// above, "1.23e+15" beyond a trillion. "-0.5", "12", "3.142", "1,465".
std::string format_value(double value);
void append_value(std::string& out, double value);

/// Returns the number of characters of UTF-8 text: an estimate of its width in digits.
std::size_t glyph_count(std::string_view text);

}  // namespace lacuna
