// `lacuna memory` of a snapshot, in words and tables.
#include <fmt/format.h>

#include "app/cli/memory_answer.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kOomRows = 5;

std::string when(const SnapshotAnswer& answer, const DeviceMemory& memory, Moment moment) {
  if (memory.history->event_count == 0) return "at the snapshot";
  if (!answer.snapshot.has_times)
    return fmt::format("after event {} of {}", format_count(moment), format_count(memory.history->event_count));
  const std::int64_t time = time_of(answer.snapshot, *memory.history, moment);
  return fmt::format("at {} \xC2\xB5s, {} after the first event", time,
                     format_duration((time - memory.first_us) * 1000));
}

void write_holders(const DeviceAnswer& device, const MemoryCommand& command, Output& out) {
  const Table table = device.table(command.text_rows());
  print_table(table, command.width, out);
  std::uint64_t rest = device.held;
  for (std::size_t h = 0; h < table.rows; ++h) rest -= device.holders[h].bytes;
  if (const std::size_t more = device.holders.size() - table.rows; more > 0)
    out.write(fmt::format("{} more hold {}: --limit 0\n", format_count(more), describe_size(rest)));
}

void write_device(const SnapshotAnswer& answer, const DeviceAnswer& device, const MemoryCommand& command, Output& out) {
  const DeviceMemory& memory = device.memory;
  const bool has_history = memory.history->event_count > 0;
  out.write(fmt::format("\nDevice {}", memory.history->device));
  if (has_history) {
    out.write(fmt::format(": {} over {}\n", counted(memory.history->event_count, "event"),
                          format_duration((memory.last_us - memory.first_us) * 1000)));
    std::string actions;
    for (const auto& [action, count] : memory.actions)
      actions += fmt::format("{}{} {}", actions.empty() ? "" : ", ", format_count(count), printable(action));
    out.write(fmt::format("  {}\n", actions));
    out.write(fmt::format("  Active: {} at the start, {} at the end, peak {} {}\n", size_of(memory.active_at_start),
                          size_of(memory.active_at_end), size_of(memory.peak_active),
                          when(answer, memory, memory.peak)));
  } else {
    out.write(": no history\n");
  }
  out.write(fmt::format("  Reserved {}: {} in {}, {} of it cached; largest free range {}, fragmentation {}\n",
                        when(answer, memory, device.at), describe_size(device.state.reserved),
                        counted(device.state.segment_count, "segment"), describe_size(device.state.free_bytes),
                        describe_size(device.state.largest_free), format_percent(device.state.fragmentation())));
  for (std::size_t o = 0; o < device.out_of_memory.size(); ++o) {
    if (o == kOomRows) {
      out.write(fmt::format("\n{} more times out of memory: --json\n", device.out_of_memory.size() - o));
      break;
    }
    const OutOfMemory& oom = device.out_of_memory[o];
    out.write(fmt::format("\nOut of memory {}\n", when(answer, memory, oom.moment + 1)));
    for (const std::string& sentence : oom.sentences) out.write(fmt::format("  {}\n", sentence));
  }
  out.write(
      fmt::format("\nHeld {}, by {}: {}\n", when(answer, memory, device.at), command.by, describe_size(device.held)));
  write_holders(device, command, out);
  if (device.growing.empty()) return;
  out.write(fmt::format("\nGrowing over {} moments{}\n", device.steps.size(),
                        has_steps(answer.snapshot)
                            ? ", the ends of steps: a leak?"
                            : " of the history (it names no steps; within one step that is usual)"));
  TableOf<Leak> table(device.growing);
  table.number({"First"}, [](const Leak& leak) { return describe_size(leak.bytes.front()); });
  table.number({"Last"}, [](const Leak& leak) { return describe_size(leak.bytes.back()); });
  table.number({"Growth"}, [](const Leak& leak) { return describe_size(leak.growth()); });
  table.name({"Frame"}, &Leak::name);
  table.limit(10);
  print_table(table, command.width, out);
}

}  // namespace

void write_snapshot_text(const SnapshotAnswer& answer, const SnapshotAnswer* other, const MemoryCommand& command,
                         Output& out) {
  std::uint64_t total = 0;
  std::uint64_t active = 0;
  for (const AllocatorSegment& segment : answer.snapshot.segments) {
    total += segment.total_size;
    active += segment.active_size;
  }
  out.write(fmt::format("{}: allocator snapshot, {} of {}, {} of it active, {}\n", printable(answer.path),
                        counted(answer.snapshot.segments.size(), "segment"), describe_size(total),
                        describe_size(active), counted(answer.snapshot.blocks.size(), "block")));
  for (const std::string& remark : snapshot_remarks(answer)) out.write(remark + "\n");
  for (const DeviceAnswer& device : answer.answers) write_device(answer, device, command, out);
  if (other == nullptr) return;
  out.write(fmt::format("\nCompared with {}\n", printable(other->path)));
  const std::vector<HolderChange> changes = compare_holders(answer, *other);
  Table table = change_table(changes);
  table.limit(command.text_rows());
  print_table(table, command.width, out);
}

}  // namespace lacuna
