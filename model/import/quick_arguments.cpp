#include "model/import/quick_arguments.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kTops = 0x8080808080808080u;

/// The top bit of each byte that is 0; of the lowest one for sure, of those above it perhaps.
constexpr std::uint64_t zero_bytes(std::uint64_t x) {
  return (x - kOnes) & ~x & kTops;
}

/// The closing quote of the string whose content starts at `p`; null at a control character, which
/// the 0 behind the text is as well.
const char* string_end(const char* p) {
  while (true) {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t word = 0;
      std::memcpy(&word, p, sizeof word);
      const std::uint64_t found = zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\')) |
                                  ((word - kOnes * 0x20) & ~word & kTops);
      if (found == 0) {
        p += sizeof word;
        continue;
      }
      p += std::countr_zero(found) / 8;
    }
    if (*p == '"') return p;
    if (static_cast<unsigned char>(*p) < 0x20) return nullptr;
    // What an escape escapes is no end; a control character there is seen in the next round.
    p += *p == '\\' && static_cast<unsigned char>(p[1]) >= 0x20 ? 2 : 1;
  }
}

bool is_end_of_scalar(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == ',' || c == '}' || c == ']';
}

/// Behind the container that opens at `p`.
const char* container_end(const char* p) {
  for (std::size_t depth = 0;; ++p) {
    switch (*p) {
      case '"':
        p = string_end(p + 1);
        if (p == nullptr) return nullptr;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return p + 1;
        break;
      case '\0':
        return nullptr;
      default:
        break;
    }
  }
}

/// Behind the value that starts at `p`.
const char* quick_value_end(const char* p) {
  if (*p == '"') {
    p = string_end(p + 1);
    return p == nullptr ? nullptr : p + 1;
  }
  if (*p == '{' || *p == '[') return container_end(p);
  const bool begins_well = (*p >= '0' && *p <= '9') || *p == '-' || (*p >= 'a' && *p <= 'z');
  if (!begins_well) return nullptr;
  while (!is_end_of_scalar(*p)) {
    if (*p == '"' || *p == ':' || *p == '{' || *p == '[') return nullptr;
    ++p;
  }
  return p;
}

/// Calls member(key with its quotes, value start) for each member of the object at `p`; that
/// returns what is behind the value. Behind the object, or null.
template <class Member>
const char* for_each_member(const char* p, Member&& member) {
  p = skip_json_space(p + 1);
  if (*p == '}') return p + 1;
  while (true) {
    if (*p != '"') return nullptr;
    const char* const key = p;
    p = string_end(p + 1);
    if (p == nullptr) return nullptr;
    const std::string_view name(key + 1, static_cast<std::size_t>(p - key - 1));
    p = skip_json_space(p + 1);
    if (*p != ':') return nullptr;
    p = member(name, skip_json_space(p + 1));
    if (p == nullptr) return nullptr;
    p = skip_json_space(p);
    if (*p == '}') return p + 1;
    if (*p != ',') return nullptr;
    p = skip_json_space(p + 1);
  }
}

}  // namespace

bool read_arguments_quickly(std::string_view text, std::span<const std::string_view> keys,
                            std::span<std::string_view> values) {
  if (!text.starts_with('{')) return false;
  std::ranges::fill(values, std::string_view{});
  const char* p = for_each_member(text.data(), [&](std::string_view name, const char* value) {
    if (name != "args" || *value != '{') {
      if (name == "args") std::ranges::fill(values, std::string_view{});
      return quick_value_end(value);
    }
    std::ranges::fill(values, std::string_view{});
    return for_each_member(value, [&](std::string_view key, const char* argument) {
      const char* const end = quick_value_end(argument);
      if (end == nullptr) return end;
      const auto found = std::ranges::find(keys, key);
      if (found != keys.end())
        values[static_cast<std::size_t>(found - keys.begin())] = {argument, static_cast<std::size_t>(end - argument)};
      return end;
    });
  });
  if (p == nullptr) return false;
  // What follows an event of a list: if not, something in it was no JSON after all.
  p = skip_json_space(p);
  const bool is_inside = p < text.data() + text.size();
  return is_inside && (*p == ',' || *p == ']' || *p == '}');
}

std::string_view find_event_quickly(std::string_view text) {
  if (!text.starts_with('{')) return {};
  const char* const end = container_end(text.data());
  return end == nullptr ? std::string_view{} : text.substr(0, static_cast<std::size_t>(end - text.data()));
}

}  // namespace lacuna
