#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/input/byte_window.h"
#include "model/trace/import_report.h"

namespace lacuna {

/// Reads JSON that may be damaged, one value at a time, and writes it as valid JSON. Each repair is
/// counted in the report with its byte offset.
///
/// Repairs: raw quotes, control characters, bad escapes and broken UTF-8 inside strings; NaN,
/// Infinity and other words in place of a number; missing, repeated and trailing commas; missing
/// colons and values; unquoted keys; mismatched brackets. A quote ends a string only if what
/// follows fits: a colon after a key, else a comma and the next key or value, or a closing bracket.
/// A string that would swallow the start of another event ends there.
///
/// Valid JSON is unchanged, and nothing is counted. Linear in the size of the input; about 200 MB/s. Not
/// recursive; nesting is cut at kDeepest. One thread.
class JsonMender {
 public:
  static constexpr std::size_t kDeepest = 1024;
  static constexpr int kEnd = -1;

  /// The context of a value, which determines what may follow it. Unknown below kDeepest.
  enum class Place : std::uint8_t { kKey, kInObject, kInArray, kDeep };

  /// Which parts of a value to keep; the rest is read and dropped.
  struct Keep {
    std::size_t most_bytes = std::size_t{64} << 20;  ///< further output is dropped
    std::size_t longest_string = ~std::size_t{0};    ///< the rest of a longer string is dropped
    std::size_t deepest = kDeepest;                  ///< containers nested deeper lose their contents
  };

  JsonMender(const ByteSource& source, ImportReport& report) : window_(source), report_(&report) {}

  void seek(std::uint64_t offset);
  void set_report(ImportReport& report) { report_ = &report; }
  std::uint64_t offset() const { return view_offset_ + at_; }

  /// Skips white space and returns the character at offset(), kEnd at the end of the data.
  int peek_token();
  /// Returns the character `ahead` bytes after offset().
  int peek(std::size_t ahead = 0);
  void take(std::size_t count = 1) { at_ += count; }

  /// Reads the value at offset() (peek_token() is its first character). Returns false if the data ends
  /// inside it; `out` then holds the part read.
  bool mend_value(std::string& out, Keep keep, Place place = Place::kInObject);
  /// Reads the string at offset() as the key of a member.
  bool mend_key(std::string& out);
  /// Whether the last value was longer than Keep::most_bytes.
  bool was_cut() const { return is_cut_; }
  /// Reads a bare word: everything up to white space or one of ,:{}[]".
  std::string_view read_word();

 private:
  enum class State : std::uint8_t { kItem, kColon, kValue, kAfter };

  bool fill(std::size_t ahead);
  bool mend_container();
  bool mend_one(Place place);
  bool mend_string(Place place);
  bool mend_characters(Place place);
  void mend_word();
  void mend_escape();
  void mend_character(unsigned char c);
  void open(char c);
  void close(char c, bool has_comma);
  void close_all();
  bool skip_deep();
  bool is_closing_quote(Place place);
  bool is_key(std::size_t ahead);
  bool is_object_near(std::size_t ahead);
  bool begins_next_event();
  std::size_t space_from(std::size_t ahead);
  void put(char c);
  void put(std::string_view text);
  void repaired(std::string_view what);

  ByteWindow window_;
  ImportReport* report_;
  std::string_view view_;
  std::uint64_t view_offset_ = 0;
  std::size_t at_ = 0;

  std::string* out_ = nullptr;
  Keep keep_;
  bool is_cut_ = false;
  std::string stack_;                         // open brackets of the current value
  std::size_t string_end_ = ~std::size_t{0};  // size of *out_ at which the current string is cut
  bool is_string_full_ = false;               // the current string was cut
  std::size_t muted_from_ = 0;                // size of stack_ at which output stopped; 0 = it did not
  State state_ = State::kItem;
  bool is_repaired_ = false;  // already counted for this value
  std::string word_;
  std::uint64_t no_event_before_ = 0;  // begins_next_event() is false before this offset
  std::uint64_t no_phase_before_ = 0;  // no "ph" key begins between a brace seen and here
};

}  // namespace lacuna
