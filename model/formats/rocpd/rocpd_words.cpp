#include "model/formats/rocpd/rocpd_words.h"

#include <array>
#include <utility>

#include "model/base/ascii.h"
#include "model/formats/chrome/json_text.h"

namespace lacuna {

std::string rocpd_category(std::string_view category) {
  std::string lower = to_lower(category);
  if (lower.find("hip") != std::string::npos) return "hip_runtime";
  if (lower.find("marker") != std::string::npos) return "user_annotation";
  return lower.empty() ? "region" : lower;
}

std::string rocm_copy_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kDirections{{
      {"HOST_TO_DEVICE", "HtoD"},
      {"DEVICE_TO_HOST", "DtoH"},
      {"DEVICE_TO_DEVICE", "DtoD"},
      {"HOST_TO_HOST", "HtoH"},
      {"HostToDevice", "HtoD"},
      {"DeviceToHost", "DtoH"},
      {"DeviceToDevice", "DtoD"},
      {"HostToHost", "HtoH"},
  }};
  for (const auto& [direction, meaning] : kDirections)
    if (name.ends_with(direction)) return "Memcpy " + std::string(meaning);
  return std::string(name);
}

std::string marker_message(std::string_view extdata) {
  constexpr std::string_view kKey = "\"message\"";
  const auto key = extdata.find(kKey);
  if (key == std::string_view::npos) return {};
  std::string_view rest = extdata.substr(key + kKey.size());
  while (!rest.empty() && (is_json_space(rest.front()) || rest.front() == ':')) rest.remove_prefix(1);
  if (rest.empty() || rest.front() != '"') return {};
  rest.remove_prefix(1);
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  std::string text;
  if (end < rest.size()) append_unescaped(rest.substr(0, end), text);
  return text;
}

std::int64_t blocks_of(std::int64_t grid_items, std::int64_t block_items) {
  if (grid_items <= 0 || block_items <= 0) return grid_items;
  return grid_items / block_items + (grid_items % block_items == 0 ? 0 : 1);
}

}  // namespace lacuna
