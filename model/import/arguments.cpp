#include "model/import/arguments.h"

#include <algorithm>
#include <new>

#include "model/formats/chrome/tolerant_list.h"
#include "model/import/argument_reader.h"

namespace lacuna {
namespace {

/// One event read back from its source.
struct EventText {
  std::string raw;  ///< as written, padded
  TolerantList reader;
  Structurals structurals;
  EventWalker walker;
  EventFields fields;

  explicit EventText(const ByteSource& bytes) : reader(bytes) { reader.keep_all(); }
};

Result<void> read_event(const TraceSource& source, std::uint64_t offset, EventText& event) {
  const auto damaged = [&](std::string cause) -> Result<void> {
    return fail(ErrorCode::kNotReadable, std::move(cause), source.path, offset);
  };
  if (source.bytes->has_changed()) return damaged("the file changed since it was opened");
  ImportReport ignored;
  event.reader.start(offset, false, ignored);
  if (event.reader.find_entry() != TolerantList::Found::kEntry || event.reader.offset() != offset ||
      event.reader.read_entry() != TolerantList::Read::kEvent)
    return damaged("the event cannot be read back");
  const std::size_t size = static_cast<std::size_t>(event.reader.offset() - offset);
  event.raw.resize(size);
  event.raw.resize(source.bytes->read_at(offset, event.raw));
  if (event.raw.size() != size) return damaged("the file changed since it was opened");
  event.raw.append(Structurals::kPadding, '\0');
  // As written where that is valid JSON, else as mended.
  if (event.structurals.index(event.raw.data(), size)) {
    event.walker.start(event.raw.data(), event.structurals);
    if (event.walker.next(event.fields) == EventWalker::Step::kEvent) return {};
  }
  event.walker = event.reader.tokens();
  event.fields = event.reader.fields();
  return {};
}

void flatten(const EventWalker& tokens, TokenIndex object, const std::string& prefix, std::vector<Argument>& out) {
  tokens.for_each_member(object, [&](TokenIndex key, TokenIndex value) {
    std::string name = prefix;
    append_unescaped(token_content(tokens.token(key)), name);
    const std::string_view text = tokens.value_text(value);
    if (text.starts_with('{')) {
      flatten(tokens, value, name + ".", out);
      return;
    }
    Argument& argument = out.emplace_back();
    argument.key = std::move(name);
    argument.is_string = is_string_token(text);
    if (argument.is_string) {
      append_unescaped(token_content(text), argument.value);
    } else {
      argument.value = text;
    }
  });
}

Result<void> check_bytes(const TraceSource& source) {
  if (source.bytes) return {};
  return fail(ErrorCode::kUnsupported, "the bytes of this trace were not kept", source.path);
}

/// No exception leaves this folder.
template <class Value, class Read>
Result<Value> guard_read(const TraceSource& source, Read read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to read the event", source.path);
  }
}

}  // namespace

Result<std::vector<Argument>> read_arguments(const Trace& trace, SliceId slice) {
  return read_arguments(trace.source_of(trace.track_of(slice)), trace.lane(slice).file_offset(slice.index));
}

Result<std::vector<Argument>> read_arguments(const TraceSource& source, std::uint64_t offset) {
  if (auto checked = check_bytes(source); !checked) return tl::make_unexpected(checked.error());
  return guard_read<std::vector<Argument>>(source, [&]() -> Result<std::vector<Argument>> {
    EventText event(*source.bytes);
    if (auto read = read_event(source, offset, event); !read) return tl::make_unexpected(read.error());
    std::vector<Argument> arguments;
    flatten(event.walker, event.fields.args, "", arguments);
    return arguments;
  });
}

Result<std::string> read_event_json(const TraceSource& source, std::uint64_t file_offset) {
  if (auto checked = check_bytes(source); !checked) return tl::make_unexpected(checked.error());
  const auto damaged = [&](std::string cause) {
    return fail(ErrorCode::kNotReadable, std::move(cause), source.path, file_offset);
  };
  return guard_read<std::string>(source, [&]() -> Result<std::string> {
    if (source.bytes->has_changed()) return damaged("the file changed since it was opened");
    ArgumentReader reader(source);
    const std::string_view text = reader.read_text(file_offset);
    if (text.empty()) return damaged("the event cannot be read back");
    return std::string(text);
  });
}

}  // namespace lacuna
