#include "render/characters.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace lacuna {
namespace {

constexpr char32_t kEndOfUnicode = 0x110000;

/// What every typeface of ours has: see the ranges of load_fonts().
bool is_common(char32_t c) {
  return c < 0x180 || (c >= 0x370 && c < 0x460) || (c >= 0x2010 && c < 0x2028) || (c >= 0x2030 && c < 0x203b);
}

/// Marks that join letters or turn the direction of writing, and have no form of their own.
bool is_invisible(char32_t c) {
  return (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x2064) ||
         (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff;
}

/// The character that begins at `text`, which it takes away; 0 for a byte that begins none.
char32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 ? 2 : 1;
  if (size == 1 || lead >= 0xf5 || text.size() < size) {
    text.remove_prefix(1);
    return lead < 0x80 ? lead : 0;
  }
  char32_t c = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) {
      text.remove_prefix(1);
      return 0;
    }
    c = (c << 6) | (next & 0x3fu);
  }
  text.remove_prefix(size);
  return c;
}

/// How many bytes of ASCII a text begins with, in whole words of eight.
std::size_t ascii_words(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  return at;
}

}  // namespace

void UncommonCharacters::add(std::string_view text) {
  while (!text.empty() && found_.size() < kMost) {
    text.remove_prefix(ascii_words(text));
    if (text.empty()) return;
    const char32_t c = take_character(text);
    if (is_common(c) || is_invisible(c) || c >= kEndOfUnicode) continue;
    if (known_.empty()) known_.resize(kEndOfUnicode, false);
    if (known_[c]) continue;
    known_[c] = true;
    found_ += c;
  }
}

std::u32string UncommonCharacters::sorted() const {
  std::u32string sorted = found_;
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace lacuna
