#include "model/formats/snapshot/snapshot_events.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/build/naming.h"
#include "model/formats/snapshot/snapshot_reader.h"
#include "model/memory/allocation_history.h"
#include "model/memory/kept_memory.h"
#include "model/memory/memory_holders.h"
#include "model/memory/out_of_memory.h"

namespace lacuna {
namespace {

constexpr Nanos kMostMicroseconds = INT64_MAX / 1000;

/// Makes the events of one device.
class SnapshotEvents {
 public:
  SnapshotEvents(const MemorySnapshot& snapshot, const DeviceHistory& history, StackNames& names, std::uint64_t& offset)
      : snapshot_(snapshot),
        history_(history),
        memory_(replay_device(snapshot, history)),
        names_(names),
        offset_(offset) {}

  EventBatch make() {
    process_ = batch_.strings.intern(fmt::format("{}", history_.device));
    name_process();
    counters();
    allocations();
    annotations();
    out_of_memory();
    return std::move(batch_);
  }

 private:
  Nanos time_at(Moment moment) const {
    if (!snapshot_.has_times) return static_cast<Nanos>(moment) * 1000;
    return std::clamp<Nanos>(time_of(snapshot_, history_, moment), 0, kMostMicroseconds) * 1000;
  }
  void count(char phase) { ++batch_.phase_counts[static_cast<unsigned char>(phase)]; }

  void name_process() {
    MetadataEvent name;
    name.what = MetadataEvent::What::kProcessName;
    name.pid = process_;
    name.text = batch_.strings.intern(std::string_view("GPU memory"));
    batch_.metadata.push_back(name);
  }

  EventBatch::TrackEvents& track(std::string_view tid, const std::string& title) {
    TrackKey key;
    key.pid = process_;
    key.tid = batch_.strings.intern(tid);
    MetadataEvent name;
    name.what = MetadataEvent::What::kThreadName;
    name.pid = process_;
    name.tid = key.tid;
    name.text = batch_.strings.intern(title);
    batch_.metadata.push_back(name);
    MetadataEvent place;
    place.what = MetadataEvent::What::kThreadSortIndex;
    place.pid = process_;
    place.tid = key.tid;
    place.number = kBelowCounters + static_cast<std::int64_t>(batch_.tracks.size());
    batch_.metadata.push_back(place);
    return batch_.tracks[batch_.track(key)];
  }

  void slice(EventBatch::TrackEvents& on, const std::string& name, std::string_view category, Nanos begin, Nanos end) {
    SliceRecord record;
    record.start = begin;
    record.duration = std::max<Nanos>(end - begin, 0);
    record.file_offset = ++offset_;
    record.name = batch_.strings.intern(name);
    record.category = batch_.category(batch_.strings.intern(category));
    on.slices.push_back(record);
    ++batch_.category_counts[record.category];
    count('X');
  }

  void counters() {
    CounterSample active{.value = static_cast<double>(memory_.active_at_start),
                         .pid = process_,
                         .name = batch_.strings.intern("Memory"),
                         .series = batch_.strings.intern("active bytes")};
    CounterSample reserved = active;
    reserved.series = batch_.strings.intern("reserved bytes");
    std::uint64_t now = memory_.reserved_at_end;
    for (std::size_t i = 0; i < history_.event_count; ++i) now -= change_of_reserved(snapshot_.event(history_, i));
    const auto add = [&](CounterSample& sample, Nanos time, double value) {
      sample.time = time;
      sample.value = value;
      batch_.counters.push_back(sample);
      count('C');
    };
    add(active, time_at(0), active.value);
    add(reserved, time_at(0), static_cast<double>(now));
    auto live = static_cast<std::uint64_t>(memory_.active_at_start);
    for (std::size_t i = 0; i < history_.event_count; ++i) {
      const AllocatorEvent& event = snapshot_.event(history_, i);
      if (const std::uint64_t change = change_of_reserved(event); change != 0)
        add(reserved, time_at(i + 1), static_cast<double>(now += change));
      if (!event.is(AllocatorAction::kAlloc) && !event.is(AllocatorAction::kFreeCompleted)) continue;
      live = event.is(AllocatorAction::kAlloc) ? live + event.size : live - event.size;
      add(active, time_at(i + 1), static_cast<double>(static_cast<std::int64_t>(live)));
    }
  }

  static std::uint64_t change_of_reserved(const AllocatorEvent& event) {
    if (event.is(AllocatorAction::kSegmentAlloc) || event.is(AllocatorAction::kSegmentMap)) return event.size;
    if (event.is(AllocatorAction::kSegmentFree) || event.is(AllocatorAction::kSegmentUnmap)) return 0 - event.size;
    return 0;
  }

  void allocations() {
    std::vector<std::uint32_t> largest(memory_.allocations.size());
    for (std::uint32_t a = 0; a < largest.size(); ++a) largest[a] = a;
    const std::size_t drawn = std::min(kAllocationsDrawn, largest.size());
    const auto held = [](const Allocation& a) { return a.end - a.begin; };  // kNever: longer than all others
    // Steps allocate the same sizes again and again: of equals those that were held longest.
    const auto is_larger = [&](std::uint32_t a, std::uint32_t b) {
      const Allocation& x = memory_.allocations[a];
      const Allocation& y = memory_.allocations[b];
      if (x.size != y.size) return x.size > y.size;
      return held(x) != held(y) ? held(x) > held(y) : a < b;
    };
    std::ranges::partial_sort(largest, largest.begin() + static_cast<std::ptrdiff_t>(drawn), is_larger);
    EventBatch::TrackEvents& on =
        track("1", drawn < largest.size() ? fmt::format("{} largest of {} allocations", drawn, largest.size())
                                          : fmt::format("{} allocations", drawn));
    for (std::size_t i = 0; i < drawn; ++i) {
      const Allocation& allocation = memory_.allocations[largest[i]];
      const Moment end = allocation.end == Allocation::kNever ? history_.event_count : allocation.end;
      slice(on, fmt::format("{} {}", describe_size(allocation.size), names_.frame(allocation.stack)), "allocation",
            time_at(allocation.begin), time_at(end));
    }
  }

  void annotations() {
    std::map<std::uint32_t, std::vector<Nanos>> open;  // by name
    std::vector<std::pair<std::uint32_t, std::pair<Nanos, Nanos>>> spans;
    for (const SnapshotAnnotation& annotation : snapshot_.annotations) {
      if (annotation.device != history_.device) continue;
      const Nanos time = std::clamp<Nanos>(annotation.time_us, 0, kMostMicroseconds) * 1000;
      std::vector<Nanos>& begins = open[annotation.name.value];
      if (snapshot_.text(annotation.stage) == "START") {
        begins.push_back(time);
      } else if (!begins.empty()) {
        spans.push_back({annotation.name.value, {begins.back(), time}});
        begins.pop_back();
      }
    }
    if (spans.empty() || !snapshot_.has_times) return;
    EventBatch::TrackEvents& on = track("2", "annotations");
    for (const auto& [name, span] : spans)
      slice(on, std::string(snapshot_.text(StringId{name})), "user_annotation", span.first, span.second);
  }

  void out_of_memory() {
    const std::vector<OutOfMemory> found = explain_out_of_memory(snapshot_, memory_);
    if (found.empty()) return;
    EventBatch::TrackEvents& on = track("3", "out of memory");
    for (const OutOfMemory& oom : found) {
      Instant mark;
      mark.time = time_at(oom.moment + 1);
      mark.file_offset = ++offset_;
      mark.name = batch_.strings.intern(fmt::format("out of memory: {}", oom.sentences.front()));
      mark.category = CategoryId{batch_.category(batch_.strings.intern("out_of_memory"))};
      mark.scope = 'g';
      on.instants.push_back(mark);
      ++batch_.category_counts[mark.category.value];
      count('i');
    }
  }

  const MemorySnapshot& snapshot_;
  const DeviceHistory& history_;
  const DeviceMemory memory_;
  StackNames& names_;
  std::uint64_t& offset_;
  EventBatch batch_;
  StringId process_;
};

Result<void> read_snapshot_events(const FormatInput& input, TraceSource& facts, const BatchReceiver& sink) {
  // The memory that reading may take goes by the size, which is known once all is decompressed.
  if (const auto error = input.bytes.ending().error) return tl::make_unexpected(*error);
  PickleProgress watch;
  if (input.progress != nullptr) watch = {&input.progress->bytes_done, &input.progress->cancel};
  Result<MemorySnapshot> read = read_snapshot(input.bytes, {}, input.progress == nullptr ? nullptr : &watch);
  if (!read) return tl::make_unexpected(read.error());
  const auto kept = std::make_shared<const KeptSnapshot>(std::move(*read));
  const MemorySnapshot* snapshot = &kept->snapshot;
  if (snapshot->devices.empty())
    return fail(ErrorCode::kNotATrace,
                "an allocator snapshot without a history: call torch.cuda.memory._record_memory_history() first; "
                "lacuna memory FILE says what it holds");
  StackNames names(*snapshot);
  std::uint64_t offset = 0;
  for (const DeviceHistory& history : snapshot->devices) sink(SnapshotEvents(*snapshot, history, names, offset).make());
  facts.json_bytes = input.bytes.size();
  facts.side_data = kept;
  return {};
}

}  // namespace

constinit const Format kSnapshotFormat{
    .title = "allocator snapshot of PyTorch",
    .use = FormatUse::kMemory,
    .endings = {".pickle", ".pkl"},
    .recognises = [](std::string_view head, bool) { return looks_like_pickle(head); },
    .read = read_snapshot_events};

}  // namespace lacuna
