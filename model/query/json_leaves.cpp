#include "model/query/json_leaves.h"

#include <optional>

#include "model/formats/chrome/decimal.h"
#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

constexpr unsigned kDeepest = 512;

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_space(text[at])) ++at;
  return at;
}

/// Behind the string that begins at `at`; npos when it does not end.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

/// Behind the value that begins at `at`.
std::size_t skip_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return std::string_view::npos;
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] == '{' || text[at] == '[') {
    std::size_t depth = 0;
    while (at < text.size()) {
      const char c = text[at];
      if (c == '"') {
        at = skip_string(text, at);
        if (at == std::string_view::npos) return at;
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') {
        if (--depth == 0) return at + 1;
      }
      ++at;
    }
    return std::string_view::npos;
  }
  const std::size_t begin = at;
  while (at < text.size() && std::string_view(",]} \n\r\t").find(text[at]) == std::string_view::npos) ++at;
  return at == begin ? std::string_view::npos : at;
}

/// Walks over the entries of a container: visit(key token or "", value).
template <class Visit>
void walk_entries(std::string_view container, Visit&& visit) {
  const bool is_object = container.front() == '{';
  std::size_t at = 1;
  while (true) {
    at = skip_blanks(container, at);
    if (at >= container.size() || container[at] == '}' || container[at] == ']') return;
    if (container[at] == ',') {
      ++at;
      continue;
    }
    std::string_view key;
    if (is_object) {
      if (container[at] != '"') return;
      const std::size_t end = skip_string(container, at);
      if (end == std::string_view::npos) return;
      key = container.substr(at, end - at);
      at = skip_blanks(container, end);
      if (at >= container.size() || container[at] != ':') return;
      at = skip_blanks(container, at + 1);
    }
    const std::size_t end = skip_value(container, at);
    if (end == std::string_view::npos) return;
    visit(key, container.substr(at, end - at));
    at = end;
  }
}

std::string unescaped(std::string_view token) {
  std::string text;
  append_unescaped(token_content(token), text);
  return text;
}

struct LeafWalk {
  std::string key;
  std::string flat_key;
  const std::function<void(const JsonLeaf&)>& visit;

  void walk(std::string_view json, unsigned depth) {
    if (json.empty()) return;
    if (json.front() != '{' && json.front() != '[') {
      visit({key, flat_key, json});
      return;
    }
    if (depth == kDeepest) return;
    const std::size_t key_size = key.size();
    const std::size_t flat_size = flat_key.size();
    std::size_t index = 0;
    walk_entries(json, [&](std::string_view name, std::string_view value) {
      if (value == "null") return;
      if (json.front() == '{') {
        key += '.';
        append_unescaped(token_content(name), key);
        flat_key.append(key, key_size);
      } else {
        key.append("[").append(std::to_string(index++)).append("]");
      }
      walk(value, depth + 1);
      key.resize(key_size);
      flat_key.resize(flat_size);
    });
  }
};

}  // namespace

JsonScalar read_json_scalar(std::string_view json) {
  JsonScalar scalar;
  json = trim_right(json.substr(std::min(json.size(), skip_blanks(json, 0))));
  if (json.empty() || json == "null") return scalar;
  if (json == "true" || json == "false") {
    scalar.kind = JsonScalar::Kind::kBool;
    scalar.number = json == "true" ? 1 : 0;
  } else if (is_string_token(json)) {
    scalar.kind = JsonScalar::Kind::kText;
    scalar.text = unescaped(json);
  } else if (json.front() == '{' || json.front() == '[') {
    scalar.kind = JsonScalar::Kind::kContainer;
    scalar.text = json;
  } else if (is_json_number(json)) {
    const bool is_whole = json.find_first_of(".eE") == std::string_view::npos;
    bool fits = is_whole && json.size() <= 20;
    if (fits) {
      const bool is_negative = json.front() == '-';
      std::int64_t value = 0;
      for (const char c : json.substr(is_negative ? 1 : 0))
        fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, is_negative ? '0' - c : c - '0', &value);
      scalar.number = value;
    }
    scalar.kind = fits ? JsonScalar::Kind::kInteger : JsonScalar::Kind::kReal;
    if (!fits) scalar.real = parse_double(json).value_or(0);
  }
  return scalar;
}

void for_each_json_member(std::string_view object,
                          const std::function<void(std::string_view, std::string_view)>& visit) {
  if (object.empty() || object.front() != '{') return;
  walk_entries(object, [&](std::string_view key, std::string_view value) {
    if (key.find('\\') == std::string_view::npos) {
      visit(token_content(key), value);
    } else {
      visit(unescaped(key), value);
    }
  });
}

void for_each_json_leaf(std::string_view json, std::string_view name,
                        const std::function<void(const JsonLeaf&)>& visit) {
  LeafWalk{std::string(name), std::string(name), visit}.walk(json, 0);
}

}  // namespace lacuna
