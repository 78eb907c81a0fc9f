#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/formats/chrome/json_text.h"
#include "model/formats/perfetto/debug_annotations.h"

namespace lacuna {
namespace {

/// A member of an object as it stands there, with the quotes of its key; of an entry of a list the key is empty.
using JsonPart = std::pair<std::string_view, std::string_view>;

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<JsonPart> parts_of(std::string_view value) {
  std::vector<JsonPart> parts;
  std::string_view key;
  int depth = 0;
  std::size_t begin = 1;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '"') {
      for (++i; i < value.size() && value[i] != '"'; ++i) i += value[i] == '\\' ? 1 : 0;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth == 1 && c == ':') {
      key = without_spaces(value.substr(begin, i - begin));
      begin = i + 1;
    }
    if ((depth == 1 && c == ',') || depth == 0) {
      const std::string_view part = without_spaces(value.substr(begin, i - begin));
      if (!part.empty()) parts.emplace_back(std::exchange(key, {}), part);
      begin = i + 1;
    }
  }
  return parts;
}

void append_members(std::span<const std::string_view> objects, std::string& out) {
  std::unordered_map<std::string_view, std::size_t, SeededHash> known;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> members;  // in the order of their first
  for (const std::string_view object : objects)
    for (const auto& [key, value] : parts_of(object)) {
      const auto [at, is_new] = known.try_emplace(key, members.size());
      if (is_new) members.emplace_back(key, std::vector<std::string_view>());
      members[at->second].second.push_back(value);
    }
  for (const auto& [key, values] : members)
    out.append(out.size() > 1 ? "," : "").append(key).append(":").append(joined_json(values));
}

void append_entries(std::span<const std::string_view> lists, std::string& out) {
  for (const std::string_view list : lists)
    for (const auto& [key, entry] : parts_of(list)) out.append(out.size() > 1 ? "," : "").append(entry);
}

}  // namespace

std::string joined_json(std::span<const std::string_view> values) {
  const auto kind_of = [](std::string_view value) { return value.empty() ? '\0' : value.front(); };
  const std::string_view last = without_spaces(values.back());
  const char kind = kind_of(last);
  if (values.size() == 1 || (kind != '{' && kind != '[')) return std::string(last);
  std::vector<std::string_view> same;
  for (const std::string_view value : values) {
    same.push_back(without_spaces(value));
    if (kind_of(same.back()) != kind) same.clear();
  }
  std::string out(1, kind);
  kind == '{' ? append_members(same, out) : append_entries(same, out);
  out += kind == '{' ? '}' : ']';
  return out;
}

}  // namespace lacuna
