#include "capture/session/console_buffer.h"

#include <utility>

namespace lacuna {

void ConsoleBuffer::put(Current& current, char byte) {
  using Escape = Current::Escape;
  const auto code = static_cast<unsigned char>(byte);
  switch (current.escape) {
    case Escape::kBegun:
      current.escape = byte == '[' ? Escape::kSequence : byte == ']' ? Escape::kTitle : Escape::kNone;
      return;
    case Escape::kSequence:  // ends with a letter
      if (code >= 0x40) current.escape = Escape::kNone;
      return;
    case Escape::kTitle:  // ends with a bell, or ESC and a backslash
      if (byte == '\a') current.escape = Escape::kNone;
      if (byte == '\x1b') current.escape = Escape::kBegun;
      return;
    case Escape::kNone:
      break;
  }
  std::string& text = current.line.text;
  switch (byte) {
    case '\x1b':
      current.escape = Escape::kBegun;
      return;
    case '\n':
      return end_line(current);
    case '\r':
      current.returned = true;
      return;
    case '\b':
      if (!text.empty()) text.pop_back();
      return;
    case '\t':
      text.append(8 - text.size() % 8, ' ');
      return;
    default:
      break;
  }
  if (std::exchange(current.returned, false)) text.clear();
  text.push_back(code < 0x20 || code == 0x7f ? '?' : byte);
  if (text.size() >= kMostInLine) end_line(current);
}

void ConsoleBuffer::end_line(Current& current) {
  current.returned = false;
  bytes_ += current.line.text.size();
  lines_.push_back(current.line);
  current.line.text.clear();
  while (lines_.size() > kMostLines || bytes_ > kMostBytes) {
    bytes_ -= lines_.front().text.size();
    lines_.pop_front();
    ++dropped_;
  }
}

void ConsoleBuffer::add(Stream stream, std::string_view bytes) {
  if (bytes.empty()) return;
  if (stream == Stream::kOurs) return say(bytes);
  const std::scoped_lock lock(mutex_);
  for (const char byte : bytes) put(current_[stream == Stream::kErrors ? 1 : 0], byte);
  ++version_;
}

void ConsoleBuffer::say(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  Current ours{{Stream::kOurs, {}}};
  for (const char byte : text) put(ours, byte);
  end_line(ours);
  ++version_;
}

void ConsoleBuffer::finish() {
  const std::scoped_lock lock(mutex_);
  for (Current& current : current_)
    if (!current.line.text.empty()) end_line(current);
  ++version_;
}

std::size_t ConsoleBuffer::total() const {
  std::size_t count = lines_.size();
  for (const Current& current : current_) count += current.line.text.empty() ? 0 : 1;
  return count;
}

const ConsoleBuffer::Line& ConsoleBuffer::line(std::size_t index) const {
  if (index < lines_.size()) return lines_[index];
  const bool first = index == lines_.size() && !current_[0].line.text.empty();
  return current_[first ? 0 : 1].line;
}

std::uint64_t ConsoleBuffer::version() const {
  const std::scoped_lock lock(mutex_);
  return version_;
}

std::uint64_t ConsoleBuffer::dropped_lines() const {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

std::size_t ConsoleBuffer::size() const {
  const std::scoped_lock lock(mutex_);
  return total();
}

std::string ConsoleBuffer::text() const {
  const std::scoped_lock lock(mutex_);
  std::string all;
  all.reserve(bytes_ + total());
  for (std::size_t i = 0; i < total(); ++i) all.append(line(i).text).push_back('\n');
  return all;
}

}  // namespace lacuna
