// `lacuna memory` of a trace with [memory] records.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "app/cli/json_writer.h"
#include "app/cli/load.h"
#include "app/cli/memory_answer.h"
#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/base/seeded_hash.h"
#include "model/base/stable_sort.h"
#include "model/holders/trace_holders.h"
#include "model/memory/memory_holders.h"
#include "model/report/trace_memory.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kHoldersShown = 10;  // where memory ran out
constexpr std::string_view kBeforeRecording = "(before the recording)";

struct OperatorHolder {
  std::string name;
  std::int64_t bytes = 0;
  std::uint64_t count = 0;
  std::int64_t largest = 0;
};

std::string path_to(const Trace& trace, SliceId slice) {
  std::string path;
  for (; slice.valid(); slice = trace.parent(slice))
    path = path.empty() ? std::string(trace.name(slice)) : std::string(trace.name(slice)) + ";" + path;
  return path;
}

std::string holder_name(const Trace& trace, const TraceAllocation& allocation, std::string_view by) {
  if (by == "category") return std::string(memory_category_name(category_of(trace, allocation)));
  if (by == "phase") return std::string(memory_phase_name(phase_around(trace, allocation.by)));
  if (by == "module") {
    const SliceId module = module_around(trace, allocation.by);
    return module.valid() ? std::string(trace.name(module)) : std::string("(in no module)");
  }
  if (!allocation.by.valid()) return "(no operator)";
  return by == "stack" ? path_to(trace, allocation.by) : std::string(trace.name(allocation.by));
}

std::vector<OperatorHolder> holders_after(const Trace& trace, const TraceMemory& memory, std::size_t records,
                                          std::string_view by) {
  std::vector<OperatorHolder> holders;
  std::unordered_map<std::string, std::size_t, SeededHash> known;
  // A slice is put into words once, however many allocations it made.
  std::map<SliceId, std::size_t> of_slice;
  std::int64_t rest = memory.active_after(records);
  for (const TraceAllocation& allocation : memory.allocations) {
    if (allocation.begin_record > records || allocation.end_record <= records) continue;
    const auto place = [&] {
      const auto [found, is_new] = known.try_emplace(holder_name(trace, allocation, by), holders.size());
      if (is_new) holders.push_back({.name = found->first});
      return found->second;
    };
    std::size_t at = 0;
    if (!allocation.by.valid()) {
      at = place();
    } else if (const auto seen = of_slice.find(allocation.by); seen != of_slice.end()) {
      at = seen->second;
    } else {
      at = of_slice[allocation.by] = place();
    }
    OperatorHolder& holder = holders[at];
    holder.bytes += allocation.bytes;
    ++holder.count;
    holder.largest = std::max(holder.largest, allocation.bytes);
    rest -= allocation.bytes;
  }
  if (rest != 0) holders.push_back({.name = std::string(kBeforeRecording), .bytes = rest});
  sort_stably(holders, std::ranges::greater(), &OperatorHolder::bytes);
  return holders;
}

/// The operators that hold most at each of `moments` (records before it, ascending), `most` of them: one walk over the
/// allocations, where holders_after() is one for each moment.
std::vector<std::vector<OperatorHolder>> largest_holders(const Trace& trace, const TraceMemory& memory,
                                                         const std::vector<std::uint64_t>& moments, std::size_t most) {
  struct Change {
    std::uint64_t record = 0;
    std::uint32_t holder = 0;
    std::int64_t bytes = 0;
    int count = 0;
  };
  std::vector<Change> changes;
  std::vector<OperatorHolder> holders;
  std::unordered_map<std::string, std::uint32_t, SeededHash> known;
  for (const TraceAllocation& allocation : memory.allocations) {
    const auto [found, is_new] =
        known.try_emplace(holder_name(trace, allocation, "frame"), static_cast<std::uint32_t>(holders.size()));
    if (is_new) holders.push_back({.name = found->first});
    changes.push_back({allocation.begin_record, found->second, allocation.bytes, 1});
    changes.push_back({allocation.end_record, found->second, -allocation.bytes, -1});
  }
  sort_stably(changes, {}, &Change::record);
  std::set<std::pair<std::int64_t, std::uint32_t>> order;  // of what is held, the most first
  std::int64_t held = 0;
  std::vector<std::vector<OperatorHolder>> largest;
  auto next = changes.begin();
  for (const std::uint64_t moment : moments) {
    for (; next != changes.end() && next->record <= moment; ++next) {
      OperatorHolder& holder = holders[next->holder];
      if (holder.count > 0) order.erase({-holder.bytes, next->holder});
      holder.count += static_cast<std::uint64_t>(next->count);
      holder.bytes += next->bytes;
      held += next->bytes;
      if (holder.count > 0) order.insert({-holder.bytes, next->holder});
    }
    std::vector<OperatorHolder>& at = largest.emplace_back();
    for (auto entry = order.begin(); entry != order.end() && at.size() < most; ++entry)
      at.push_back(holders[entry->second]);
    const std::int64_t before = memory.active_after(moment) - held;
    if (before != 0) at.push_back({.name = std::string(kBeforeRecording), .bytes = before});
    sort_stably(at, std::ranges::greater(), &OperatorHolder::bytes);
    at.resize(std::min(at.size(), most));
  }
  return largest;
}

std::size_t asked_records(const Trace& trace, const TraceMemory& memory, const std::string& at) {
  if (at == "peak") return memory.peak();
  if (at == "start") return 0;
  if (at == "end") return memory.times.size();
  Nanos time = parse_microseconds(at).value_or(0);
  if (time < trace.span().begin) time += trace.span().begin;
  return static_cast<std::size_t>(std::ranges::upper_bound(memory.times, time) - memory.times.begin());
}

Json time_of_records(const TraceMemory& memory, std::size_t records) {
  if (memory.times.empty()) return {};
  return static_cast<double>(memory.times[records == 0 ? 0 : records - 1]) / 1000.0;
}

struct DeviceHolders {
  const TraceMemory* memory = nullptr;
  std::size_t at = 0;
  std::vector<OperatorHolder> holders;

  Table table(std::size_t most) const {
    return holder_table(holders, memory->name(), static_cast<double>(memory->active_after(at)), most);
  }
};

void write_trace_json(const Trace& trace, const std::vector<DeviceHolders>& devices, const MemoryCommand& command,
                      Output& out) {
  JsonWriter json(out);
  json.member("file", trace.sources().empty() ? std::string{} : trace.sources().front().path);
  json.member("kind", "trace");
  json.member("at", command.at);
  json.member("by", command.by);
  json.begin_list("devices");
  for (const DeviceHolders& device : devices) {
    const TraceMemory& memory = *device.memory;
    const std::size_t peak = memory.peak();
    const std::size_t count = memory.times.size();
    std::uint64_t allocations = memory.allocations.size();
    json.element({{"device", memory.name()},
                  {"events", count},
                  {"actions", {{"alloc", allocations}, {"free", count - std::min<std::uint64_t>(allocations, count)}}},
                  {"activeAtStartBytes", memory.at_start},
                  {"activeAtEndBytes", memory.active_after(count)},
                  {"peakActiveBytes", memory.active_after(peak)},
                  {"peakTimeUs", time_of_records(memory, peak)},
                  {"peakTimeNs", memory.times.empty() ? Json() : Json(memory.times[peak == 0 ? 0 : peak - 1])},
                  {"peakReservedBytes", memory.reserved_records > 0 ? Json(memory.peak_reserved) : Json()},
                  {"hasTotals", memory.has_totals},
                  {"totalsUnlikeRunningSum", memory.totals_unlike},
                  {"freesUnmatched", memory.frees_unmatched},
                  {"freesLost", memory.frees_lost},
                  {"outOfMemory", memory.out_of_memory.size()},
                  {"at",
                   {{"timeUs", time_of_records(memory, device.at)},
                    {"event", device.at},
                    {"activeBytes", memory.active_after(device.at)}}}});
  }
  json.end();
  json.begin_list("holders");
  for (const DeviceHolders& device : devices) {
    const Table table = device.table(command.limit.value_or(0));
    for (std::size_t row = 0; row < table.rows && out.ok(); ++row) json.element(json_row(table, row));
  }
  json.end();
  json.begin_list("outOfMemory");
  for (const DeviceHolders& device : devices) {
    const auto largest = largest_holders(trace, *device.memory, device.memory->out_of_memory, kHoldersShown);
    for (std::size_t o = 0; o < largest.size(); ++o) {
      const std::size_t records = device.memory->out_of_memory[o];
      Json holders = Json::array();
      for (const OperatorHolder& holder : largest[o])
        holders.push_back({{"name", holder.name}, {"bytes", holder.bytes}});
      json.element({{"device", device.memory->name()},
                    {"timeUs", time_of_records(*device.memory, records)},
                    {"requestedBytes", device.memory->out_of_memory_bytes[o]},
                    {"activeBytes", device.memory->active_after(records)},
                    {"holders", holders}});
    }
  }
  json.end();
  json.finish();
}

void write_trace_text(const Trace& trace, const std::vector<DeviceHolders>& devices, const MemoryCommand& command,
                      Output& out) {
  for (const DeviceHolders& device : devices) {
    const TraceMemory& memory = *device.memory;
    const std::size_t peak = memory.peak();
    const auto since = [&](std::size_t records) {
      if (memory.times.empty()) return std::string("0");
      return format_duration(memory.times[records == 0 ? 0 : records - 1] - trace.span().begin);
    };
    out.write(fmt::format("{}: {}; peak {} at {}{}\n", memory.name(), counted(memory.times.size(), "record"),
                          size_of(memory.active_after(peak)), since(peak),
                          memory.has_totals ? "" : " (without what was there before: this file has no totals)"));
    if (memory.reserved_records > 0) out.write(fmt::format("  reserved at most {}\n", size_of(memory.peak_reserved)));
    if (memory.totals_unlike > 0)
      out.write(fmt::format("  {} of the file unlike the running sum\n", counted(memory.totals_unlike, "total")));
    if (memory.frees_lost > 0)
      out.write(fmt::format("  {} where something was still held: its free is not in the file\n",
                            counted(memory.frees_lost, "allocation")));
    if (!memory.out_of_memory.empty())
      out.write(fmt::format("  ran out of memory {}, first with {} held\n",
                            counted(memory.out_of_memory.size(), "time"),
                            size_of(memory.active_after(memory.out_of_memory.front()))));
    out.write(fmt::format("Held at {} ({}), by {}: {}\n", command.at, since(device.at),
                          command.by == "frame" ? "operator" : command.by, size_of(memory.active_after(device.at))));
    Table table = device.table(command.text_rows());
    table.shown = {"Held", "Count", "Largest", "Holder"};
    print_table(table, command.width, out);
    if (const std::size_t more = device.holders.size() - table.rows; more > 0)
      out.write(fmt::format("{} more: --limit 0\n", format_count(more)));
    out.write("\n");
  }
}

}  // namespace

Result<void> print_trace_memory(const Result<Trace>& trace, const MemoryCommand& command, Output& out) {
  if (!trace) return tl::make_unexpected(trace.error());
  print_warnings(*trace, stderr);
  if (command.by == "segment")
    return fail(ErrorCode::kInvalidArgument, "a trace does not name segments; an allocator snapshot does");
  if (command.html)
    return fail(ErrorCode::kInvalidArgument, "--html is for snapshots; lacuna report --html has the memory of a trace");
  std::vector<TraceMemory> all;
  for (std::uint32_t s = 0; s < trace->sources().size(); ++s) {
    Result<std::vector<TraceMemory>> memories = read_trace_memory(*trace, SourceId{s});
    if (!memories) return tl::make_unexpected(memories.error());
    for (TraceMemory& memory : *memories) all.push_back(std::move(memory));
  }
  if (all.empty() && !command.json)
    out.write(
        "No [memory] records in this trace: profile(profile_memory=True) writes them, and "
        "torch.cuda.memory._record_memory_history() snapshots that say more\n");
  std::vector<DeviceHolders> devices;
  for (const TraceMemory& memory : all) {
    DeviceHolders& device = devices.emplace_back();
    device.memory = &memory;
    device.at = asked_records(*trace, memory, command.at);
    device.holders = holders_after(*trace, memory, device.at, command.by);
  }
  if (command.folded) {
    for (const DeviceHolders& device : devices)
      for (const OperatorHolder& holder : holders_after(*trace, *device.memory, device.at, "stack"))
        out.write(fmt::format("{} {}\n", printable(holder.name), holder.bytes));
  } else if (command.json) {
    write_trace_json(*trace, devices, command, out);
  } else {
    write_trace_text(*trace, devices, command, out);
  }
  return {};
}

}  // namespace lacuna
