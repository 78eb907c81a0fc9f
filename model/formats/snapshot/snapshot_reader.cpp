#include "model/formats/snapshot/snapshot_reader.h"

#include <algorithm>
#include <bit>
#include <new>

#include <fmt/format.h>

#include "model/formats/snapshot/snapshot_rows.h"

namespace lacuna {
namespace {

using SnapshotRow = SnapshotRows::Row;

constexpr std::size_t kMostSettings = 1000;

std::string setting_text(const PickleDocument& document, PickleValue value) {
  switch (value.kind()) {
    case PickleKind::kText:
      return std::string(document.text(value));
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return value.payload() != 0 ? "True" : "False";
    case PickleKind::kFloat:
      return fmt::format("{}", document.real(value));
    default:
      if (const auto number = document.integer(value)) return fmt::format("{}", *number);
      return {};
  }
}

void read_settings(const PickleDocument& document, PickleValue settings, MemorySnapshot& snapshot) {
  const auto add = [&](std::string name, PickleValue value) {
    if (snapshot.settings.size() < kMostSettings)
      snapshot.settings.emplace_back(std::move(name), setting_text(document, value));
  };
  document.for_each_item(settings, [&](PickleValue key, PickleValue value) {
    const std::string name = setting_text(document, key);
    if (!value.is(PickleKind::kDict)) return add(name, value);
    document.for_each_item(
        value, [&](PickleValue inner, PickleValue of) { add(name + "." + setting_text(document, inner), of); });
  });
}

std::string what_it_holds(const PickleDocument& document) {
  if (!document.root.is(PickleKind::kDict)) {
    if (document.root.is(PickleKind::kList)) return "it holds a list";
    return "it holds a single value";
  }
  if (document.find(document.root, "entries").is(PickleKind::kList))
    return "it is a dump of the flight recorder: lacuna hang FILE";
  std::string keys;
  std::size_t count = 0;
  document.for_each_item(document.root, [&](PickleValue key, PickleValue) {
    if (++count <= 6) keys += (keys.empty() ? "" : ", ") + setting_text(document, key).substr(0, 40);
  });
  if (count == 0) return "it holds an empty dictionary";
  return fmt::format("it holds a dictionary of {}{}", keys, count > 6 ? ", …" : "");
}

/// Counts what a list holds that is not a row of this kind.
void require_rows(const PickleDocument& document, PickleValue list, SnapshotRow kind, MemorySnapshot& snapshot) {
  document.for_each(list, [&](PickleValue value) {
    const std::uint32_t row = document.row(value);
    const bool is_lost = row != PickleRows::kNoRow && SnapshotRows::kind(row) == SnapshotRow::kLost;  // counted already
    if (!is_lost && (row == PickleRows::kNoRow || SnapshotRows::kind(row) != kind)) ++snapshot.not_understood;
  });
}

/// Events were stored as they were read, so those of a device follow each other.
void read_devices(const PickleDocument& document, PickleValue traces, MemorySnapshot& snapshot) {
  std::int64_t device = 0;
  document.for_each(traces, [&](PickleValue trace) {
    DeviceHistory history;
    history.device = device++;
    document.for_each(trace, [&](PickleValue value) {
      const std::uint32_t row = document.row(value);
      if (row == PickleRows::kNoRow || SnapshotRows::kind(row) != SnapshotRow::kEvent) {
        if (row == PickleRows::kNoRow || SnapshotRows::kind(row) != SnapshotRow::kLost) ++snapshot.not_understood;
        return;
      }
      const std::size_t event = SnapshotRows::index(row);
      if (history.event_count == 0) history.first_event = event;
      if (event == history.first_event + history.event_count) {
        ++history.event_count;
      } else {
        ++snapshot.not_understood;  // the same event twice, as no producer writes it
      }
    });
    if (history.event_count > 0) snapshot.devices.push_back(history);
  });
}

}  // namespace

Result<MemorySnapshot> read_snapshot(const ByteSource& source, const std::string& path, PickleProgress* progress) {
  MemoryRoom room(pickle_memory_limit(source.size()));
  MemorySnapshot snapshot;
  snapshot.events = ChunkedVector<AllocatorEvent>(&room);
  snapshot.stacks = CallStacks(&room);
  SnapshotRows rows(snapshot, room);
  Result<PickleDocument> document = read_pickle(source, room, &rows, progress);
  if (!document) {
    Error error = document.error();
    error.file = path;
    return tl::make_unexpected(std::move(error));
  }
  try {
    rows.finish_stacks();
  } catch (const MemoryRoom::Exhausted& exhausted) {
    return fail(ErrorCode::kLimit, fmt::format("the pickle is refused: {}", exhausted.cause), path);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory for the pickle", path);
  }
  const PickleValue root = document->root;
  const PickleValue segments = document->find(root, "segments");
  const PickleValue traces = document->find(root, "device_traces");
  PickleValue list = segments;
  if (root.is(PickleKind::kDict) && (segments.is(PickleKind::kList) || traces.is(PickleKind::kList))) {
    document->for_each_item(root, [&](PickleValue key, PickleValue) {
      if (snapshot.keys.size() < kMostSettings) snapshot.keys.push_back(setting_text(*document, key));
    });
    std::ranges::sort(snapshot.keys);
  } else if (root.is(PickleKind::kList) && !snapshot.segments.empty()) {
    list = root;
  } else {
    return fail(ErrorCode::kNotATrace, "a Python pickle, but not of an allocator snapshot: " + what_it_holds(*document),
                path);
  }
  require_rows(*document, list, SnapshotRow::kSegment, snapshot);
  read_devices(*document, traces, snapshot);
  read_settings(*document, document->find(root, "allocator_settings"), snapshot);
  require_rows(*document, document->find(root, "external_annotations"), SnapshotRow::kAnnotation, snapshot);
  snapshot.trailing_bytes = document->trailing_bytes;
  snapshot.strings = document->take_strings();
  snapshot.stacks.finish();
  snapshot.events.leave_room();
  return snapshot;
}

std::optional<std::string_view> MemorySnapshot::setting(std::string_view name) const {
  for (const auto& [key, value] : settings)
    if (key == name) return value;
  return std::nullopt;
}

std::string MemorySnapshot::describe(const StackFrame& frame) const {
  if (frame.line <= 0) return std::string(text(frame.name));
  return fmt::format("{}  {}:{}", text(frame.name), text(frame.file), frame.line);
}

std::size_t MemorySnapshot::memory_bytes() const {
  return strings.memory_bytes() + stacks.memory_bytes() + segments.capacity() * sizeof(AllocatorSegment) +
         blocks.capacity() * sizeof(AllocatorBlock) + events.memory_bytes();
}

}  // namespace lacuna
