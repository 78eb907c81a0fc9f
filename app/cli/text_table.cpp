#include "app/cli/text_table.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "model/base/os/terminal.h"
#include "model/base/shell_words.h"

namespace lacuna {
namespace {

constexpr std::size_t kLongestPlace = 40;  // bytes

bool continues_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// A character that breaks a line or changes the order in which it is read (of bidirectional text), which `text` begins
/// with; 0: none. All are three bytes long: E2 80 8E is U+200E.
unsigned reordering_character(std::string_view text) {
  if (text.size() < 3 || text[0] != '\xE2') return 0;
  const unsigned c =
      0x2000u | (static_cast<std::uint8_t>(text[1]) & 0x3Fu) << 6 | (static_cast<std::uint8_t>(text[2]) & 0x3Fu);
  const bool reorders = c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return reorders ? c : 0;
}

/// Byte offset after the first `columns` code points.
std::size_t offset_of_column(std::string_view text, std::size_t columns) {
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (continues_code_point(text[i])) continue;
    if (columns == 0) break;
    --columns;
  }
  return i;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    // C1 control characters are C2 80 … C2 9F in UTF-8.
    const bool is_c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<std::uint8_t>(text[i + 1]) < 0xA0;
    if (byte == '\n') {
      result += "\\n";
    } else if (byte == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else if (is_c1) {
      result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[++i]));
    } else if (const unsigned c = reordering_character(text.substr(i)); c != 0) {
      result += fmt::format("\\u{:04x}", c);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string printable_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (printable(word) == word) {
      line += join_words({word});
      continue;
    }
    line += "$'";
    for (const char c : word) {
      const auto byte = static_cast<std::uint8_t>(c);
      line += byte < 0x20 || byte >= 0x7F || c == '\\' || c == '\'' ? fmt::format("\\{:03o}", byte) : std::string(1, c);
    }
    line += '\'';
  }
  return line;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues_code_point(c); }));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t blank = text.find(' ');
    // A place, [10.0 ms + 9.00 ms], stays together.
    if (const std::size_t end = text.find(']'); text.front() == '[' && end != text.npos && end <= kLongestPlace)
      blank = text.find(' ', end);
    const std::string_view word = text.substr(0, blank);
    if (lines.empty() || display_width(lines.back()) + 1 + display_width(word) > width) {
      lines.emplace_back(word);
    } else {
      lines.back().append(" ").append(word);
    }
    text.remove_prefix(blank == text.npos ? text.size() : blank + 1);
  }
  return lines;
}

std::string shorten(std::string_view text, std::size_t width) {
  const std::size_t columns = display_width(text);
  if (columns <= width) return std::string(text);
  if (width == 0) return {};
  // Two thirds of the start: names differ there first.
  const std::size_t tail = (width - 1) / 3;
  const std::size_t head = width - 1 - tail;
  return fmt::format("{}…{}", text.substr(0, offset_of_column(text, head)),
                     text.substr(offset_of_column(text, columns - tail)));
}

void write_wrapped(std::string_view mark, const std::string& text, std::size_t width, Output& out) {
  const std::size_t room = width > mark.size() + 20 ? width - mark.size() : 20;
  const std::vector<std::string> lines = wrapped(text, room);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out.write((i == 0 ? std::string(mark) : std::string(mark.size(), ' ')) + lines[i] + "\n");
}

std::size_t terminal_width() {
  constexpr std::size_t kNarrowest = 40;
  if (const std::size_t columns = terminal_columns(StandardStream::kOutput); columns > 0)
    return std::max(columns, kNarrowest);
  // The terminal may be on another machine (lacuna --on).
  if (const char* columns = std::getenv("LACUNA_COLUMNS"); columns != nullptr)
    if (const long count = std::strtol(columns, nullptr, 10); count > 0 && count < 100'000)
      return std::max<std::size_t>(static_cast<std::size_t>(count), kNarrowest);
  return 120;
}

}  // namespace lacuna
