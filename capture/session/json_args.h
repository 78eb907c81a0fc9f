#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "model/formats/json_value.h"

namespace lacuna {

/// Builds the members of an "args" object one by one, in a buffer that is reused.
class JsonArgs {
 public:
  void clear() { text_.clear(); }
  std::string_view text() const { return text_; }

  void number(std::string_view key, std::uint64_t value) { begin(key), append(fmt::format_int(value)); }
  void integer(std::string_view key, std::int64_t value) { begin(key), append(fmt::format_int(value)); }
  void real(std::string_view key, double value) {
    begin(key);
    // JSON has no inf and nan
    text_.append(value - value == 0 ? fmt::format("{}", value) : fmt::format("\"{}\"", value));
  }
  void string(std::string_view key, std::string_view value) {
    begin(key);
    append_json_string(value, text_);
  }
  /// Appends members that are JSON already; nothing when empty.
  void members(std::string_view json) {
    if (json.empty()) return;
    if (!text_.empty()) text_.push_back(',');
    text_.append(json);
  }
  /// `value` is JSON already.
  void raw(std::string_view key, std::string_view value) { begin(key), text_.append(value); }

 private:
  void begin(std::string_view key) {
    if (!text_.empty()) text_.push_back(',');
    text_.push_back('"');
    text_.append(key).append("\":");
  }
  void append(const fmt::format_int& number) { text_.append(number.data(), number.size()); }
  std::string text_;
};

}  // namespace lacuna
