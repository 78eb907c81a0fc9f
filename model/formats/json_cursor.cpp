#include "model/formats/json_cursor.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/formats/chrome/json_text.h"

namespace lacuna {

char JsonCursor::peek() {
  if (is_broken_) return '\0';
  const std::string_view ahead = window_.ahead(at_, 1, kAhead);
  return ahead.empty() ? '\0' : ahead.front();
}

bool JsonCursor::take(char expected) {
  if (peek() != expected) return false;
  ++at_;
  return true;
}

void JsonCursor::skip_spaces() {
  while (!is_broken_) {
    const std::string_view ahead = window_.ahead(at_, 1, kAhead);
    std::size_t count = 0;
    while (count < ahead.size() && is_json_space(ahead[count])) ++count;
    at_ += count;
    if (count < ahead.size() || ahead.empty()) return;
  }
}

char JsonCursor::kind() {
  skip_spaces();
  const char c = peek();
  if (c == '-' || (c >= '0' && c <= '9')) return '0';
  switch (c) {
    case '{':
    case '[':
    case '"':
    case 't':
    case 'f':
    case 'n':
      return c;
    default:
      return '\0';
  }
}

bool JsonCursor::begins(char open) {
  if (kind() == open) return true;
  skip();
  return false;
}

/// Whether a value of the list or object follows; takes brackets and commas.
bool JsonCursor::next(char open, char close) {
  skip_spaces();
  const bool is_begun = !take(open);
  skip_spaces();
  if (take(close)) return false;
  if (is_begun && !take(',')) give_up();
  skip_spaces();
  if (peek() == '\0') give_up();
  return !is_broken_;
}

bool JsonCursor::next_member(std::string& key) {
  if (!next('{', '}')) return false;
  key.clear();
  if (peek() != '"') {
    give_up();
    return false;
  }
  read_string(&key);
  skip_spaces();
  if (!take(':')) give_up();
  return !is_broken_;
}

bool JsonCursor::next_entry() {
  return next('[', ']');
}

void JsonCursor::read_string(std::string* out) {
  std::string raw;
  ++at_;
  while (!is_broken_) {
    const std::string_view ahead = window_.ahead(at_, 1, kAhead);
    const std::size_t end = ahead.find_first_of("\"\\");
    if (out != nullptr) raw.append(ahead.substr(0, end));
    if (end == ahead.npos) {
      at_ += ahead.size();
      if (ahead.empty()) give_up();
      continue;
    }
    at_ += end;
    if (ahead[end] == '"') {
      ++at_;
      if (out != nullptr) append_unescaped(raw, *out);
      return;
    }
    const std::string_view pair = window_.ahead(at_, 2, kAhead);
    if (pair.size() < 2) return give_up();
    if (out != nullptr) raw.append(pair.substr(0, 2));
    at_ += 2;
  }
}

std::string JsonCursor::token() {
  constexpr std::size_t kLongestToken = 64;  // no number or word of JSON that we read is longer
  const std::string_view ahead = window_.ahead(at_, kLongestToken, kAhead);
  const std::size_t size = std::min(ahead.find_first_of(",]} \t\r\n:\"[{"), ahead.size());
  std::string text(ahead.substr(0, size));
  at_ += size;
  if (size == 0) give_up();
  return text;
}

std::string JsonCursor::text() {
  std::string value;
  if (kind() != '"') {
    skip();
    return value;
  }
  read_string(&value);
  return value;
}

std::optional<double> JsonCursor::number() {
  if (kind() != '0') {
    skip();
    return {};
  }
  const std::string digits = token();
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || !std::isfinite(value)) return {};
  return value;
}

std::string JsonCursor::number_text() {
  return kind() == '0' ? token() : text();
}

std::optional<std::int64_t> JsonCursor::integer() {
  const std::string digits = number_text();
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return {};
  return value;
}

void JsonCursor::skip() {
  std::string open;
  do {
    switch (kind()) {
      case '{':
      case '[':
        if (open.size() == kDeepest) return give_up();
        open += peek() == '{' ? '}' : ']';
        ++at_;
        break;
      case '"':
        read_string(nullptr);
        break;
      case '\0':
        if (open.empty() || peek() == '\0') return give_up();
        if (peek() == open.back())
          open.pop_back();
        else if (peek() != ',' && peek() != ':')
          return give_up();
        ++at_;
        break;
      default:
        (void)token();
    }
  } while (!open.empty() && !is_broken_);
}

}  // namespace lacuna
