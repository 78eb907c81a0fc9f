#include "render/format.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/base/plural.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kPrintedMicrosecond = 1'000;
constexpr std::uint64_t kPrintedMillisecond = 1'000'000;
constexpr std::uint64_t kPrintedSecond = 1'000'000'000;
constexpr std::uint64_t kPrintedMinute = 60 * kPrintedSecond;
constexpr std::uint64_t kPrintedHour = 60 * kPrintedMinute;
constexpr const char* kMicro = "\u00b5s";

/// The absolute value, which exists even for the least Nanos; writes the sign.
std::uint64_t without_sign(std::string& out, Nanos ns) {
  const auto bits = static_cast<std::uint64_t>(ns);
  if (ns >= 0) return bits;
  out += '-';
  return 0 - bits;
}

/// value / unit, rounded half up to `decimals` (0..2) places, as a whole number of those places.
std::uint64_t rounded(std::uint64_t value, std::uint64_t unit, std::uint64_t places) {
  // In two parts, so that nothing overflows.
  return value / unit * places + (value % unit * places + unit / 2) / unit;
}

/// Appends value / unit with three significant digits if it is below 1000 then; else returns false.
bool append_three_digits(std::string& out, std::uint64_t value, std::uint64_t unit, const char* name) {
  if (const std::uint64_t n = rounded(value, unit, 100); n < 1000) {
    out += fmt::format("{}.{:02} {}", n / 100, n % 100, name);
  } else if (const std::uint64_t m = rounded(value, unit, 10); m < 1000) {
    out += fmt::format("{}.{} {}", m / 10, m % 10, name);
  } else if (const std::uint64_t k = rounded(value, unit, 1); k < 1000) {
    out += fmt::format("{} {}", k, name);
  } else {
    return false;
  }
  return true;
}

/// Appends all decimals of value / unit but trailing zeros.
void append_exact(std::string& out, std::uint64_t value, std::uint64_t unit, const char* name) {
  append_count(out, value / unit);
  std::uint64_t rest = value % unit;
  if (rest != 0) {
    out += '.';
    for (std::uint64_t place = unit / 10; rest != 0; place /= 10) {
      out += static_cast<char>('0' + rest / place);
      rest %= place;
    }
  }
  out += ' ';
  out += name;
}

template <class Append, class Value>
std::string made_by(Append append, Value value) {
  std::string text;
  append(text, value);
  return text;
}

}  // namespace

void append_duration(std::string& out, Nanos ns) {
  const std::uint64_t value = without_sign(out, ns);
  if (value < kPrintedMicrosecond) {
    out += fmt::format("{} ns", value);
    return;
  }
  if (append_three_digits(out, value, kPrintedMicrosecond, kMicro)) return;
  if (append_three_digits(out, value, kPrintedMillisecond, "ms")) return;
  // From here on the limit is a minute, an hour, a day: rounding must not give "60.0 s".
  if (rounded(value, kPrintedSecond, 10) < 600) {
    append_three_digits(out, value, kPrintedSecond, "s");
  } else if (const std::uint64_t tenths = rounded(value, kPrintedSecond, 10); tenths < 36'000) {
    out += fmt::format("{} min {:02}.{} s", tenths / 600, tenths % 600 / 10, tenths % 10);
  } else if (const std::uint64_t minutes = rounded(value, kPrintedMinute, 1); minutes < 24 * 60) {
    out += fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  } else {
    const std::uint64_t hours = rounded(value, kPrintedHour, 1);
    out += fmt::format("{} d {:02} h", hours / 24, hours % 24);
  }
}

std::string format_duration(Nanos ns) {
  return made_by(append_duration, ns);
}

std::string marked_as_estimate(std::string_view number) {
  return fmt::format("~{}", number);
}

std::string format_duration_exact(Nanos ns) {
  std::string out;
  const std::uint64_t value = without_sign(out, ns);
  if (value < kPrintedMicrosecond) {
    out += fmt::format("{} ns", value);
  } else if (value < kPrintedMillisecond) {
    append_exact(out, value, kPrintedMicrosecond, kMicro);
  } else if (value < 10 * kPrintedSecond) {
    append_exact(out, value, kPrintedMillisecond, "ms");
  } else {
    append_exact(out, value, kPrintedSecond, "s");
  }
  return out;
}

void append_count(std::string& out, std::uint64_t n) {
  std::array<char, 32> digits{};
  std::size_t at = digits.size();
  int written = 0;
  do {
    if (written > 0 && written % 3 == 0) digits[--at] = ',';
    digits[--at] = static_cast<char>('0' + n % 10);
    n /= 10;
    ++written;
  } while (n != 0);
  out.append(digits.data() + at, digits.size() - at);
}

std::string format_count(std::uint64_t n) {
  return made_by(append_count, n);
}

std::string counted(std::uint64_t n, std::string_view singular) {
  return format_count(n) + " " + noun_after(n, singular);
}

void append_percent(std::string& out, double part) {
  if (std::isnan(part)) {
    out += '-';
  } else if (part == 0.0 || part == 1.0) {
    out += part == 0.0 ? "0 %" : "100 %";
  } else if (part >= 0.9995 && part < 1.0) {
    out += "> 99.9 %";
  } else if (part > 0.0 && part < 0.001) {
    out += "< 0.1 %";
  } else {
    out += fmt::format("{:.1f} %", part * 100.0);
  }
}

std::string format_percent(double part) {
  return made_by(append_percent, part);
}

std::string format_bytes(std::uint64_t bytes) {
  std::string out;
  if (bytes < 1024) {
    append_count(out, bytes);
    out += " B";
    return out;
  }
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  std::uint64_t unit = 1024;
  for (const char* name : kUnits) {
    if (append_three_digits(out, bytes, unit, name)) return out;
    // "1000 KiB" … "1023 KiB" have no three digits in either unit.
    if (const std::uint64_t whole = rounded(bytes, unit, 1); whole < 1024) {
      append_count(out, whole);
      return out.append(" ").append(name);
    }
    unit *= 1024;
  }
  out += fmt::format("{:.2f} EiB", static_cast<double>(bytes) / 0x1p60);
  return out;
}

void append_value(std::string& out, double value) {
  const double size = std::fabs(value);
  if (!(size < 1e12)) {  // NaN and infinities, too
    out += fmt::format("{:.3g}", value);
  } else if (size < 9999.5) {
    out += fmt::format("{:.4g}", value);
  } else {
    if (value < 0) out += '-';
    append_count(out, static_cast<std::uint64_t>(std::llround(size)));
  }
}

std::size_t glyph_count(std::string_view text) {
  const auto starts_glyph = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_glyph));
}

std::string format_value(double value) {
  return made_by(append_value, value);
}

}  // namespace lacuna
