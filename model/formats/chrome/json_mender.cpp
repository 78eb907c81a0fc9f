#include "model/formats/chrome/json_mender.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"
#include "model/formats/chrome/json_text.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kFarthestKeyEnd = 4096;  // how far a key is looked for behind a comma
constexpr std::size_t kFarthestEvent = 4096;   // how far closing brackets and blanks may run
constexpr std::size_t kLongestJunk = 256;      // between two events, to see the second one
constexpr std::size_t kFarthestPhase = 512;    // how far into an event "ph" is looked for
constexpr std::size_t kLongestWord = 64 * 1024;

/// Characters that may be copied in a string without a thought.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0x20; c < 0x80; ++c) plain[static_cast<std::size_t>(c)] = c != '"' && c != '\\' && c != '}';
  return plain;
}();

constexpr bool ends_word(int c) {
  return c == JsonMender::kEnd || is_json_space(static_cast<char>(c)) || c == ',' || c == ':' || c == '{' || c == '}' ||
         c == '[' || c == ']' || c == '"';
}

/// NaN, Infinity and how printf and others spell them.
bool is_non_finite(std::string_view word) {
  if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.remove_prefix(1);
  if (word.starts_with("1.#")) return true;  // old Microsoft runtimes
  return equal_ignoring_case(word, "nan") || equal_ignoring_case(word, "inf") ||
         equal_ignoring_case(word, "infinity") || equal_ignoring_case(word.substr(0, 4), "nan(");
}

constexpr bool closes(char bracket, char opening) {
  return opening == (bracket == '}' ? '{' : '[');
}

}  // namespace

void JsonMender::seek(std::uint64_t offset) {
  view_ = {};
  view_offset_ = offset;
  at_ = 0;
  no_event_before_ = 0;
  no_phase_before_ = 0;
}

bool JsonMender::fill(std::size_t ahead) {
  view_offset_ += at_;
  at_ = 0;
  view_ = window_.at(view_offset_, ahead + kReadBytes);
  return ahead < view_.size();
}

int JsonMender::peek(std::size_t ahead) {
  if (at_ + ahead >= view_.size() && !fill(ahead)) return kEnd;
  return static_cast<unsigned char>(view_[at_ + ahead]);
}

int JsonMender::peek_token() {
  int c = peek();
  while (c != kEnd && is_json_space(static_cast<char>(c))) {
    ++at_;
    c = peek();
  }
  return c;
}

std::size_t JsonMender::space_from(std::size_t ahead) {
  for (int c = peek(ahead); c != kEnd && is_json_space(static_cast<char>(c)); c = peek(ahead)) ++ahead;
  return ahead;
}

void JsonMender::put(char c) {
  if (muted_from_ != 0 || is_string_full_) return;
  if (out_->size() >= string_end_) {
    is_string_full_ = true;
  } else if (out_->size() < keep_.most_bytes) {
    out_->push_back(c);
  } else {
    is_cut_ = true;
  }
}

void JsonMender::put(std::string_view text) {
  if (muted_from_ != 0 || is_string_full_) return;
  if (out_->size() + text.size() > string_end_) {  // whole or not at all: it may be one character
    is_string_full_ = true;
    return;
  }
  const std::size_t room = keep_.most_bytes - std::min(keep_.most_bytes, out_->size());
  if (text.size() > room) is_cut_ = true;
  out_->append(text.substr(0, room));
}

void JsonMender::repaired(std::string_view what) {
  if (!is_repaired_) report_->add(Finding::kSyntaxRepaired, offset(), what);
  is_repaired_ = true;
}

bool JsonMender::mend_value(std::string& out, Keep keep, Place place) {
  out_ = &out;
  keep_ = keep;
  is_cut_ = false;
  is_repaired_ = false;
  muted_from_ = 0;
  stack_.clear();
  const int c = peek_token();
  if (c == kEnd) return false;
  if (c == '{' || c == '[') {
    open(static_cast<char>(c));
    return mend_container();
  }
  return mend_one(place);
}

bool JsonMender::mend_key(std::string& out) {
  out_ = &out;
  keep_ = {};
  is_cut_ = false;
  is_repaired_ = false;
  muted_from_ = 0;
  return mend_string(Place::kKey);
}

void JsonMender::open(char c) {
  take();
  if (muted_from_ == 0 && stack_.size() >= keep_.deepest) {
    put(c == '{' ? "{}" : "[]");
    muted_from_ = stack_.size() + 1;
  } else {
    put(c);
  }
  stack_.push_back(c);
  state_ = State::kItem;
}

/// Closes brackets up to the one that `c` (at offset()) belongs to; all, and leaves `c` where it is,
/// when there is none.
void JsonMender::close(char c, bool has_comma) {
  if (has_comma) report_->add(Finding::kTrailingComma, offset());
  if (!closes(c, stack_.back())) repaired("closing brackets that do not match");
  const bool has_partner = stack_.find(c == '}' ? '{' : '[') != std::string::npos;
  bool is_done = false;
  while (!is_done && !stack_.empty()) {
    is_done = has_partner && closes(c, stack_.back());
    put(stack_.back() == '{' ? '}' : ']');
    stack_.pop_back();
    if (stack_.size() < muted_from_) muted_from_ = 0;
  }
  if (has_partner) take();
  state_ = State::kAfter;
}

void JsonMender::close_all() {
  repaired("closing bracket missing");
  while (!stack_.empty()) {
    put(stack_.back() == '{' ? '}' : ']');
    stack_.pop_back();
    if (stack_.size() < muted_from_) muted_from_ = 0;
  }
}

/// From behind the opening bracket of a container to behind its closing one.
bool JsonMender::mend_container() {
  bool has_comma = false;  // a comma was read and not yet written
  while (!stack_.empty()) {
    const int c = peek_token();
    if (c == kEnd) return false;
    const bool in_object = stack_.back() == '{';
    const bool is_closing = c == '}' || c == ']';
    switch (state_) {
      case State::kItem:
        if (is_closing) {
          close(static_cast<char>(c), has_comma);
          has_comma = false;
        } else if (c == ',' || c == ':') {
          repaired(c == ',' ? "two commas" : "a colon too many");
          take();
        } else if (!in_object) {
          if (has_comma) put(',');
          has_comma = false;
          state_ = State::kAfter;
          if (!mend_one(Place::kInArray)) return false;
        } else if (c == '"') {
          if (has_comma) put(',');
          has_comma = false;
          if (!mend_string(Place::kKey)) return false;
          state_ = State::kColon;
        } else if (c == '{') {
          close_all();  // no object can stand here: it is the next event
        } else if (c == '[') {
          repaired("a list in place of a key");
          take();
        } else {
          repaired("a key without quotes");
          const std::string word(read_word());
          if (peek_token() != ':') break;
          if (has_comma) put(',');
          has_comma = false;
          put('"');
          for (const char each : word) mend_character(static_cast<unsigned char>(each));
          put('"');
          state_ = State::kColon;
        }
        break;
      case State::kColon:
        put(':');
        if (c == ':') {
          take();
        } else {
          repaired("a colon is missing");
        }
        state_ = State::kValue;
        break;
      case State::kValue:
        state_ = State::kAfter;
        if (is_closing || c == ',') {
          repaired("a value is missing");
          put("null");
        } else if (c == ':') {
          repaired("two colons");
          take();
          state_ = State::kValue;
        } else if (!mend_one(Place::kInObject)) {
          return false;
        }
        break;
      case State::kAfter:
        if (is_closing) {
          close(static_cast<char>(c), false);
        } else if (c == ',') {
          take();
          has_comma = true;
          state_ = State::kItem;
        } else if (c == '{' && in_object) {
          close_all();
        } else if (c == '"' || !in_object) {
          repaired("a comma is missing");
          has_comma = true;
          state_ = State::kItem;
        } else {
          repaired("characters behind a value");
          take();
        }
        break;
    }
  }
  return true;
}

/// A value that is not the outermost: opens a container, or reads a scalar to its end.
bool JsonMender::mend_one(Place place) {
  const int c = peek_token();
  if (c == '"') return mend_string(place);
  if (c == '{' || c == '[') {
    if (stack_.size() >= kDeepest) return skip_deep();
    open(static_cast<char>(c));
    return true;
  }
  mend_word();
  return true;
}

/// Reads over a container below kDeepest without remembering its brackets.
bool JsonMender::skip_deep() {
  repaired("nested too deeply");
  put("null");
  const std::size_t muted_before = muted_from_;
  if (muted_from_ == 0) muted_from_ = stack_.size() + 1;
  std::uint64_t depth = 0;
  do {
    const int c = peek_token();
    if (c == kEnd) return false;
    if (c == '"') {
      if (!mend_string(Place::kDeep)) return false;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    take();
  } while (depth > 0);
  muted_from_ = muted_before;
  return true;
}

std::string_view JsonMender::read_word() {
  word_.clear();
  for (int c = peek(); !ends_word(c); c = peek()) {
    if (word_.size() < kLongestWord) word_.push_back(static_cast<char>(c));
    take();
  }
  return word_;
}

/// A number, true, false, null, or a word that JSON does not have.
void JsonMender::mend_word() {
  const std::uint64_t start = offset();
  const std::string_view word = read_word();
  if (word.empty()) {  // a stray ':' or the like: cannot happen at a value, but must not stall
    repaired("a value is missing");
    take();
    return put("null");
  }
  if (word == "true" || word == "false" || word == "null" || is_json_number(word)) return put(word);
  if (is_non_finite(word)) {
    report_->add(Finding::kNonFiniteNumber, start, word);
    return put("null");
  }
  repaired("a word that is not JSON");
  if (word == "True" || word == "False") return put(word == "True" ? "true" : "false");
  if (word == "None" || word == "undefined" || word == "nil") return put("null");
  put('"');  // keeps numbers such as 0x1F, .5 or +3 readable as text
  for (const char each : word) mend_character(static_cast<unsigned char>(each));
  put('"');
}

bool JsonMender::mend_string(Place place) {
  put('"');
  take();
  string_end_ = keep_.longest_string == ~std::size_t{0} ? keep_.longest_string : out_->size() + keep_.longest_string;
  const bool is_whole = mend_characters(place);
  string_end_ = ~std::size_t{0};
  is_string_full_ = false;
  if (is_whole) put('"');
  return is_whole;
}

/// From behind the opening quote to behind the closing one.
bool JsonMender::mend_characters(Place place) {
  while (true) {
    // The long stretches of harmless characters at once.
    std::size_t end = at_;
    while (end < view_.size() && kPlain[static_cast<unsigned char>(view_[end])]) ++end;
    if (end > at_) put(view_.substr(at_, end - at_));
    at_ = end;
    const int c = peek();
    if (c == kEnd) return false;
    if (c == '"') {
      if (is_closing_quote(place)) break;
      report_->add(Finding::kRawQuote, offset());
      put("\\\"");
      take();
    } else if (c == '\\') {
      mend_escape();
    } else if (c == '}') {
      if (begins_next_event()) {
        repaired("a closing quote is missing");
        return true;
      }
      put('}');
      take();
    } else if (c < 0x20) {
      report_->add(Finding::kControlCharacter, offset());
      mend_character(static_cast<unsigned char>(c));
      take();
    } else if (c < 0x80) {
      put(static_cast<char>(c));
      take();
    } else {
      peek(3);  // a whole UTF-8 sequence, if the data have one
      const std::size_t length = utf8_length(view_.substr(at_, 4));
      if (length == 0) {
        report_->add(Finding::kInvalidUtf8, offset());
        put("\xEF\xBF\xBD");
        take();
      } else {
        put(view_.substr(at_, length));
        take(length);
      }
    }
  }
  take();
  return true;
}

/// At a backslash.
void JsonMender::mend_escape() {
  const int c = peek(1);
  const bool is_simple = c != kEnd && std::string_view("\"\\/bfnrt").find(static_cast<char>(c)) != std::string::npos;
  bool is_unicode = c == 'u';
  for (std::size_t i = 2; is_unicode && i < 6; ++i) {
    const int digit = peek(i);
    is_unicode = (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F');
  }
  if (is_simple || is_unicode) {
    const std::size_t length = is_simple ? 2 : 6;
    put(view_.substr(at_, length));
    take(length);
    return;
  }
  report_->add(Finding::kBadEscape, offset());
  put("\\\\");
  take();
}

/// Writes a byte so that it may stand in a string.
void JsonMender::mend_character(unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    put('\\');
    put(static_cast<char>(c));
  } else if (c < 0x20) {
    put("\\u00");
    put(kHex[c >> 4]);
    put(kHex[c & 15]);
  } else if (c < 0x80) {
    put(static_cast<char>(c));
  } else {
    put("\xEF\xBF\xBD");
  }
}

/// Does the quote at offset() end the string?
bool JsonMender::is_closing_quote(Place place) {
  std::size_t next = space_from(1);
  int c = peek(next);
  if (c == kEnd) return true;
  if (place == Place::kKey) return c == ':';
  if (place == Place::kDeep) return c == ':' || c == ',' || c == ']' || c == '}';
  if (c == ',') {
    next = space_from(next + 1);
    c = peek(next);
    if (place == Place::kInArray) return c != ':';
    return c == '"' ? is_key(next) : c == kEnd || c == '}' || c == ']' || c == ',' || c == '{';
  }
  if (place == Place::kInArray) return c == ']';
  if (c == ']') return stack_.find('[') == std::string::npos;  // the end of the events, '}' missing
  if (c != '}') return false;
  next = space_from(next + 1);
  c = peek(next);
  return c == kEnd || c == ',' || c == '}' || c == ']' || c == '{' || is_object_near(next);
}

/// Does an object begin `ahead` or a little later, with no quote before it? Junk between two events
/// must not make a string of the first one run on into the second.
bool JsonMender::is_object_near(std::size_t ahead) {
  for (std::size_t i = ahead; i < ahead + kLongestJunk; ++i) {
    const int c = peek(i);
    if (c == kEnd || c == '"') return false;
    if (c != '{') continue;
    const std::size_t quote = space_from(i + 1);
    return peek(quote) == '"' && is_key(quote);
  }
  return false;
}

/// Is there a string followed by a colon `ahead`?
bool JsonMender::is_key(std::size_t ahead) {
  for (std::size_t i = ahead + 1; i < ahead + kFarthestKeyEnd; ++i) {
    const int c = peek(i);
    if (c == kEnd) return true;  // cut off: as good as any
    if (c == '\\') ++i;
    if (c != '"') continue;
    const int next = peek(space_from(i + 1));
    return next == ':' || next == kEnd;
  }
  return false;
}

/// At a '}' inside a string: does an object end here and another event begin? In a sound string it
/// cannot, since the quote of the event's first key would be escaped.
bool JsonMender::begins_next_event() {
  if (offset() < no_event_before_) return false;
  const auto no_event_up_to = [&](std::size_t ahead) {
    no_event_before_ = offset() + ahead;
    return false;
  };
  std::size_t i = 1;
  for (int c = peek(i); c == '}' || (c != kEnd && is_json_space(static_cast<char>(c))); c = peek(++i))
    if (i > kFarthestEvent) return no_event_up_to(i);
  const std::size_t brace = peek(i) == ',' ? space_from(i + 1) : i;
  if (peek(brace) != '{') return no_event_up_to(i);
  const std::size_t quote = space_from(brace + 1);
  if (peek(quote) != '"' || !is_key(quote)) return no_event_up_to(i);
  // Each byte is searched once, however many braces come before it.
  const std::uint64_t object = offset() + quote;
  const std::size_t known = no_phase_before_ > object ? static_cast<std::size_t>(no_phase_before_ - object) : 0;
  constexpr std::string_view kPhaseKey = "\"ph\"";
  peek(quote + kFarthestPhase);
  const std::string head(view_.substr(std::min(at_ + quote, view_.size()), kFarthestPhase));
  for (std::size_t p = known; (p = head.find(kPhaseKey, p)) != std::string::npos; ++p)
    if (peek(space_from(quote + p + kPhaseKey.size())) == ':') return true;
  if (head.size() > kPhaseKey.size()) no_phase_before_ = object + head.size() - kPhaseKey.size();
  return no_event_up_to(i);
}

}  // namespace lacuna
