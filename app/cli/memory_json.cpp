// `lacuna memory --json` of a snapshot.
#include <map>

#include "app/cli/json_writer.h"
#include "app/cli/memory_answer.h"
#include "app/cli/table_writers.h"

namespace lacuna {
namespace {

constexpr std::size_t kLargest = 5;
constexpr std::size_t kLive = 100;
constexpr std::size_t kOomHolders = 10;

Json stack_json(const MemorySnapshot& snapshot, std::uint32_t stack) {
  std::vector<std::uint32_t> frames;
  snapshot.stacks.read_stack(stack, frames);
  Json list = Json::array();
  for (const std::uint32_t frame : frames) list.push_back(snapshot.describe(snapshot.stacks.frame(frame)));
  return list;
}

Json time_json(const MemorySnapshot& snapshot, std::int64_t time_us) {
  return snapshot.has_times ? Json(time_us) : Json();
}

Json segments_json(const MemorySnapshot& snapshot) {
  std::uint64_t total = 0;
  std::uint64_t allocated = 0;
  std::uint64_t active = 0;
  std::uint64_t blocks = 0;
  std::map<std::string, std::uint64_t> types;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> states;
  for (const AllocatorSegment& segment : snapshot.segments) {
    total += segment.total_size;
    allocated += segment.allocated_size;
    active += segment.active_size;
    blocks += segment.block_count;
    types[std::string(snapshot.text(segment.type))] += segment.total_size;
    for (std::uint32_t b = segment.first_block; b < segment.first_block + segment.block_count; ++b) {
      auto& [count, bytes] = states[std::string(snapshot.text(snapshot.blocks[b].state_name))];
      ++count;
      bytes += snapshot.blocks[b].size;
    }
  }
  Json by_type = Json::object();
  for (const auto& [type, bytes] : types) by_type[type] = bytes;
  Json by_state = Json::object();
  for (const auto& [state, sums] : states) by_state[state] = {{"count", sums.first}, {"bytes", sums.second}};
  return {{"count", snapshot.segments.size()},
          {"totalBytes", total},
          {"allocatedBytes", allocated},
          {"activeBytes", active},
          {"blocks", blocks},
          {"byType", by_type},
          {"blockStates", by_state}};
}

/// The largest alloc events, the first of equals first.
Json largest_json(const MemorySnapshot& snapshot, const DeviceMemory& memory, StackNames& names) {
  std::vector<std::uint32_t> largest;
  const auto& all = memory.allocations;
  for (std::uint32_t a = 0; a < all.size(); ++a) {
    if (all[a].begin == Allocation::kBefore) continue;
    if (largest.size() == kLargest && all[a].size <= all[largest.back()].size) continue;
    auto at = largest.end();
    while (at != largest.begin() && all[*(at - 1)].size < all[a].size) --at;
    largest.insert(at, a);
    if (largest.size() > kLargest) largest.pop_back();
  }
  Json list = Json::array();
  std::vector<std::uint32_t> frames;
  for (const std::uint32_t a : largest) {
    snapshot.stacks.read_stack(all[a].stack, frames);
    Json innermost;
    if (!frames.empty()) {
      const StackFrame& frame = snapshot.stacks.frame(frames.front());
      innermost = {{"name", snapshot.text(frame.name)}, {"file", snapshot.text(frame.file)}, {"line", frame.line}};
    }
    list.push_back({{"bytes", all[a].size},
                    {"timeUs", time_json(snapshot, time_of(snapshot, *memory.history, all[a].begin))},
                    {"frame", names.frame(all[a].stack)},
                    {"innermostFrame", innermost},
                    {"frames", frames.size()}});
  }
  return list;
}

Json state_json(const MemorySnapshot& snapshot, const DeviceMemory& memory, const AllocatorState& state) {
  return {{"timeUs", time_json(snapshot, time_of(snapshot, *memory.history, state.moment))},
          {"event", state.moment},
          {"reservedBytes", state.reserved},
          {"allocatedBytes", state.live},
          {"freeBytes", state.free_bytes},
          {"largestFreeBytes", state.largest_free},
          {"fragmentation", state.fragmentation()}};
}

Json device_json(const SnapshotAnswer& answer, const DeviceAnswer& device, StackNames& names) {
  const MemorySnapshot& snapshot = answer.snapshot;
  const DeviceMemory& memory = device.memory;
  const bool has_history = memory.history->event_count > 0;
  Json actions = Json::object();
  for (const auto& [action, count] : memory.actions) actions[std::string(action)] = count;
  Json json = {{"device", memory.history->device}, {"events", memory.history->event_count}, {"actions", actions}};
  json["firstUs"] = has_history ? time_json(snapshot, memory.first_us) : Json();
  json["lastUs"] = has_history ? time_json(snapshot, memory.last_us) : Json();
  json["activeAtStartBytes"] = memory.active_at_start;
  json["activeAtEndBytes"] = memory.active_at_end;
  json["peakActiveBytes"] = memory.peak_active;
  json["peakTimeUs"] = has_history ? time_json(snapshot, memory.peak_time_us) : Json();
  json["reservedAtEndBytes"] = memory.reserved_at_end;
  json["largest"] = largest_json(snapshot, memory, names);
  Json at = state_json(snapshot, memory, device.state);
  at["activeBytes"] = device.active;
  at["heldBytes"] = device.held;
  at["segments"] = device.state.segment_count;
  at["unusedSegments"] = device.state.unused_segments;
  at["unusedSegmentBytes"] = device.state.unused_segment_bytes;
  json["at"] = at;
  Json over_time = Json::array();
  for (const AllocatorState& state : device.over_time) over_time.push_back(state_json(snapshot, memory, state));
  json["fragmentation"] = over_time;
  Json growing = Json::array();
  for (const Leak& leak : device.growing)
    growing.push_back({{"name", leak.name}, {"growthBytes", leak.growth()}, {"bytes", leak.bytes}});
  json["growing"] = growing;
  json["growingBasis"] = has_steps(snapshot) ? "steps" : "parts of the history";
  json["unmatchedEvents"] = memory.unmatched;
  return json;
}

Json holder_json(const SnapshotAnswer& answer, const DeviceAnswer& device, const Table& table, std::size_t row,
                 bool with_stack) {
  Json json = json_row(table, row);
  const Holder& holder = device.holders[row];
  if (with_stack) json["stack"] = stack_json(answer.snapshot, holder.stack);
  if (holder.segment < device.memory.segments.size()) {
    const SegmentSpan& span = device.memory.segments[holder.segment];
    json["address"] = span.address;
    json["segmentBytes"] = span.size;
    json["stream"] = answer.snapshot.streams[span.stream];
  }
  return json;
}

Json live_json(const SnapshotAnswer& answer, const DeviceAnswer& device, std::uint32_t index, StackNames& names) {
  const MemorySnapshot& snapshot = answer.snapshot;
  const DeviceHistory& history = *device.memory.history;
  const Allocation& allocation = device.memory.allocations[index];
  const auto time = [&](std::uint32_t moment, std::uint32_t none) {
    return moment == none ? Json() : time_json(snapshot, time_of(snapshot, history, moment));
  };
  return {{"device", history.device},
          {"address", allocation.address},
          {"bytes", allocation.size},
          {"frame", names.frame(allocation.stack)},
          {"category", memory_category_key(categorize(snapshot, device.memory, allocation, names))},
          {"allocatedUs", time(allocation.begin, Allocation::kBefore)},
          {"freeRequestedUs", time(allocation.requested, Allocation::kNever)},
          {"freedUs", time(allocation.end, Allocation::kNever)}};
}

void write_out_of_memory(const SnapshotAnswer& answer, StackNames& names, JsonWriter& json) {
  json.begin_list("outOfMemory");
  for (const DeviceAnswer& device : answer.answers) {
    for (const OutOfMemory& oom : device.out_of_memory) {
      Json row = {{"device", device.memory.history->device},
                  {"timeUs", time_json(answer.snapshot, oom.time_us)},
                  {"requestedBytes", oom.requested},
                  {"deviceFreeBytes", oom.device_free},
                  {"stream", answer.snapshot.streams[oom.stream]},
                  {"reservedBytes", oom.state.reserved},
                  {"activeBytes", oom.state.live},
                  {"cachedBytes", oom.state.free_bytes},
                  {"largestFreeBytes", oom.state.largest_free},
                  {"unusedSegmentBytes", oom.state.unused_segment_bytes},
                  {"cause", out_of_memory_key(oom.cause)},
                  {"explanation", oom.sentences},
                  {"stack", stack_json(answer.snapshot, oom.stack)}};
      Json holders = Json::array();
      const auto all = holders_at(answer.snapshot, device.memory, oom.moment, HolderKey::kFrame, names);
      for (std::size_t h = 0; h < std::min(kOomHolders, all.size()); ++h)
        holders.push_back({{"name", all[h].name}, {"bytes", all[h].bytes}, {"count", all[h].count}});
      row["holders"] = holders;
      json.element(row);
    }
  }
  json.end();
}

}  // namespace

void write_snapshot_json(const SnapshotAnswer& answer, const SnapshotAnswer* other, const MemoryCommand& command,
                         Output& out) {
  StackNames names(answer.snapshot);
  JsonWriter json(out);
  json.member("file", answer.path);
  json.member("kind", "snapshot");
  json.member("at", command.at);
  json.member("by", command.by);
  json.member("segments", segments_json(answer.snapshot));
  json.begin_list("devices");
  for (const DeviceAnswer& device : answer.answers) json.element(device_json(answer, device, names));
  json.end();
  json.begin_list("holders");
  for (const DeviceAnswer& device : answer.answers) {
    const Table table = device.table(command.limit.value_or(0));
    for (std::size_t row = 0; row < table.rows && out.ok(); ++row)
      json.element(holder_json(answer, device, table, row, command.by == "stack"));
  }
  json.end();
  json.begin_list("live");
  for (const DeviceAnswer& device : answer.answers) {
    const std::vector<std::uint32_t> live = live_at(device.memory, device.at);
    for (std::size_t i = 0; i < std::min(live.size(), command.limit.value_or(kLive)); ++i)
      json.element(live_json(answer, device, live[i], names));
  }
  json.end();
  write_out_of_memory(answer, names, json);
  if (other != nullptr) {
    json.member("otherFile", other->path);
    const std::vector<HolderChange> changes = compare_holders(answer, *other);
    write_json_rows(change_table(changes), "difference", json, out);
  }
  Json settings = Json::object();
  for (const auto& [key, value] : answer.snapshot.settings) settings[key] = value;
  json.member("settings", settings);
  json.member("annotations", answer.snapshot.annotations.size());
  json.member("keys", answer.snapshot.keys);
  json.member("notUnderstood", answer.snapshot.not_understood);
  json.member("remarks", snapshot_remarks(answer));
  json.finish();
}

}  // namespace lacuna
