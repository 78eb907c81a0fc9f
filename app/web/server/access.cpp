#include "app/web/server/access.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "model/base/os/machine.h"

namespace lacuna {
namespace {

constexpr std::size_t kLongestFileName = 120;

/// -1: no hexadecimal digit.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// "name:port" without ":port".
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos) return host;
  const std::string_view port = host.substr(colon + 1);
  if (port.find_first_not_of("0123456789") != std::string_view::npos) return host;
  return host.substr(0, colon);
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (!fill_with_secret(bytes)) return {};
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

bool are_same_token(std::string_view given, std::string_view token) {
  if (token.empty() || given.size() != token.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < token.size(); ++i)
    difference = static_cast<unsigned char>(
        difference | (static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i])));
  return difference == 0;
}

bool is_own_host(std::string_view host, std::span<const std::string> others) {
  if (std::ranges::find(others, "*") != others.end()) return true;
  const std::string name = in_lower_case(without_port(host));
  if (name == "127.0.0.1" || name == "localhost" || name == "[::1]") return true;
  return std::ranges::any_of(others,
                             [&](const std::string& other) { return in_lower_case(without_port(other)) == name; });
}

bool is_address(std::string_view host) {
  const std::string_view name = without_port(host);
  if (name.starts_with('[') && name.ends_with(']'))
    return name.find_first_not_of("[]0123456789abcdefABCDEF:.") == std::string_view::npos;
  return std::ranges::count(name, '.') == 3 && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_own_origin(std::string_view origin, std::string_view host, std::span<const std::string> allowed) {
  if (origin.empty() || std::ranges::find(allowed, "*") != allowed.end()) return true;
  const std::string lower = in_lower_case(origin);
  if (std::ranges::any_of(allowed, [&](const std::string& one) { return in_lower_case(one) == lower; })) return true;
  const std::string own = in_lower_case(host);
  return lower == "http://" + own || lower == "https://" + own;
}

std::string safe_file_name(std::string_view name) {
  if (const std::size_t slash = name.find_last_of("/\\"); slash != std::string_view::npos)
    name.remove_prefix(slash + 1);
  std::string safe;
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= ' ' && c != 127) safe += c;
  // The end says what kind of file it is.
  if (safe.size() > kLongestFileName) safe.erase(0, safe.size() - kLongestFileName);
  while (!safe.empty() && safe.front() == '.') safe.erase(0, 1);
  return safe.empty() ? "file" : safe;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      decoded += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::string query_value(std::string_view target, std::string_view key) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {};
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == key)
      return percent_decoded(pair.substr(equals + 1));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace lacuna
