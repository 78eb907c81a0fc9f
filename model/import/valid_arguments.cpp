#include "model/import/valid_arguments.h"

#include "model/formats/chrome/json_text.h"

#if defined(__SSE2__)

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <emmintrin.h>

namespace lacuna {
namespace {

constexpr std::size_t kBlock = 16;

/// One bit a byte of a block.
using Mask = std::uint32_t;

__m128i load(const char* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
Mask where(__m128i equal) {
  return static_cast<Mask>(_mm_movemask_epi8(equal));
}
__m128i equal(__m128i block, char c) {
  return _mm_cmpeq_epi8(block, _mm_set1_epi8(c));
}

/// What matters of 16 bytes.
struct Block {
  Mask opening;  ///< quotes that open a string
  Mask braces;   ///< outside strings
  Mask escapes;
  bool in_string;  ///< at the end

  Block(__m128i bytes, bool starts_in_string) {
    const Mask quotes = where(equal(bytes, '"'));
    // Bit i: an odd number of quotes up to and with byte i.
    Mask odd = quotes ^ quotes << 1;
    odd ^= odd << 2;
    odd ^= odd << 4;
    odd ^= odd << 8;
    if (starts_in_string) odd = ~odd;
    odd &= 0xffff;
    opening = quotes & odd;
    braces = where(_mm_or_si128(equal(bytes, '{'), equal(bytes, '}'))) & ~odd;
    escapes = where(equal(bytes, '\\'));
    in_string = (odd >> 15 & 1) != 0;
  }
};

constexpr Mask below(int bit) {
  return (Mask{1} << bit) - 1;
}

/// Behind a value that is no object, or null.
const char* valid_value_end(const char* p, const char* end) {
  if (*p == '"') {
    const void* const quote = std::memchr(p + 1, '"', static_cast<std::size_t>(end - p - 1));
    return quote == nullptr ? nullptr : static_cast<const char*>(quote) + 1;
  }
  if (*p != '[') {
    while (p < end && *p != ',' && *p != '}' && !is_json_space(*p)) ++p;
    return p;
  }
  bool in_string = false;
  for (std::size_t depth = 0; p < end; ++p) {
    const char c = *p;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '{') return nullptr;
    if (c == '[') ++depth;
    if (c == ']' && --depth == 0) return p + 1;
  }
  return nullptr;
}

/// The '{' of the args of the event at `p`, or null.
const char* find_args(const char* p, const char* end) {
  constexpr std::string_view kArgs = "\"args\"";
  bool in_string = false;
  for (++p; p < end; p += kBlock) {
    const Block block(load(p), in_string);
    Mask hits = block.opening & where(equal(load(p + 1), 'a'));
    for (; hits != 0; hits &= hits - 1) {
      const int bit = std::countr_zero(hits);
      if (std::memcmp(p + bit, kArgs.data(), kArgs.size()) != 0) continue;
      const char* value = skip_json_space(p + bit + kArgs.size());
      if (*value != ':') continue;
      value = skip_json_space(value + 1);
      const bool is_plain = ((block.braces | block.escapes) & below(bit)) == 0;
      return is_plain && *value == '{' ? value : nullptr;
    }
    if ((block.braces | block.escapes) != 0) return nullptr;
    in_string = block.in_string;
  }
  return nullptr;
}

}  // namespace

bool read_valid_arguments(std::string_view text, std::span<const std::string_view> keys,
                          std::span<std::string_view> values) {
  constexpr std::size_t kMostLetters = 8;
  std::array<char, kMostLetters> letters{};
  std::size_t letter_count = 0;
  for (const std::string_view key : keys) {
    const auto known = letters.begin() + static_cast<std::ptrdiff_t>(letter_count);
    if (key.empty() || std::find(letters.begin(), known, key.front()) != known) continue;
    if (letter_count == kMostLetters) return false;
    letters[letter_count++] = key.front();
  }
  std::ranges::fill(values, std::string_view{});
  if (!text.starts_with('{')) return false;
  const char* const end = text.data() + text.size();
  const char* p = find_args(text.data(), end);
  if (p == nullptr) return false;
  bool in_string = false;
  for (++p; p < end;) {
    const Block block(load(p), in_string);
    const __m128i next = load(p + 1);
    __m128i initials = equal(next, letters[0]);
    for (std::size_t l = 1; l < letter_count; ++l) initials = _mm_or_si128(initials, equal(next, letters[l]));
    const int brace = block.braces == 0 ? static_cast<int>(kBlock) : std::countr_zero(block.braces);
    if ((block.escapes & below(brace)) != 0) return false;
    const char* resume = nullptr;
    for (Mask hits = block.opening & where(initials) & below(brace); hits != 0 && resume == nullptr; hits &= hits - 1) {
      const char* const name = p + std::countr_zero(hits) + 1;
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const std::string_view key = keys[k];
        if (static_cast<std::size_t>(end - name) <= key.size() || name[key.size()] != '"' ||
            std::memcmp(name, key.data(), key.size()) != 0)
          continue;
        const char* value = skip_json_space(name + key.size() + 1);
        if (*value != ':') break;  // a string among values
        value = skip_json_space(value + 1);
        if (*value == '{') return false;
        resume = valid_value_end(value, end);
        if (resume == nullptr || resume >= end) return false;
        values[k] = {value, static_cast<std::size_t>(resume - value)};
        if (values[k].find('\\') != std::string_view::npos) return false;
        break;
      }
    }
    if (resume != nullptr) {
      p = resume;
      in_string = false;
      continue;
    }
    if (block.braces != 0) {
      // The end of args, and with it of the event: what follows args may be a second one.
      if (p[brace] != '}') return false;
      p = skip_json_space(p + brace + 1);
      return p < end && *p == '}';
    }
    in_string = block.in_string;
    p += kBlock;
  }
  return false;
}

}  // namespace lacuna

#else

namespace lacuna {

bool read_valid_arguments(std::string_view, std::span<const std::string_view>, std::span<std::string_view>) {
  return false;
}

}  // namespace lacuna

#endif
