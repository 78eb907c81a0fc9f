#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace lacuna {

/// The newest lines of a target's stdout and stderr and of our own messages, within
/// bounds; older lines are dropped and counted.
///
/// Suits programs that expect a terminal: a carriage return starts the line over (progress
/// bars), colours and other escape sequences are left out, bytes that are not text become '?'.
/// Any thread may call.
class ConsoleBuffer {
 public:
  enum class Stream : std::uint8_t { kOutput, kErrors, kOurs };
  struct Line {
    Stream stream = Stream::kOutput;
    std::string text;
  };
  static constexpr std::size_t kMostLines = 20'000;
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMostInLine = 8'192;  ///< longer lines are broken

  /// Adds raw bytes; they may begin and end anywhere within a line.
  void add(Stream stream, std::string_view bytes);
  /// Adds a line of our own.
  void say(std::string_view text);
  /// Completes the lines that have not ended yet.
  void finish();

  /// A number that changes whenever something is added.
  std::uint64_t version() const;
  std::uint64_t dropped_lines() const;
  /// The number of lines, those not ended yet included.
  std::size_t size() const;
  /// Calls visit(const Line&) for the lines [first, last), under the lock: be quick.
  template <class Visit>
  void for_each(std::size_t first, std::size_t last, Visit&& visit) const {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = first; i < last && i < total(); ++i) visit(line(i));
  }
  /// Returns all lines, each with a line end.
  std::string text() const;

 private:
  /// An unfinished line, and the state of the escape sequence in it.
  struct Current {
    Line line;
    bool returned = false;  ///< a carriage return: the next character starts the line over
    enum class Escape : std::uint8_t { kNone, kBegun, kSequence, kTitle } escape = Escape::kNone;
  };
  void put(Current& current, char byte);
  void end_line(Current& current);
  std::size_t total() const;
  const Line& line(std::size_t index) const;

  mutable std::mutex mutex_;
  std::deque<Line> lines_;
  std::size_t bytes_ = 0;
  Current current_[2] = {{{Stream::kOutput, {}}}, {{Stream::kErrors, {}}}};
  std::uint64_t dropped_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace lacuna
