#include "model/formats/xplane/xplane_details.h"

#include <algorithm>
#include <charconv>

namespace lacuna {
namespace {

std::optional<std::int64_t> leading_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<std::array<std::int64_t, 3>> grid_numbers(std::string_view text) {
  std::array<std::int64_t, 3> all{};
  for (std::int64_t& one : all) {
    const auto number = leading_number(text);
    if (!number) return {};
    one = *number;
    if (!text.empty()) text.remove_prefix(1);
  }
  return all;
}

}  // namespace

XplaneDetails read_xplane_details(std::string_view text) {
  XplaneDetails details;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, std::min(text.find_first_of(" \n"), text.size()));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const auto colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, colon);
    std::string_view value = word.substr(colon + 1);
    if (key == "grid") details.grid = grid_numbers(value);
    if (key == "block") details.block = grid_numbers(value);
    if (key == "regs") details.registers = leading_number(value);
    if (key == "size") details.bytes = leading_number(value);
    if (key == "shm" || key == "static_shared" || key == "dynamic_shared")
      if (const auto more = leading_number(value); more && *more >= 0 && *more <= INT32_MAX)
        details.shared_memory = details.shared_memory.value_or(0) + *more;
  }
  return details;
}

std::string xplane_activity_name(std::string_view name) {
  if (name.size() == 9 && name.starts_with("Memcpy") && name[7] == '2')
    return std::string("Memcpy ") + name[6] + "to" + name[8];
  return std::string(name);
}

}  // namespace lacuna
