#include "capture/session/json_check.h"

#include <algorithm>
#include <cstddef>

#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

constexpr int kMostLevels = 16;

class JsonChecker {
 public:
  explicit JsonChecker(std::string_view text) : rest_(text) {}

  /// Members up to `end`, which is taken; with '\0' up to the end of the text.
  bool members(char end, int level) {
    return list(end, level, [&] { return string() && take(':') && value(level); });
  }

 private:
  void skip_space() {
    while (!rest_.empty() && is_json_space(rest_.front())) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_end(char end) {
    skip_space();
    return end == '\0' ? rest_.empty() : take(end);
  }

  template <class Element>
  bool list(char end, int level, Element element) {
    if (level > kMostLevels) return false;
    if (take_end(end)) return true;
    do {
      if (!element()) return false;
    } while (take(','));
    return take_end(end);
  }

  bool string() {
    if (!take('"')) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"') {
        rest_.remove_prefix(1);
        return true;
      }
      const std::size_t length = c == '\\' ? escape_length() : utf8_length(rest_);
      if (length == 0 || static_cast<unsigned char>(c) < 0x20) return false;
      rest_.remove_prefix(length);
    }
    return false;
  }

  /// 0 when it is none.
  std::size_t escape_length() const {
    if (rest_.size() < 2) return 0;
    if (rest_[1] != 'u') return std::string_view("\"\\/bfnrt").find(rest_[1]) != std::string_view::npos ? 2 : 0;
    if (rest_.size() < 6) return 0;
    for (const char c : rest_.substr(2, 4))
      if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return 0;
    return 6;
  }

  bool value(int level) {
    skip_space();
    if (rest_.empty()) return false;
    if (rest_.front() == '"') return string();
    if (take('{')) return members('}', level + 1);
    if (take('[')) return list(']', level + 1, [&] { return value(level + 1); });
    const std::size_t length = std::min(rest_.find_first_of(",]} \n\r\t"), rest_.size());
    const std::string_view token = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return token == "true" || token == "false" || token == "null" || is_json_number(token);
  }

  std::string_view rest_;
};

}  // namespace

bool is_json_members(std::string_view text) {
  return JsonChecker(text).members('\0', 0);
}

}  // namespace lacuna
