#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace lacuna {

/// Finds the tokens of a JSON text at several GB/s: the positions of all braces, brackets, colons
/// and commas outside strings, of all opening quotes, and of the first byte of all other scalars.
///
/// This is simdjson's stage 1, which selects its instruction set at run time. The positions are walked
/// by our own code (event_walker.h) because On-Demand does not check the grammar of what it skips: an
/// unescaped quote inside skipped args could then silently swallow an intact event.
/// The text need not be one document. One instance per thread; memory is 4 bytes per byte of text.
class Structurals {
 public:
  /// Bytes that must be readable behind the text. The first must be 0; the others may hold anything.
  static constexpr std::size_t kPadding = 64;

  Structurals();
  ~Structurals();
  Structurals(const Structurals&) = delete;
  Structurals& operator=(const Structurals&) = delete;

  /// Returns false if the text is not UTF-8, ends inside a string, has a raw control character inside a
  /// string, or is larger than 1 GB. The positions are then meaningless.
  bool index(const char* text, std::size_t size);

  std::uint32_t count() const { return count_; }
  /// count() positions, ascending, then the size of the text as a sentinel.
  const std::uint32_t* positions() const { return positions_; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  const std::uint32_t* positions_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace lacuna
