#include "model/formats/snapshot/snapshot_rows.h"

#include <algorithm>

namespace lacuna {
namespace {

/// Keys that are looked for, by StringId: Field f has the id f + 1, and the actions follow.
enum Field : std::uint8_t {
  kAction,
  kAddr,
  kSize,
  kStream,
  kTime,
  kFrames,
  kDeviceFree,
  kNameField,
  kFilename,
  kLine,
  kStateField,
  kRequested,
  kAddressField,
  kHistoryField,
  kRealSize,
  kTotalSize,
  kAllocatedSize,
  kActiveSize,
  kSegmentType,
  kPool,
  kExpandable,
  kBlocks,
  kDevice,
  kStage,
  kFieldCount
};

constexpr std::array<std::string_view, kFieldCount + kKnownActions + 4> kNames{
    {"action", "addr", "size", "stream", "time_us", "frames", "device_free", "name", "filename", "line", "state",
     "requested_size", "address", "history", "real_size", "total_size", "allocated_size", "active_size", "segment_type",
     "segment_pool_id", "is_expandable", "blocks", "device", "stage",
     // AllocatorAction
     "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap",
     "snapshot", "oom",
     // BlockState
     "inactive", "active_allocated", "active_pending_free", "active_awaiting_free"}};

constexpr std::uint32_t kFirstAction = 1 + kFieldCount;
constexpr std::uint32_t kFirstState = kFirstAction + kKnownActions;
constexpr std::size_t kMostActions = 256;
constexpr std::uint32_t kMostStreams = 1 << 24;

BlockState block_state_of(StringId name) {
  switch (name.value - kFirstState) {
    case 0:
      return BlockState::kInactive;
    case 1:
      return BlockState::kAllocated;
    case 2:
    case 3:
      return BlockState::kPendingFree;
    default:
      return BlockState::kOther;
  }
}

}  // namespace

struct SnapshotRows::Fields {
  std::array<PickleValue, kFieldCount> values;
  std::uint32_t given = 0;

  bool has(Field field) const { return (given >> field & 1) != 0; }
  PickleValue operator[](Field field) const { return has(field) ? values[field] : PickleValue(); }
};

SnapshotRows::SnapshotRows(MemorySnapshot& snapshot, MemoryRoom& room)
    : snapshot_(snapshot), room_(room), deferred_(snapshot.stacks, room) {
  for (std::uint32_t a = 0; a < kKnownActions; ++a) {
    snapshot_.actions.push_back(StringId{kFirstAction + a});
    action_codes_[kFirstAction + a] = static_cast<std::uint8_t>(a);
  }
  snapshot_.streams.push_back(0);
  stream_ids_[0] = 0;
}

std::span<const std::string_view> SnapshotRows::names() const {
  return kNames;
}

std::uint32_t SnapshotRows::row(Row kind, std::size_t index) {
  if (index > kIndexMask) throw MemoryRoom::Exhausted("it holds more than 268,435,456 entries of a kind");
  return static_cast<std::uint32_t>(kind) << kIndexBits | static_cast<std::uint32_t>(index);
}

std::uint32_t SnapshotRows::lost() {
  ++snapshot_.not_understood;
  return row(Row::kLost, 0);
}

template <class T>
void SnapshotRows::pay_for(const std::vector<T>& rows) {
  if (rows.size() == rows.capacity()) room_.take(std::max<std::size_t>(rows.size(), 64) * sizeof(T));
}

std::uint32_t SnapshotRows::stack_of(PickleDocument& document, PickleValue list) {
  if (!list.is(PickleKind::kList)) return 0;
  if (const auto known = document.frozen(list)) return *known;
  // Innermost first in the file; what is outermost mostly stays from one list to the next.
  std::span<const PickleValue> elements = document.elements(list);
  std::vector<PickleValue> gathered;
  if (elements.empty()) {
    document.for_each(list, [&](PickleValue frame) { gathered.push_back(frame); });
    elements = gathered;
  }
  const std::size_t count = elements.size();
  std::size_t kept = 0;
  const std::size_t most = std::min(count, last_list_.size());
  while (kept < most && elements[count - 1 - kept] == last_list_[kept]) ++kept;
  last_list_.resize(kept);
  frames_.clear();
  bool has_others = false;
  for (std::size_t i = count - kept; i-- > 0;) {
    const std::uint32_t row = document.row(elements[i]);
    if (row != kNoRow && kind(row) == Row::kFrame) {
      frames_.push_back(index(row));
      last_list_.push_back(elements[i]);
    } else {
      has_others = true;
    }
  }
  if (has_others) ++snapshot_.not_understood;
  const std::uint32_t stack = deferred_.add(kept, frames_);
  document.freeze(list, stack);
  return stack;
}

void SnapshotRows::finish_stacks() {
  const std::vector<std::uint32_t>& ids = deferred_.finish();
  for (std::size_t e = 0; e < snapshot_.events.size(); ++e) {
    std::uint32_t& stack = snapshot_.events[e].stack;
    stack = ids[stack];
  }
  for (AllocatorBlock& block : snapshot_.blocks) block.stack = ids[block.stack];
  for (AllocatorSegment& segment : snapshot_.segments) segment.stack = ids[segment.stack];
}

std::uint32_t SnapshotRows::stream_of(PickleDocument& document, PickleValue value) {
  const auto stream = static_cast<std::int64_t>(document.address(value).value_or(0));
  if (stream == last_stream_) return last_stream_id_;
  auto [found, is_new] = stream_ids_.try_emplace(stream, static_cast<std::uint32_t>(snapshot_.streams.size()));
  if (is_new) {
    if (snapshot_.streams.size() >= kMostStreams) throw MemoryRoom::Exhausted("it names too many streams");
    room_.take(64);
    snapshot_.streams.push_back(stream);
  }
  last_stream_ = stream;
  last_stream_id_ = found->second;
  return found->second;
}

std::uint8_t SnapshotRows::action_of(StringId name) {
  if (name.value - kFirstAction < kKnownActions) return static_cast<std::uint8_t>(name.value - kFirstAction);
  const auto found = action_codes_.find(name.value);
  if (found != action_codes_.end()) return found->second;
  if (snapshot_.actions.size() == kMostActions) return kMostActions - 1;
  snapshot_.actions.push_back(name);
  const auto code = static_cast<std::uint8_t>(snapshot_.actions.size() - 1);
  action_codes_[name.value] = code;
  return code;
}

std::uint32_t SnapshotRows::take_event(PickleDocument& document, const Fields& fields) {
  AllocatorEvent event;
  const std::uint8_t action = action_of(StringId{fields[kAction].index()});
  // An allocation is nothing without its address and size; of the rest, what is there is kept.
  const auto address = document.address(fields[fields.has(kDeviceFree) ? kDeviceFree : kAddr]);
  const auto size = document.integer(fields[kSize]);
  const bool needs_both = action <= static_cast<std::uint8_t>(AllocatorAction::kSegmentUnmap);
  if ((needs_both && (!address || !size)) || size.value_or(0) < 0) return lost();
  event.address = address.value_or(0);
  event.size = static_cast<std::uint64_t>(size.value_or(0));
  const auto time = document.integer(fields[kTime]);
  if (!time) snapshot_.has_times = false;
  event.time_us = time.value_or(0);
  event.stack = stack_of(document, fields[kFrames]);
  event.action_and_stream = stream_of(document, fields[kStream]) << 8 | action;
  snapshot_.events.push_back(event);
  return row(Row::kEvent, snapshot_.events.size() - 1);
}

std::uint32_t SnapshotRows::take_frame(PickleDocument& document, const Fields& fields) {
  StackFrame frame;
  frame.name = fields[kNameField].is(PickleKind::kText) ? StringId{fields[kNameField].index()} : kEmptyString;
  frame.file = fields[kFilename].is(PickleKind::kText) ? StringId{fields[kFilename].index()} : kEmptyString;
  frame.line =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(document.integer(fields[kLine]).value_or(0), 0, 1 << 30));
  return row(Row::kFrame, snapshot_.stacks.intern_frame(frame));
}

std::uint32_t SnapshotRows::take_block(PickleDocument& document, const Fields& fields) {
  AllocatorBlock block;
  const auto size = document.integer(fields[kSize]);
  if (!size || *size < 0 || !fields[kStateField].is(PickleKind::kText)) return lost();
  block.size = static_cast<std::uint64_t>(*size);
  block.state_name = StringId{fields[kStateField].index()};
  block.state = block_state_of(block.state_name);
  block.address = document.address(fields[kAddressField]).value_or(0);
  block.requested_size = document.address(fields[kRequested]).value_or(0);
  block.stack = stack_of(document, fields[kFrames]);
  // Before PyTorch 2.1 the frames stood in a history, the latest first.
  bool is_first = true;
  document.for_each(fields[kHistoryField], [&](PickleValue value) {
    const std::uint32_t one = document.row(value);
    if (is_first && one != kNoRow && kind(one) == Row::kHistory) {
      const History& history = history_[index(one)];
      if (block.stack == 0) block.stack = history.stack;
      if (block.requested_size == 0) block.requested_size = history.real_size;
    }
    is_first = false;
  });
  pay_for(snapshot_.blocks);
  snapshot_.blocks.push_back(block);
  return row(Row::kBlock, snapshot_.blocks.size() - 1);
}

std::uint32_t SnapshotRows::take_segment(PickleDocument& document, const Fields& fields) {
  AllocatorSegment segment;
  const auto total = document.integer(fields[kTotalSize]);
  if (!total || *total < 0) return lost();
  segment.total_size = static_cast<std::uint64_t>(*total);
  segment.address = document.address(fields[kAddressField]).value_or(0);
  segment.device = document.integer(fields[kDevice]).value_or(0);
  segment.stream = stream_of(document, fields[kStream]);
  segment.stack = stack_of(document, fields[kFrames]);
  if (fields[kSegmentType].is(PickleKind::kText)) segment.type = StringId{fields[kSegmentType].index()};
  if (!segment.type.valid()) segment.type = kEmptyString;
  segment.is_expandable = document.integer(fields[kExpandable]).value_or(0) != 0;
  std::size_t part = 0;
  document.for_each(fields[kPool], [&](PickleValue value) {
    if (part < 2) segment.pool[part++] = document.integer(value).value_or(0);
  });
  // Blocks lie one after the other, in the segment as in the file.
  std::uint64_t next_address = segment.address;
  std::uint64_t allocated = 0;
  std::uint64_t active = 0;
  document.for_each(fields[kBlocks], [&](PickleValue value) {
    const std::uint32_t one = document.row(value);
    if (one == kNoRow || kind(one) != Row::kBlock) return;
    if (segment.block_count == 0) segment.first_block = index(one);
    if (index(one) != segment.first_block + segment.block_count) {
      ++snapshot_.not_understood;
      return;
    }
    ++segment.block_count;
    AllocatorBlock& block = snapshot_.blocks[index(one)];
    if (block.address == 0) block.address = next_address;
    next_address = block.address + block.size;
    if (block.state == BlockState::kAllocated) allocated += block.size;
    if (block.is_live()) active += block.size;
  });
  segment.allocated_size = document.address(fields[kAllocatedSize]).value_or(allocated);
  segment.active_size = document.address(fields[kActiveSize]).value_or(active);
  pay_for(snapshot_.segments);
  snapshot_.segments.push_back(segment);
  return row(Row::kSegment, snapshot_.segments.size() - 1);
}

std::uint32_t SnapshotRows::take_annotation(PickleDocument& document, const Fields& fields) {
  SnapshotAnnotation annotation;
  annotation.stage = StringId{fields[kStage].index()};
  annotation.name = fields[kNameField].is(PickleKind::kText) ? StringId{fields[kNameField].index()} : kEmptyString;
  annotation.device = document.integer(fields[kDevice]).value_or(0);
  annotation.time_us = document.integer(fields[kTime]).value_or(0);
  pay_for(snapshot_.annotations);
  snapshot_.annotations.push_back(annotation);
  return row(Row::kAnnotation, snapshot_.annotations.size() - 1);
}

std::uint32_t SnapshotRows::take(PickleDocument& document, std::span<const PickleValue> items) {
  Fields fields;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!items[i].is(PickleKind::kText)) continue;
    const std::uint32_t field = items[i].index() - 1;
    if (field >= kFieldCount) continue;
    fields.values[field] = items[i + 1];
    fields.given |= std::uint32_t{1} << field;
  }
  if (fields.has(kAction) && fields[kAction].is(PickleKind::kText)) return take_event(document, fields);
  if (fields.has(kTotalSize) && fields.has(kBlocks)) return take_segment(document, fields);
  if (fields.has(kStateField) && fields.has(kSize)) return take_block(document, fields);
  if (fields.has(kNameField) && fields.has(kFilename)) return take_frame(document, fields);
  if (fields.has(kStage) && fields[kStage].is(PickleKind::kText) && fields.has(kTime))
    return take_annotation(document, fields);
  if (fields.has(kRealSize)) {
    pay_for(history_);
    history_.push_back({document.address(fields[kRealSize]).value_or(0), stack_of(document, fields[kFrames])});
    return row(Row::kHistory, history_.size() - 1);
  }
  return kNoRow;
}

}  // namespace lacuna
