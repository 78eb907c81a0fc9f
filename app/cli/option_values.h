#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/base/asked_range.h"

namespace lacuna {

/// Checks a count, since CLI11 would take -1 for a very large one: empty when `text` is one, else what is wrong.
std::string is_count(const std::string& text);
std::string is_thread_count(const std::string& text);
/// CLI11's own ranges let "nan" through.
std::string is_finite(const std::string& text);
/// is_count() up to 10^18.
std::string is_large_count(const std::string& text);

/// "1600x900" to pixels; nothing when `text` is not two positive numbers joined by an x.
struct PixelSize {
  int width = 0;
  int height = 0;
};
std::optional<PixelSize> parse_pixel_size(std::string_view text);

/// Converts decimal microseconds ("12.5", "1712195495406752.797", "-3") to nanoseconds as the importer does.
/// Nothing when `text` is no number or out of range.
std::optional<Nanos> parse_microseconds(std::string_view text);
/// Checks such a time: empty when `text` is one, else what is wrong.
std::string is_microseconds(const std::string& text);

/// The range from --from-us to --to-us, each of them empty or a time that is_microseconds() lets pass; with a plus
/// before either of them both count from the trace's start.
AskedRange parse_range(const std::string& from_us, const std::string& to_us);

/// "2s", "500ms", "1.5m", "8h" or seconds ("2.5"), to nanoseconds. Nothing when `text` is none of these, not above
/// zero, or longer than a day.
std::optional<Nanos> parse_duration(std::string_view text);

}  // namespace lacuna
