#include "model/formats/chrome/raw_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "model/formats/chrome/decimal.h"
#include "model/formats/chrome/json_text.h"
#include "model/formats/chrome/top_level.h"
#include "model/input/bytes.h"
#include "model/input/import_options.h"

namespace lacuna {
namespace {

/// Eight bytes at a time; only equality matters.
std::uint64_t hash_bytes(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ull;
  std::uint64_t hash = text.size() * kFactor;
  const char* p = text.data();
  std::size_t left = text.size();
  for (; left >= 8; p += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, p, left);
  hash = (hash ^ tail) * 0xD6E8FEB86659FD93ull;
  hash ^= hash >> 29;
  return hash == 0 ? 1 : hash;
}

/// The whole of `text`, of a padded buffer, as an integer that Integer holds.
template <class Integer>
std::optional<Integer> plain_integer(std::string_view text) {
  std::uint64_t digits = 0;
  if (!text.empty() && text.size() <= 16 && read_long_digits(text.data(), text.size(), digits))
    return static_cast<Integer>(digits);
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// What parse_double() makes of a number of a padded buffer with three decimals, as Kineto writes them: digits and
/// power of ten are exact as doubles, so that their quotient is the double nearest to the number.
std::optional<double> three_decimals(std::string_view number) {
  constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;
  const std::size_t size = number.size();
  std::uint64_t whole = 0, decimals = 0;
  if (size < 5 || size > 20 || number[size - 4] != '.' || (number.front() == '0' && size != 5)) return {};
  if (!read_long_digits(number.data(), size - 4, whole) || !read_digits(number.data() + size - 3, 3, decimals))
    return {};
  const std::uint64_t digits = whole * 1000 + decimals;
  return digits > kMostExact ? std::optional<double>() : static_cast<double>(digits) / 1000.0;
}

std::optional<Nanos> time_of(std::string_view token) {
  const std::string_view number = token_content(token);
  if (const auto real = three_decimals(number); real && *real != std::trunc(*real))
    return static_cast<Nanos>(std::llround(*real * 1000.0));
  if (!is_json_number(number)) return {};
  if (const auto whole = plain_integer<std::int64_t>(number)) {
    Nanos scaled = 0;
    if (__builtin_mul_overflow(*whole, 1000, &scaled) || scaled > kLargestTime || scaled < -kLargestTime) return {};
    return scaled;
  }
  const auto real = parse_double(number);
  if (!real || std::abs(*real) > 4e15) return {};
  return *real == std::trunc(*real) ? static_cast<Nanos>(*real) * 1000
                                    : static_cast<Nanos>(std::llround(*real * 1000.0));
}

bool is_true(const EventWalker& tokens, TokenIndex token) {
  return token != 0 && tokens.first_char(token) == 't';
}

/// What a trace kept, as read_trace() wants it.
class KeptBytes final : public ImportBytes {
 public:
  KeptBytes(const ByteSource& bytes, const std::atomic<bool>* cancel) : bytes_(bytes), cancel_(cancel) {}
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    return cancel_ != nullptr && *cancel_ ? 0 : bytes_.read_at(offset, out);
  }
  std::uint64_t size() const override { return bytes_.size(); }
  std::optional<std::uint64_t> known_size() const override { return bytes_.size(); }

 private:
  const ByteSource& bytes_;
  const std::atomic<bool>* const cancel_;
};

}  // namespace

StringId RawEvents::text(std::string_view token) {
  const std::string_view content = token_content(token);
  if (content.find('\\') == std::string_view::npos) return list_.strings.intern(content);
  scratch_.clear();
  append_unescaped(content, scratch_);
  return list_.strings.intern(scratch_);
}

void RawEvents::add(const EventWalker& tokens, const EventFields& fields, std::uint64_t file_offset) {
  using IdKind = RawEvent::IdKind;
  RawEvent event;
  event.file_offset = file_offset;
  const auto token = [&](TokenIndex at) { return at == 0 ? std::string_view{} : tokens.token(at); };
  const auto identify = [&](TokenIndex at, std::uint64_t& value, IdKind& kind) {
    const std::string_view written = token(at);
    if (is_string_token(written)) {
      kind = IdKind::kText;
      value = text(written).value;
    } else if (const auto number = plain_integer<std::int64_t>(written)) {
      kind = IdKind::kNumber;
      value = static_cast<std::uint64_t>(*number);
    } else if (const auto large = plain_integer<std::uint64_t>(written)) {
      kind = IdKind::kNumber;
      value = *large;
    }
  };
  // Thread and process numbers have 32 bits; others count as 0.
  const auto identify_thread = [&](TokenIndex at, std::uint32_t& thread, IdKind& kind) {
    std::uint64_t value = 0;
    identify(at, value, kind);
    const std::string_view written = token(at);
    if (kind == IdKind::kNone && !written.empty() && is_json_number(written)) {
      const auto real = parse_double(written);
      kind = IdKind::kNumber;
      value = real && *real >= 0 && *real <= 4294967295.0 ? static_cast<std::uint64_t>(*real) : 0;
    }
    thread = value > 0xffffffffu ? 0 : static_cast<std::uint32_t>(value);
  };
  const auto named = [&](TokenIndex at, StringId& id) {
    const std::string_view written = token(at);
    if (is_string_token(written) && written.size() > 2) id = text(written);
  };
  const std::string_view ph = token_content(token(fields.ph));
  const bool has_members = tokens.first_char(fields.open + 1) == '"';
  // Strings are noted in the order in which they stand in the event.
  std::array<std::pair<TokenIndex, int>, 6> order{
      {{fields.pid, 0}, {fields.tid, 1}, {fields.id, 2}, {fields.bind_id, 3}, {fields.cat, 4}, {fields.name, 5}}};
  std::ranges::sort(order);
  for (const auto& [at, what] : order) {
    if (at == 0) continue;
    if (what == 0) identify_thread(at, event.pid, event.pid_kind);
    if (what == 1) identify_thread(at, event.tid, event.tid_kind);
    if (what == 2) identify(at, event.id, event.id_kind);
    if (what == 3) identify(at, event.bind_id, event.bind_id_kind);
    if (what == 4) named(at, event.category);
    if (what == 5) named(at, event.name);
  }
  if (fields.ph == 0 || ph.empty()) {
    list_.without_phase += has_members ? 1 : 0;
    return;
  }
  event.phase = ph.front();
  event.ts = time_of(token(fields.ts)).value_or(RawEvent::kNoTime);
  if (fields.dur != 0) {
    const auto dur = time_of(token(fields.dur));
    if (!dur) {
      ++list_.without_time;
      return;
    }
    event.dur = *dur;
  }
  if (event.ts == RawEvent::kNoTime) {
    if (event.phase != 'M') {
      ++list_.without_time;
      return;
    }
    event.ts = 0;
  }
  if (fields.id2 != 0 && event.id_kind == IdKind::kNone) {
    tokens.for_each_member(fields.id2, [&](TokenIndex key, TokenIndex value) {
      const std::string_view which = token_content(tokens.token(key));
      if (which != "local" && which != "global") return;
      if (which == "local" && event.id_kind != IdKind::kNone) return;
      identify(value, event.id, event.id_kind);
      event.is_local_id = which == "local";
    });
  }
  const std::string_view scope = token(fields.s);
  if (is_string_token(scope)) {
    const std::string_view s = token_content(scope);
    event.scope = s == "g"   ? RawEvent::Scope::kGlobal
                  : s == "p" ? RawEvent::Scope::kProcess
                  : s == "t" ? RawEvent::Scope::kThread
                             : RawEvent::Scope::kNone;
  }
  event.binds_enclosing = token_content(token(fields.bp)) == "e";
  event.flows_in = is_true(tokens, fields.flow_in);
  event.flows_out = is_true(tokens, fields.flow_out);
  if (fields.args != 0 && tokens.first_char(fields.args) == '{' && tokens.first_char(fields.args + 1) == '"')
    event.args_hash = hash_bytes(tokens.text_between(fields.args, fields.after_args));
  event.has_thread_time = fields.tts != 0 || fields.tdur != 0;
  list_.events.push_back(event);
}

Result<void> read_raw_events(const TraceSource& source, unsigned threads, const std::atomic<bool>* cancel,
                             const RawEventSink& sink) {
  if (!source.bytes) return fail(ErrorCode::kUnsupported, "the bytes of this trace were not kept", source.path);
  if (source.bytes->has_changed())
    return fail(ErrorCode::kNotReadable, "the file changed since it was opened", source.path);
  try {
    KeptBytes bytes(*source.bytes, cancel);
    ImportOptions options;
    options.threads = threads;
    options.raw_events = true;
    TraceSource facts;
    auto read =
        read_trace(bytes, options, nullptr, facts, [&](EventBatch batch) { sink(std::move(batch.raw), facts); });
    if (cancel != nullptr && *cancel) return fail(ErrorCode::kCancelled, "cancelled");
    if (!read && read.error().code != ErrorCode::kNotATrace) return tl::make_unexpected(read.error());
    sink({}, facts);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to read the events", source.path);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kLimit, std::string("the events cannot be read: ") + e.what(), source.path);
  }
  return {};
}

}  // namespace lacuna
