#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/formats/chrome/json_text.h"
#include "model/formats/chrome/structurals.h"

namespace lacuna {

/// Identifies one token of a text: an index into its Structurals. 0 means "missing" (token 0 opens an
/// entry, so no value is ever token 0).
using TokenIndex = std::uint32_t;

/// The tokens of one event's fields. Of args, only those that every event may need; the rest is found
/// through EventWalker::for_each_member(args, …).
struct EventFields {
  TokenIndex ph = 0, cat = 0, name = 0, pid = 0, tid = 0, ts = 0, dur = 0;
  TokenIndex id = 0, id2 = 0, scope = 0, bind_id = 0, bp = 0, s = 0, args = 0;
  TokenIndex flow_in = 0, flow_out = 0, tts = 0, tdur = 0;
  TokenIndex correlation = 0, external_id = 0, device = 0, stream = 0;  ///< in args
  TokenIndex task_id = 0, connection_id = 0;                            ///< in args of Ascend's traces
  TokenIndex argument_id = 0;                                           ///< in args of Intel's unitrace
  TokenIndex open = 0;                                                  ///< the event's '{'
  TokenIndex after_args = 0;                                            ///< what follows args that are an object
  std::uint32_t duplicates = 0;  ///< repeated known keys; the members above refer to the last one
};

/// Iterates over the entries of an event list, strictly: every entry is checked against the JSON
/// grammar to its end before it is returned. Scalars are checked by their first and last
/// characters only, and escapes are not checked; the user of a value must check the rest.
///
/// The text consists of entries separated by commas, without the list's opening bracket; it may end at
/// any entry or continue after the closing bracket. No allocation; O(tokens).
class EventWalker {
 public:
  static constexpr std::uint32_t kDeepest = 1024;

  enum class Step : std::uint8_t {
    kEvent,     ///< `fields` was filled
    kNotEvent,  ///< skipped an entry that is not an object
    kListEnd,   ///< at the ']' of the list: position()
    kTextEnd,   ///< the end of the text
    kBroken,    ///< not JSON, or cut off: see position(), ran_out()
  };

  /// `text` must outlive the walk, and be the text indexed by `tokens`.
  void start(const char* text, const Structurals& tokens);
  Step next(EventFields& fields);

  /// Byte position of the entry returned last, of the ']' at kListEnd, of the damaged entry at
  /// kBroken.
  std::size_t position() const { return position_of(entry_); }
  /// At kBroken: whether the text ended inside the entry.
  bool ran_out() const { return broken_ == count_; }
  /// At kBroken: whether a comma is missing before the entry.
  bool lacks_comma() const { return lacks_comma_; }
  /// Whether the list's last entry is followed by a comma.
  bool has_trailing_comma() const { return has_trailing_comma_; }

  char first_char(TokenIndex token) const { return text_[positions_[token]]; }
  std::size_t position_of(TokenIndex token) const { return positions_[token]; }
  /// Returns a string with its quotes, or a scalar, as written.
  std::string_view token(TokenIndex token) const { return text_between(token, token + 1); }
  /// Returns what is written from one token up to another.
  std::string_view text_between(TokenIndex from, TokenIndex to) const {
    return trim_right({text_ + positions_[from], positions_[to] - positions_[from]});
  }
  /// Returns any value as written, containers included; the walk must have passed its entry.
  std::string_view value_text(TokenIndex value) const { return text_between(value, after_trusted(value)); }
  /// Calls visit(key, value) with the tokens of each member of an object that the walk has passed.
  /// Does nothing if the token is not an object.
  template <class Visit>
  void for_each_member(TokenIndex object, Visit&& visit) const;

 private:
  Step broken(TokenIndex at);
  Step read_event(EventFields& fields);
  TokenIndex read_args(TokenIndex open, EventFields& fields);
  bool is_scalar(TokenIndex value) const;
  TokenIndex skip_value(TokenIndex value);
  TokenIndex skip_container(TokenIndex open);
  bool assign(const char* key, TokenIndex value, EventFields& fields) const;
  TokenIndex after_trusted(TokenIndex value) const;

  const char* text_ = nullptr;
  const std::uint32_t* positions_ = nullptr;
  TokenIndex count_ = 0;
  TokenIndex next_ = 0;
  TokenIndex entry_ = 0;
  TokenIndex broken_ = 0;
  bool is_first_ = true;
  bool lacks_comma_ = false;
  bool has_trailing_comma_ = false;
};

template <class Visit>
void EventWalker::for_each_member(TokenIndex object, Visit&& visit) const {
  if (object == 0 || first_char(object) != '{') return;
  for (TokenIndex key = object + 1; first_char(key) == '"';) {
    visit(key, key + 2);
    key = after_trusted(key + 2);
    if (first_char(key) == ',') ++key;
  }
}

}  // namespace lacuna
