#include "model/torch/torch_format.h"

#include <array>
#include <charconv>
#include <cmath>

namespace lacuna {
namespace {

constexpr double kUsInSecond = 1000.0 * 1000.0;
constexpr double kUsInMillisecond = 1000.0;

/// Bytes of the code point that starts `text`; 1 for what is not UTF-8.
std::size_t code_point_size(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  if (size == 1 || lead >= 0xf8 || text.size() < size) return 1;
  for (std::size_t i = 1; i < size; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  return size;
}

}  // namespace

std::string fixed_decimal(double value, int decimals) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 400> text;  // 309 digits, a sign, a point and the decimals
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  return {text.data(), end.ptr};
}

std::string torch_time(double us, TorchTimeUnit unit) {
  if (unit == TorchTimeUnit::kAuto) {
    unit = us >= kUsInSecond        ? TorchTimeUnit::kSeconds
           : us >= kUsInMillisecond ? TorchTimeUnit::kMilliseconds
                                    : TorchTimeUnit::kMicroseconds;
  }
  switch (unit) {
    case TorchTimeUnit::kSeconds:
      return fixed_decimal(us / kUsInSecond, 3) + "s";
    case TorchTimeUnit::kMilliseconds:
      return fixed_decimal(us / kUsInMillisecond, 3) + "ms";
    default:
      return fixed_decimal(us, 3) + "us";
  }
}

std::string torch_share(double part, double whole) {
  if (whole == 0) return "NaN";
  return fixed_decimal(part * 100.0 / whole, 2) + "%";
}

std::string torch_memory(std::int64_t bytes) {
  constexpr std::int64_t kKb = 1024, kMb = 1024 * kKb, kGb = 1024 * kMb;
  const double value = static_cast<double>(bytes);
  const double size = std::abs(value);
  if (size >= static_cast<double>(kGb)) return fixed_decimal(value / static_cast<double>(kGb), 2) + " GB";
  if (size >= static_cast<double>(kMb)) return fixed_decimal(value / static_cast<double>(kMb), 2) + " MB";
  if (size >= static_cast<double>(kKb)) return fixed_decimal(value / static_cast<double>(kKb), 2) + " KB";
  return std::to_string(bytes) + " B";
}

std::size_t python_length(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); text.remove_prefix(code_point_size(text))) ++count;
  return count;
}

std::string_view python_head(std::string_view text, std::size_t count) {
  std::string_view rest = text;
  for (; count > 0 && !rest.empty(); --count) rest.remove_prefix(code_point_size(rest));
  return text.substr(0, text.size() - rest.size());
}

std::string_view python_tail(std::string_view text, std::size_t count) {
  for (std::size_t length = python_length(text); length > count; --length) text.remove_prefix(code_point_size(text));
  return text;
}

}  // namespace lacuna
