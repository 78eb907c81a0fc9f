#include "app/gui/core/file_uri.h"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace lacuna {

std::optional<std::string> path_of_file_uri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  constexpr std::string_view kThisMachine = "localhost";
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with(kThisMachine)) uri.remove_prefix(kThisMachine.size());
  if (!uri.starts_with('/')) return std::nullopt;

  std::string path;
  while (!uri.empty()) {
    if (uri.front() != '%') {
      path += uri.front();
      uri.remove_prefix(1);
      continue;
    }
    const std::string_view digits = uri.substr(1, 2);
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc() || digits.size() != 2 || end != digits.data() + 2 || byte == 0) return std::nullopt;
    path += static_cast<char>(byte);
    uri.remove_prefix(3);
  }
  return path;
}

}  // namespace lacuna
