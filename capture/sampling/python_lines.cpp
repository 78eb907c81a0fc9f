#include "capture/sampling/python_lines.h"

#include <algorithm>
#include <cstddef>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

class TableReader {
 public:
  explicit TableReader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() { return at_end() ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes_[at_++]); }
  std::int8_t signed_byte() { return static_cast<std::int8_t>(byte()); }
  /// Six bits at a time, the least significant first.
  std::uint32_t varint() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 6) {
      const std::uint8_t next = byte();
      value |= static_cast<std::uint32_t>(next & 63u) << shift;
      if ((next & 64u) == 0) break;
    }
    return value;
  }
  std::int32_t signed_varint() {
    const std::uint32_t value = varint();
    const auto half = static_cast<std::int32_t>(value >> 1);
    return (value & 1u) != 0 ? -half : half;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

SourcePlace only_line(std::int64_t line) {
  SourcePlace place;
  if (line > 0 && line < INT32_MAX) place.line = place.end_line = static_cast<std::uint32_t>(line);
  return place;
}

SourcePlace place_in_lnotab(TableReader table, std::int64_t line, std::uint32_t offset) {
  std::uint32_t address = 0;
  while (!table.at_end()) {
    address += table.byte();
    if (address > offset) break;
    line += table.signed_byte();
  }
  return only_line(line);
}

SourcePlace place_in_lines(TableReader table, std::int64_t line, std::uint32_t offset) {
  std::uint32_t end = 0;
  while (!table.at_end()) {
    end += table.byte();
    const std::int8_t delta = table.signed_byte();
    const bool has_line = delta != -128;
    if (has_line) line += delta;
    if (offset < end) return has_line ? only_line(line) : SourcePlace{};
  }
  return {};
}

SourcePlace place_in_locations(TableReader table, std::int64_t line, std::uint32_t offset) {
  constexpr std::uint32_t kInstruction = 2;  // bytes
  std::uint32_t end = 0;
  while (!table.at_end()) {
    const std::uint8_t first = table.byte();
    const unsigned code = (first >> 3) & 15u;
    end += ((first & 7u) + 1) * kInstruction;
    SourcePlace place;
    switch (code) {
      case 15:
        break;
      case 14: {
        line += table.signed_varint();
        place = only_line(line);
        place.end_line += table.varint();
        place.column = static_cast<std::int32_t>(table.varint()) - 1;
        place.end_column = static_cast<std::int32_t>(table.varint()) - 1;
        break;
      }
      case 13:
        line += table.signed_varint();
        place = only_line(line);
        break;
      case 10:
      case 11:
      case 12:
        line += code - 10;
        place = only_line(line);
        place.column = table.byte();
        place.end_column = table.byte();
        break;
      default: {
        const std::uint8_t second = table.byte();
        place = only_line(line);
        place.column = static_cast<std::int32_t>(code * 8 + ((second >> 4) & 7u));
        place.end_column = place.column + (second & 15);
        break;
      }
    }
    if (offset < end) return place;
  }
  return {};
}

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\\' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

bool is_part_of_name(char c) {
  return is_ascii_letter(c) || is_digit(c) || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

SourcePlace place_of_instruction(LineTable kind, std::string_view table, std::uint32_t first_line,
                                 std::uint32_t offset) {
  switch (kind) {
    case LineTable::kLnotab:
      return place_in_lnotab(TableReader(table), first_line, offset);
    case LineTable::kLines:
      return place_in_lines(TableReader(table), first_line, offset);
    case LineTable::kLocations:
      return place_in_locations(TableReader(table), first_line, offset);
  }
  return {};
}

bool is_call(std::string_view source) {
  source = trim_end(source);
  return source.ends_with(')') || source.starts_with("with ") || source.starts_with("async with ");
}

std::string_view only_call(std::string_view line) {
  line = trim_end(line);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  for (const std::string_view word : {"for ", "while ", "if ", "elif ", "with ", "async ", "class ", "@"})
    if (line.starts_with(word)) return {};
  if (line.starts_with("def "))  // with its body behind it
    line.remove_prefix(std::min(line.rfind("):"), line.size()));
  if (const std::size_t comment = line.find('#'); comment != line.npos) line = trim_end(line.substr(0, comment));
  int calls = 0;
  for (std::size_t i = 1; i < line.size(); ++i)
    if (line[i] == '(' && (is_part_of_name(line[i - 1]) || line[i - 1] == ']' || line[i - 1] == ')')) ++calls;
  return calls == 1 && line.ends_with(')') ? called_name(line) : std::string_view();
}

std::string_view called_name(std::string_view call) {
  call = trim_end(call);
  // Of "with lock: work()" the place is the whole statement, while the lock is asked for.
  if (call.starts_with("with ") || call.starts_with("async with ")) {
    int depth = 0;
    for (std::size_t i = 0; i < call.size(); ++i) {
      if (call[i] == '(' || call[i] == '[' || call[i] == '{') ++depth;
      if (call[i] == ')' || call[i] == ']' || call[i] == '}') --depth;
      if (call[i] == ':' && depth == 0) return call.substr(0, i);
    }
    return {};
  }
  if (!call.ends_with(')')) return {};
  // The parenthesis that belongs to the last one; those in strings are taken for what they look like.
  std::size_t at = call.size();
  for (int depth = 0; at > 0; --at) {
    const char c = call[at - 1];
    if (c == ')') ++depth;
    if (c == '(' && --depth == 0) break;
  }
  if (at == 0) return {};
  const std::string_view callee = trim_end(call.substr(0, at - 1));
  std::size_t begin = callee.size();
  while (begin > 0 && is_part_of_name(callee[begin - 1])) --begin;
  while (begin < callee.size() && callee[begin] == '.') ++begin;
  return callee.substr(begin);
}

}  // namespace lacuna
