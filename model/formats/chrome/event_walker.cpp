#include "model/formats/chrome/event_walker.h"

#include <array>
#include <cstring>

#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

constexpr std::uint32_t word(const char (&text)[5]) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

std::uint32_t load_word(const char* p) {
  std::uint32_t value = 0;
  std::memcpy(&value, p, sizeof value);
  return value;
}

bool starts_with(const char* p, std::string_view text) {
  return std::memcmp(p, text.data(), text.size()) == 0;
}

/// Judged by its beginning and its end: enough to tell NaN, Infinity and other words that JSON does not have, and a
/// quote that sticks to a number (simdjson sees no new token there).
bool is_plausible_number(const char* begin, char last) {
  return is_digit(last) && (is_digit(*begin) || (*begin == '-' && is_digit(begin[1])));
}

/// A number, true, false or null, likewise.
bool is_plausible_scalar(const char* begin, const char* end) {
  while (is_json_space(end[-1])) --end;
  if (is_plausible_number(begin, end[-1])) return true;
  const std::uint32_t head = load_word(begin);
  if (head == word("fals")) return end - begin == 5 && begin[4] == 'e';
  return end - begin == 4 && (head == word("true") || head == word("null"));
}

/// A key of events: its quote and three characters, and what follows them. Found in one step: the keys of an event vary
/// too much for a tree of branches to be foreseen.
struct KnownKey {
  std::uint32_t word = 0;
  std::uint64_t rest = 0;
  std::uint64_t mask = 0;
  TokenIndex EventFields::*field = nullptr;
};

constexpr std::size_t slot_of_key(std::uint32_t word) {
  return word * 0xc9e9c617u >> 26;
}

constexpr std::array<KnownKey, 64> kKnownKeys = [] {
  struct Field {
    std::string_view key;
    TokenIndex EventFields::*field;
  };
  // But "s", which is too short, and flow_out, which begins as flow_in.
  constexpr Field kFields[] = {
      {"\"ph\"", &EventFields::ph},           {"\"ts\"", &EventFields::ts},
      {"\"id\"", &EventFields::id},           {"\"bp\"", &EventFields::bp},
      {"\"dur\"", &EventFields::dur},         {"\"pid\"", &EventFields::pid},
      {"\"tid\"", &EventFields::tid},         {"\"tts\"", &EventFields::tts},
      {"\"tdur\"", &EventFields::tdur},       {"\"cat\"", &EventFields::cat},
      {"\"id2\"", &EventFields::id2},         {"\"name\"", &EventFields::name},
      {"\"args\"", &EventFields::args},       {"\"scope\"", &EventFields::scope},
      {"\"bind_id\"", &EventFields::bind_id}, {"\"flow_in\"", &EventFields::flow_in},
  };
  std::array<KnownKey, 64> keys{};
  for (const Field& field : kFields) {
    KnownKey known{.field = field.field};
    for (std::size_t i = field.key.size(); i-- > 0;) {
      const auto c = static_cast<std::uint64_t>(static_cast<unsigned char>(field.key[i]));
      if (i < 4) {
        known.word = known.word << 8 | static_cast<std::uint32_t>(c);
      } else {
        known.rest = known.rest << 8 | c;
        known.mask = known.mask << 8 | 0xff;
      }
    }
    KnownKey& slot = keys[slot_of_key(known.word)];
    if (slot.field != nullptr) throw "two keys in one slot: another factor is needed";
    slot = known;
  }
  return keys;
}();

}  // namespace

inline bool EventWalker::is_scalar(TokenIndex value) const {
  if (value >= count_) return false;
  const char* const begin = text_ + positions_[value];
  const char* const end = text_ + positions_[value + 1];
  // Most are numbers with no space behind.
  return is_plausible_number(begin, end[-1]) || is_plausible_scalar(begin, end);
}

void EventWalker::start(const char* text, const Structurals& tokens) {
  *this = EventWalker();
  text_ = text;
  positions_ = tokens.positions();
  count_ = tokens.count();
}

EventWalker::Step EventWalker::broken(TokenIndex at) {
  broken_ = at;
  return Step::kBroken;
}

EventWalker::Step EventWalker::next(EventFields& fields) {
  entry_ = next_;
  if (!is_first_) {
    if (entry_ == count_) return Step::kTextEnd;
    const char c = first_char(entry_);
    if (c == ']') return Step::kListEnd;
    if (c != ',') {
      lacks_comma_ = true;
      return broken(entry_);
    }
    next_ = ++entry_;
    has_trailing_comma_ = entry_ == count_ || first_char(entry_) == ']';
  }
  if (entry_ == count_) return Step::kTextEnd;
  const char c = first_char(entry_);
  if (c == '{') return read_event(fields);
  if (c == ']') return Step::kListEnd;
  const TokenIndex after = skip_value(entry_);
  if (after == 0) return Step::kBroken;
  next_ = after;
  is_first_ = false;
  return Step::kNotEvent;
}

EventWalker::Step EventWalker::read_event(EventFields& fields) {
  fields = EventFields();
  fields.open = entry_;
  TokenIndex key = entry_ + 1;
  if (first_char(key) == '}') {
    next_ = key + 1;
    is_first_ = false;
    return Step::kEvent;
  }
  while (true) {
    if (first_char(key) != '"') return broken(key);
    if (first_char(key + 1) != ':') return broken(key + 1);
    const TokenIndex value = key + 2;
    const char* const name = text_ + positions_[key];
    TokenIndex after = 0;
    switch (first_char(value)) {
      case '"':
        after = value + 1;
        break;
      case '{':
        after = starts_with(name, "\"args\"") ? fields.after_args = read_args(value, fields) : skip_container(value);
        break;
      case '[':
        after = skip_container(value);
        break;
      default:
        after = skip_value(value);
        break;
    }
    if (after == 0) return Step::kBroken;
    if (!assign(name, value, fields)) ++fields.duplicates;
    const char c = first_char(after);
    if (c == ',') {
      key = after + 1;
    } else if (c == '}') {
      next_ = after + 1;
      is_first_ = false;
      return Step::kEvent;
    } else {
      return broken(after);
    }
  }
}

/// Notes which known field `key` (at its opening quote) is. False when it had a value before.
inline bool EventWalker::assign(const char* key, TokenIndex value, EventFields& fields) const {
  const KnownKey& known = kKnownKeys[slot_of_key(load_word(key))];
  std::uint64_t rest = 0;
  std::memcpy(&rest, key + 4, sizeof rest);
  TokenIndex* field = nullptr;
  if (known.field != nullptr && known.word == load_word(key) && known.rest == (rest & known.mask)) {
    field = &(fields.*known.field);
  } else if (starts_with(key, "\"s\"")) {
    field = &fields.s;
  } else if (starts_with(key, "\"flow_out\"")) {
    field = &fields.flow_out;
  } else {
    return true;
  }
  const bool is_new = *field == 0;
  *field = value;
  return is_new;
}

/// Passes over args and notes the members that slices need. 0 when broken.
TokenIndex EventWalker::read_args(TokenIndex open, EventFields& fields) {
  fields.correlation = fields.external_id = fields.device = fields.stream = 0;
  fields.task_id = fields.connection_id = fields.argument_id = 0;
  TokenIndex key = open + 1;
  if (first_char(key) == '}') return key + 1;
  while (true) {
    if (first_char(key) != '"') return broken(key), 0;
    if (first_char(key + 1) != ':') return broken(key + 1), 0;
    const TokenIndex value = key + 2;
    const char* const name = text_ + positions_[key] + 1;
    switch (*name) {
      case 'c':
        if (starts_with(name, "correlation") && (name[11] == '"' || starts_with(name + 11, "_id\"")))
          fields.correlation = value;  // XProf and ONNX Runtime say correlation_id
        if (starts_with(name, "connection_id\"")) fields.connection_id = value;
        break;
      case 'd':
        if (starts_with(name, "device\"")) fields.device = value;
        break;
      case 's':
        if (starts_with(name, "stream\"")) fields.stream = value;
        break;
      case 'i':
        if (starts_with(name, "id\"")) fields.argument_id = value;
        break;
      case 'T':
        if (starts_with(name, "Task Id\"")) fields.task_id = value;
        break;
      case 'E':
      case 'e':
        if (starts_with(name + 1, "xternal id\"")) fields.external_id = value;
        break;
      default:
        break;
    }
    const TokenIndex after = skip_value(value);
    if (after == 0) return 0;
    const char c = first_char(after);
    if (c == '}') return after + 1;
    if (c != ',') return broken(after), 0;
    key = after + 1;
  }
}

/// The token after a value; 0 when broken.
TokenIndex EventWalker::skip_value(TokenIndex value) {
  switch (first_char(value)) {
    case '"':
      return value + 1;
    case '{':
    case '[':
      return skip_container(value);
    default:
      if (is_scalar(value)) return value + 1;
      return broken(value), 0;
  }
}

TokenIndex EventWalker::skip_container(TokenIndex open) {
  std::array<bool, kDeepest> is_object;
  std::uint32_t depth = 0;
  TokenIndex at = open;
  while (true) {
    // At a value.
    const char c = first_char(at);
    bool is_closed = false;
    if (c == '{' || c == '[') {
      if (depth == kDeepest) return broken(at), 0;
      is_object[depth++] = c == '{';
      ++at;
      is_closed = first_char(at) == (c == '{' ? '}' : ']');
    } else {
      if (c != '"' && !is_scalar(at)) return broken(at), 0;
      ++at;
      // After a value.
      if (first_char(at) == ',') {
        ++at;
      } else {
        is_closed = true;
      }
    }
    while (is_closed) {
      if (first_char(at) != (is_object[depth - 1] ? '}' : ']')) return broken(at), 0;
      ++at;
      if (--depth == 0) return at;
      is_closed = first_char(at) != ',';
      if (!is_closed) ++at;
    }
    if (is_object[depth - 1]) {
      if (first_char(at) != '"') return broken(at), 0;
      if (first_char(at + 1) != ':') return broken(at + 1), 0;
      at += 2;
    }
  }
}

/// The token after a value of an entry that was checked before.
TokenIndex EventWalker::after_trusted(TokenIndex value) const {
  std::uint32_t depth = 0;
  for (TokenIndex at = value;; ++at) {
    const char c = first_char(at);
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth == 0) return at + 1;
  }
}

}  // namespace lacuna
