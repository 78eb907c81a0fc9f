// What is asked of a snapshot, worked out once for text, JSON and HTML.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "app/cli/memory.h"
#include "app/cli/memory_answer.h"
#include "app/cli/option_values.h"
#include "app/cli/text_table.h"
#include "model/base/stable_sort.h"
#include "model/formats/snapshot/snapshot_reader.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kChartStates = 100;

Result<Moment> asked_moment(const SnapshotAnswer& answer, const DeviceMemory& memory, const MemoryCommand& command) {
  if (command.at == "peak") return memory.peak;
  if (command.at == "start") return 0;
  if (command.at == "end") return memory.history->event_count;
  if (!answer.snapshot.has_times)
    return fail(ErrorCode::kInvalidArgument, "this snapshot has no times: --at peak, start or end", answer.path);
  std::int64_t time = parse_microseconds(command.at).value_or(0) / 1000;
  if (time < memory.first_us) time += memory.first_us;  // since the first event
  return moment_at(answer.snapshot, *memory.history, time);
}

/// A device that has segments but no history is one whose history is empty.
void find_devices(SnapshotAnswer& answer) {
  answer.devices = answer.snapshot.devices;
  std::vector<std::int64_t> others;
  for (const AllocatorSegment& segment : answer.snapshot.segments) {
    const bool is_known = std::ranges::any_of(
        answer.devices, [&](const DeviceHistory& history) { return history.device == segment.device; });
    if (!is_known && answer.devices.size() < 1024) answer.devices.push_back({segment.device, 0, 0});
  }
}

/// Events have the bytes that were asked for, the final state those of whole blocks: what is between them.
void add_rounding(DeviceAnswer& device) {
  const std::int64_t rounding = device.active - static_cast<std::int64_t>(device.held);
  if (rounding <= 0) return;
  const Holder holder{.name = "(rounding by the allocator)", .bytes = static_cast<std::uint64_t>(rounding)};
  const auto at = std::ranges::find_if(device.holders, [&](const Holder& h) { return h.bytes < holder.bytes; });
  device.holders.insert(at, holder);
  device.held += holder.bytes;
}

/// "outermost;…;innermost" of what is held, with its bytes; added to column `column` of each line.
using FoldedLines = std::map<std::string, std::array<std::uint64_t, 2>>;

void fold_answer(const SnapshotAnswer& answer, std::size_t column, FoldedLines& lines) {
  std::vector<std::uint32_t> frames;
  std::vector<std::string> labels(answer.snapshot.stacks.frame_count());  // as far as they were needed
  const MemorySnapshot& snapshot = answer.snapshot;
  for (const DeviceAnswer& device : answer.answers) {
    // Many allocations have one stack: only stacks are put into words.
    std::map<std::uint32_t, std::uint64_t> bytes_of;
    for (const Allocation& allocation : device.memory.allocations)
      if (allocation.is_held(device.at)) bytes_of[allocation.stack] += allocation.size;
    for (const auto& [stack, bytes] : bytes_of) {
      snapshot.stacks.read_stack(stack, frames);
      std::string line = answer.answers.size() > 1 ? fmt::format("device {}", device.memory.history->device) : "";
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        std::string& label = labels[*frame];
        if (label.empty()) {
          label = printable(snapshot.describe(snapshot.stacks.frame(*frame)));
          std::ranges::replace(label, ';', ',');
        }
        line.append(line.empty() ? "" : ";").append(label);
      }
      if (frames.empty()) line.append(line.empty() ? "" : ";").append("(stack not recorded)");
      lines[line][column] += bytes;
    }
  }
}

/// Of two snapshots as difffolded.pl writes them: both numbers.
void write_folded(const SnapshotAnswer& answer, const SnapshotAnswer* other, Output& out) {
  FoldedLines lines;
  fold_answer(answer, 0, lines);
  if (other != nullptr) fold_answer(*other, 1, lines);
  for (const auto& [line, bytes] : lines)
    out.write(other == nullptr ? fmt::format("{} {}\n", line, bytes[0])
                               : fmt::format("{} {} {}\n", line, bytes[0], bytes[1]));
}

}  // namespace

Result<void> answer_snapshot(const OpenedFile& file, const std::string& path, const MemoryCommand& command,
                             SnapshotAnswer& answer) {
  answer.path = path;
  Result<MemorySnapshot> snapshot = read_snapshot(*file.bytes, path);
  if (!snapshot) return tl::make_unexpected(snapshot.error());
  answer.snapshot = std::move(*snapshot);
  find_devices(answer);
  StackNames names(answer.snapshot);
  const HolderKey key = holder_key(command.by).value_or(HolderKey::kFrame);
  for (const DeviceHistory& history : answer.devices) {
    DeviceAnswer& device = answer.answers.emplace_back();
    device.memory = replay_device(answer.snapshot, history);
    const Result<Moment> at = asked_moment(answer, device.memory, command);
    if (!at) return tl::make_unexpected(at.error());
    device.at = *at;
    device.active = active_at(answer.snapshot, device.memory, *at);
    device.holders = holders_at(answer.snapshot, device.memory, *at, key, names);
    for (const Holder& holder : device.holders) device.held += holder.bytes;
    add_rounding(device);
    AllocatorReplay replay(device.memory);
    replay.go_to(*at);
    device.state = state_of(device.memory, replay);
    device.out_of_memory = explain_out_of_memory(answer.snapshot, device.memory);
    device.over_time = states_over_time(device.memory, kChartStates);
    device.steps = step_moments(answer.snapshot, history);
    device.growing = find_leaks(answer.snapshot, device.memory, device.steps, names);
  }
  return {};
}

std::vector<std::string> snapshot_remarks(const SnapshotAnswer& answer) {
  std::vector<std::string> remarks;
  const MemorySnapshot& snapshot = answer.snapshot;
  if (snapshot.segments.empty() && snapshot.devices.empty()) {
    remarks.emplace_back("No memory of any GPU: PyTorch ran on the CPU only, or had not allocated yet");
  } else if (snapshot.devices.empty()) {
    remarks.emplace_back(
        "No history: call torch.cuda.memory._record_memory_history() before what is to be seen. What follows is the "
        "moment of the snapshot");
  } else if (!snapshot.has_times) {
    remarks.emplace_back("No times in this snapshot (PyTorch before 2.2): events are told apart by number");
  }
  if (snapshot.not_understood > 0)
    remarks.push_back(fmt::format("{} entries lack what they need and were left out", snapshot.not_understood));
  if (snapshot.trailing_bytes > 0)
    remarks.push_back(fmt::format("{} bytes behind the end of the pickle were ignored", snapshot.trailing_bytes));
  std::uint64_t unmatched = 0;
  for (const DeviceAnswer& device : answer.answers) unmatched += device.memory.unmatched;
  if (unmatched > 0)
    remarks.push_back(counted(unmatched, "event") + " at odds with the final state: the history is not whole");
  return remarks;
}

std::vector<HolderChange> compare_holders(const SnapshotAnswer& a, const SnapshotAnswer& b) {
  std::map<std::string, HolderChange> changes;
  for (const DeviceAnswer& device : a.answers)
    for (const Holder& holder : device.holders) changes[holder.name].bytes += holder.bytes;
  for (const DeviceAnswer& device : b.answers)
    for (const Holder& holder : device.holders) changes[holder.name].other += holder.bytes;
  std::vector<HolderChange> sorted;
  for (auto& [name, change] : changes) {
    change.name = name;
    sorted.push_back(std::move(change));
  }
  const auto size = [](const HolderChange& c) { return c.bytes > c.other ? c.bytes - c.other : c.other - c.bytes; };
  sort_stably(sorted, [&](const HolderChange& x, const HolderChange& y) { return size(x) > size(y); });
  return sorted;
}

Table change_table(const std::vector<HolderChange>& changes) {
  using Row = HolderChange;
  TableOf<Row> table(changes);
  table.name({"Holder", "name"}, &Row::name);
  table.number({"Held", "bytes"}, &Row::bytes, [](const Row& row) { return describe_size(row.bytes); });
  table.number({"There", "otherBytes"}, &Row::other, [](const Row& row) { return describe_size(row.other); });
  table.number({"Change", "changeBytes"}, &Row::change, [](const Row& row) { return size_of(row.change()); });
  table.shown = {"Held", "There", "Change", "Holder"};
  return table;
}

Result<void> print_snapshot_memory(const OpenedFile& file, const std::string& path, const MemoryCommand& command,
                                   Output& out) {
  if (command.by == "module")
    return fail(ErrorCode::kInvalidArgument, "a snapshot's stacks name no modules: --by frame, or --folded");
  SnapshotAnswer answer;
  if (auto read = answer_snapshot(file, path, command, answer); !read) return read;
  SnapshotAnswer other;
  if (!command.compare.empty()) {
    ImportProgress progress;
    const Result<OpenedFile> second = open_whole_pickle(command.compare, std::uint64_t{64} << 30, progress);
    if (!second) return tl::make_unexpected(second.error());
    if (auto read = answer_snapshot(*second, command.compare, command, other); !read) return read;
  }
  const SnapshotAnswer* compared = command.compare.empty() ? nullptr : &other;
  if (command.folded) {
    write_folded(answer, compared, out);
  } else if (command.json) {
    write_snapshot_json(answer, compared, command, out);
  } else if (command.html) {
    write_snapshot_html(answer, command, out);
  } else {
    write_snapshot_text(answer, compared, command, out);
  }
  return {};
}

}  // namespace lacuna
