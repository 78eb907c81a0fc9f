#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/byte_source.h"
#include "model/input/byte_window.h"

namespace lacuna {

/// Reads JSON value by value, in the order of the text, and holds no more of it than the value at hand: for files that
/// are one large object, such as profiles. Any bytes: where they are no JSON any more it is broken, every question is
/// answered as at the end, and offset() says where that was. One thread.
class JsonCursor {
 public:
  explicit JsonCursor(const ByteSource& bytes, std::uint64_t offset = 0) : window_(bytes), at_(offset) {}

  /// What the next value begins with: '{', '[', '"', '0' for a number, 't', 'f', 'n'; '\0' at the end or when broken.
  char kind();
  /// Whether an object ('{') or list ('[') begins here; anything else is skipped.
  bool begins(char open);
  /// Of an object that begins here, or whose last value was taken: moves to its next value and gives its key. False
  /// behind '}'.
  bool next_member(std::string& key);
  /// Likewise of a list. False behind ']'.
  bool next_entry();
  /// These values, each taken; what is something else is skipped.
  std::string text();
  std::optional<double> number();
  /// Text that is a number counts, too: "7695".
  std::optional<std::int64_t> integer();
  /// A number as it stands there, or text.
  std::string number_text();
  void skip();

  std::uint64_t offset() const { return at_; }  ///< of what is read next
  bool is_broken() const { return is_broken_; }

 private:
  static constexpr std::size_t kAhead = 64 * 1024;
  static constexpr std::size_t kDeepest = 512;

  /// The byte at the place, without moving; '\0' at the end.
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
