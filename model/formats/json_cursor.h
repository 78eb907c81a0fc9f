#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/byte_source.h"
#include "model/input/byte_window.h"

namespace lacuna {

/// Reads JSON value by value, in the order of the text, and holds only the current value in memory: for files that
/// are one large object, such as profiles. Accepts any bytes: at the first that is not JSON the cursor is broken, all
/// calls then answer as at the end, and offset() returns the position. One thread.
class JsonCursor {
 public:
  explicit JsonCursor(const ByteSource& bytes, std::uint64_t offset = 0) : window_(bytes), at_(offset) {}

  /// Returns the kind of the next value: '{', '[', '"', '0' for a number, 't', 'f', 'n'; '\0' at the end or if broken.
  char kind();
  /// Whether an object ('{') or list ('[') begins here; skips any other value.
  bool begins(char open);
  /// In an object that begins here, or whose last value was read: moves to its next value and gives its key. Returns
  /// false behind '}'.
  bool next_member(std::string& key);
  /// Moves to the next value of a list, likewise. Returns false behind ']'.
  bool next_entry();
  /// Each reads a value of this type; skips a value of another type.
  std::string text();
  std::optional<double> number();
  /// Also accepts text that is a number: "7695".
  std::optional<std::int64_t> integer();
  /// Returns a number as written in the file, or text.
  std::string number_text();
  void skip();

  std::uint64_t offset() const { return at_; }  ///< position of the next byte to read
  bool is_broken() const { return is_broken_; }

 private:
  static constexpr std::size_t kAhead = 64 * 1024;
  static constexpr std::size_t kDeepest = 512;

  /// Returns the current byte without moving; '\0' at the end.
  char peek();
  bool take(char expected);
  void skip_spaces();
  bool next(char open, char close);
  void read_string(std::string* out);
  std::string token();
  void give_up() { is_broken_ = true; }

  ByteWindow window_;
  std::uint64_t at_;
  bool is_broken_ = false;
};

}  // namespace lacuna
