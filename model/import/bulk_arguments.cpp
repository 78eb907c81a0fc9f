#include "model/import/bulk_arguments.h"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "model/import/byte_window.h"
#include "model/import/tolerant_list.h"

namespace lacuna {
namespace {

/// Size of the JSON object that starts `text`; 0 when it does not end there.
std::size_t object_size(std::string_view text) {
  if (!text.starts_with('{')) return 0;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) return i + 1;
        break;
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i)
          if (text[i] == '\\') ++i;
        break;
      default:
        break;
    }
  }
  return 0;
}

/// The events of one source, one after the other.
class EventTexts {
 public:
  explicit EventTexts(const ByteSource& bytes) : window_(bytes), tolerant_(bytes) {
    tolerant_.keep_all();
  }

  /// Tokens of the event at `offset`, or null; valid until the next call.
  const EventWalker* read(std::uint64_t offset, EventFields& fields) {
    const std::string_view text = event_text(offset);
    if (!text.empty()) {
      copy_.assign(text);
      copy_.append(Structurals::kPadding, '\0');
      if (structurals_.index(copy_.data(), text.size())) {
        walker_.start(copy_.data(), structurals_);
        if (walker_.next(fields) == EventWalker::Step::kEvent) return &walker_;
      }
    }
    ImportReport ignored;
    tolerant_.start(offset, false, ignored);
    if (tolerant_.find_entry() != TolerantList::Found::kEntry || tolerant_.offset() != offset ||
        tolerant_.read_entry() != TolerantList::Read::kEvent)
      return nullptr;
    fields = tolerant_.fields();
    return &tolerant_.tokens();
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 20;
  static constexpr std::size_t kMostEvent = std::size_t{64} << 20;

  std::string_view event_text(std::uint64_t offset) {
    // Mostly the event lies in what was read for the one before.
    if (offset >= begin_ && offset - begin_ < chunk_.size()) {
      const std::string_view here = chunk_.substr(static_cast<std::size_t>(offset - begin_));
      if (const std::size_t size = object_size(here); size > 0) return here.substr(0, size);
    }
    for (std::size_t wanted = kChunk; wanted <= kMostEvent; wanted *= 8) {
      chunk_ = window_.at(offset, wanted);
      begin_ = offset;
      if (const std::size_t size = object_size(chunk_); size > 0) return chunk_.substr(0, size);
      if (chunk_.size() < wanted) break;  // the data end
    }
    return {};
  }

  ByteWindow window_;
  std::string_view chunk_;
  std::uint64_t begin_ = 0;
  std::string copy_;
  Structurals structurals_;
  EventWalker walker_;
  TolerantList tolerant_;
};

}  // namespace

Result<void> read_arguments_in_bulk(
    const TraceSource& source, std::span<const std::uint64_t> offsets,
    std::span<const std::string_view> keys,
    const std::function<void(std::size_t, std::span<const std::string_view>)>& visit) {
  if (offsets.empty()) return {};
  if (!source.bytes)
    return fail(ErrorCode::kUnsupported, "the bytes of this trace were not kept", source.path);
  if (source.bytes->has_changed())
    return fail(ErrorCode::kNotReadable, "the file changed since it was opened", source.path);
  try {
    EventTexts events(*source.bytes);
    std::vector<std::string_view> values(keys.size());
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      EventFields fields;
      const EventWalker* tokens = events.read(offsets[k], fields);
      if (tokens == nullptr)
        return fail(ErrorCode::kNotReadable, "the event cannot be read back", source.path,
                    offsets[k]);
      std::ranges::fill(values, std::string_view{});
      tokens->for_each_member(fields.args, [&](TokenIndex key, TokenIndex value) {
        const std::string_view name = token_content(tokens->token(key));
        const auto found = std::ranges::find(keys, name);
        if (found != keys.end())
          values[static_cast<std::size_t>(found - keys.begin())] = tokens->value_text(value);
      });
      visit(k, values);
    }
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to read the events", source.path);
  }
  return {};
}

}  // namespace lacuna
