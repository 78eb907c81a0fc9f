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

void append_members(const std::vector<JsonPart>& earlier, const std::vector<JsonPart>& later, std::string& out) {
  std::unordered_map<std::string_view, std::string_view, SeededHash> told(later.begin(), later.end());
  const char* separator = "";
  const auto append = [&](std::string_view key, std::string_view value) {
    out.append(std::exchange(separator, ",")).append(key).append(":").append(value);
  };
  for (const auto& [key, value] : earlier) {
    const auto again = told.find(key);
    append(key, again == told.end() ? value : joined_json(value, again->second));
    if (again != told.end()) told.erase(again);
  }
  for (const auto& [key, value] : later) {
    if (told.contains(key)) append(key, value);
  }
}

}  // namespace

std::string joined_json(std::string_view earlier, std::string_view later) {
  earlier = without_spaces(earlier);
  later = without_spaces(later);
  const char kind = earlier.empty() || later.empty() || earlier.front() != later.front() ? '\0' : later.front();
  if (kind != '{' && kind != '[') return std::string(later);
  std::string out(1, kind);
  const std::vector<JsonPart> first = parts_of(earlier), second = parts_of(later);
  if (kind == '{') {
    append_members(first, second, out);
  } else {
    for (const auto* parts : {&first, &second}) {
      for (const auto& [key, entry] : *parts) out.append(out.size() > 1 ? "," : "").append(entry);
    }
  }
  out += kind == '{' ? '}' : ']';
  return out;
}

}  // namespace lacuna
