#include "model/formats/perfetto/track_table.h"

#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/formats/wire_message.h"

namespace lacuna {
namespace {

// Above the numbers of any thread, and between those of sampled_tracks.h: of tracks that are no threads, and of
// processes and threads whose number was an earlier one's.
constexpr std::int64_t kFirstOtherTid = 1'200'000'000, kFirstReused = 1'400'000'000;
constexpr int kDeepest = 64;

std::int64_t wire_int32(const WireField& field) {
  return static_cast<std::int32_t>(field.value);
}

std::optional<std::int64_t> number_in_brackets(std::string_view text, std::string_view before) {
  const auto at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const char* const begin = text.data() + at + before.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data() + text.size() || *end != ']') return std::nullopt;
  return number;
}

/// "COMPUTE AGENT [4] QUEUE [0] GPU", "COPY to AGENT [4] STREAM [1] (GPU)": what rocprofv3 calls the queues of its
/// GPUs. Copies without a stream, by the thread that asked for them, get streams of their own.
std::optional<PerfettoTrack::Queue> queue_of_name(std::string_view name) {
  constexpr std::int64_t kCopiesOfThreads = 1'000'000;
  const bool is_copy = name.starts_with("COPY to ");
  if (!is_copy && !name.starts_with("COMPUTE ")) return std::nullopt;
  if (name.find("GPU") == std::string_view::npos) return std::nullopt;
  const auto device = number_in_brackets(name, " [");
  if (!device) return std::nullopt;
  if (const auto stream = number_in_brackets(name, " STREAM [")) return PerfettoTrack::Queue{*device, *stream};
  if (const auto queue = number_in_brackets(name, " QUEUE [")) return PerfettoTrack::Queue{*device, *queue};
  if (const auto thread = number_in_brackets(name, " THREAD ["))
    return PerfettoTrack::Queue{*device, kCopiesOfThreads + *thread};
  return std::nullopt;
}

std::string unit_of(std::uint64_t unit) {
  constexpr std::array<std::string_view, 4> kUnits{"", "ns", "count", "bytes"};
  return std::string(unit < kUnits.size() ? kUnits[unit] : "");
}

}  // namespace

TrackTable::TrackTable() {
  of_uuid(0);
}

TrackTable::Index TrackTable::of_uuid(std::uint64_t uuid) {
  const auto [known, is_new] = by_uuid_.try_emplace(uuid, static_cast<Index>(tracks_.size()));
  if (is_new) tracks_.emplace_back().uuid = uuid;
  return known->second;
}

TrackTable::Process& TrackTable::process(std::int64_t pid, std::uint64_t uuid) {
  const auto [known, is_new] = process_of_pid_.try_emplace(pid, processes_.size());
  if (is_new) {
    processes_.emplace_back().pid = pid;
  } else if (uuid != 0 && processes_[known->second].uuid != 0 && processes_[known->second].uuid != uuid) {
    // Two tracks, two processes: the first has ended.
    known->second = processes_.size();
    processes_.emplace_back().pid = kFirstReused + reused_++;
  }
  Process& found = processes_[known->second];
  if (uuid != 0) found.uuid = uuid;
  return found;
}

TrackTable::Thread& TrackTable::thread(const Process& process, std::int64_t pid, std::int64_t tid, std::uint64_t uuid) {
  const auto [known, is_new] = thread_of_tid_.try_emplace({process.pid, tid}, threads_.size());
  if (is_new) {
    threads_.emplace_back().place = {process.pid, tid};
  } else if (uuid != 0 && threads_[known->second].uuid != 0 && threads_[known->second].uuid != uuid) {
    known->second = threads_.size();
    threads_.emplace_back().place = {process.pid, kFirstReused + reused_++};
  }
  Thread& found = threads_[known->second];
  if (uuid != 0) found.uuid = uuid;
  if (const auto tree = tree_threads_.find({pid, tid}); found.name.empty() && tree != tree_threads_.end())
    found.name = tree->second;
  return found;
}

TrackTable::Described TrackTable::describe(std::string_view message) {
  WireMessage descriptor(message);
  std::uint64_t uuid = 0, parent = 0, merge = 0;
  std::optional<std::int64_t> rank;
  bool sorts_children = false, sorts_processes = false, sorts_threads = false;
  std::string_view name, description, host_app, process_message, thread_message, counter_message;
  bool is_process = false, is_thread = false, is_counter = false, is_state = false;
  for (WireField field; descriptor.next(field);) {
    switch (field.number) {
      case 1:
        uuid = field.value;
        break;
      case 2:
      case 10:
      case 13:
        name = field.bytes;
        break;
      case 3:
        is_process = true;
        process_message = field.bytes;
        break;
      case 4:
        is_thread = true;
        thread_message = field.bytes;
        break;
      case 5:
        parent = field.value;
        break;
      case 6: {
        WireMessage chrome_process(field.bytes);
        for (WireField part; chrome_process.next(part);) {
          if (part.number == 4) host_app = part.bytes;
        }
        break;
      }
      case 8:
        is_counter = true;
        counter_message = field.bytes;
        break;
      case 11:
        sorts_children = field.value == 3;
        break;
      case 12:
        rank = wire_int32(field);
        break;
      case 14:
        description = field.bytes;
        break;
      case 15:
        merge = field.value;
        break;
      case 18:
        is_state = true;
        break;
      case 19:
        sorts_processes = field.value == 1;
        break;
      case 20:
        sorts_threads = field.value == 1;
        break;
      default:
        break;
    }
  }
  Described described;
  described.track = of_uuid(uuid);
  PerfettoTrack& track = tracks_[described.track];
  track.is_described = true;
  if (!description.empty()) track.description = description;
  track.is_state = track.is_state || is_state;
  if (uuid != parent) track.parent = parent;
  if (rank) track.rank = *rank;
  track.sorts_children = track.sorts_children || sorts_children;
  // Said of the root: of the order of processes and threads.
  sorts_processes_ = sorts_processes_ || (uuid == 0 && sorts_processes);
  sorts_threads_ = sorts_threads_ || (uuid == 0 && sorts_threads);
  // Merged by name, a track keeps its first one; else the last one counts.
  constexpr std::uint64_t kMergeNone = 2;
  if (!name.empty() && (track.name.empty() || merge == kMergeNone)) track.name = name;
  if (is_thread) {
    std::int64_t pid = 0, tid = 0;
    std::string_view thread_name;
    WireMessage thread_fields(thread_message);
    for (WireField field; thread_fields.next(field);) {
      if (field.number == 1) pid = wire_int32(field);
      if (field.number == 2) tid = field.integer();
      if (field.number == 5) thread_name = field.bytes;
    }
    Thread& of = thread(process(pid, 0), pid, tid, uuid);
    if (!thread_name.empty()) of.name = thread_name;
    track.kind = PerfettoTrack::Kind::kThread;
    track.place = of.place;
    described.thread = SinkThread{pid, tid};
  } else if (is_process) {
    std::int64_t pid = 0;
    std::string_view process_name;
    std::vector<std::string> labels;
    WireMessage process_fields(process_message);
    for (WireField field; process_fields.next(field);) {
      if (field.number == 1) pid = wire_int32(field);
      if (field.number == 6) process_name = field.bytes;
      if (field.number == 2 && process_name.empty()) process_name = field.bytes;
      if (field.number == 8) labels.emplace_back(field.bytes);
    }
    Process& of = process(pid, uuid);
    if (!process_name.empty()) {
      of.name = process_name;
    } else if (of.name.empty()) {
      of.name = name;
    }
    if (!labels.empty()) of.labels = std::move(labels);
    if (!host_app.empty()) of.host_app = host_app;
    track.kind = PerfettoTrack::Kind::kProcess;
    track.place.pid = of.pid;
  }
  if (is_counter) {
    PerfettoTrack::Counter counter;
    WireMessage counter_fields(counter_message);
    for (WireField field; counter_fields.next(field);) {
      if (field.number == 1 && track.name.empty())
        track.name = field.value == 1 ? "thread_time" : field.value == 2 ? "thread_instruction_count" : "";
      if (field.number == 1 && field.value == 1) counter.unit = "ns";
      if (field.number == 3) counter.unit = unit_of(field.value);
      if (field.number == 4 && field.value != 0) counter.multiplier = field.integer();
      if (field.number == 5) counter.is_incremental = field.flag();
      if (field.number == 6) counter.unit = field.bytes;
    }
    track.counter = std::move(counter);
  }
  return described;
}

void TrackTable::add_process_tree(std::string_view message) {
  WireMessage tree(message);
  for (WireField field; tree.next(field);) {
    if (field.number != 1 && field.number != 2) continue;
    const bool is_process = field.number == 1;
    std::int64_t id = 0, group = 0;
    std::string_view name;
    WireMessage entry(field.bytes);
    for (WireField part; entry.next(part);) {
      if (part.number == 1) id = wire_int32(part);
      if (part.number == 3 && !is_process) group = wire_int32(part);
      if (part.number == (is_process ? 3 : 2) && name.empty()) name = part.bytes;
    }
    if (name.empty()) continue;
    if (is_process) {
      tree_processes_[id] = name;
    } else {
      name_thread(group, id, name);
    }
  }
}

void TrackTable::name_thread(std::int64_t pid, std::int64_t tid, std::string_view name) {
  if (!name.empty()) tree_threads_[{pid, tid}] = name;
}

TrackTable::Index TrackTable::of_thread(std::int64_t pid, std::int64_t tid) {
  const Thread& of = thread(process(pid, 0), pid, tid, 0);
  if (of.uuid != 0) return of_uuid(of.uuid);
  const auto [known, is_new] = legacy_.try_emplace({of.place.pid, of.place.tid}, static_cast<Index>(tracks_.size()));
  if (is_new) {
    PerfettoTrack& track = tracks_.emplace_back();
    track.kind = PerfettoTrack::Kind::kThread;
    track.place = of.place;
  }
  return known->second;
}

TrackTable::Index TrackTable::of_process(std::int64_t pid) {
  const Process& of = process(pid, 0);
  if (of.uuid != 0) return of_uuid(of.uuid);
  const auto [known, is_new] = legacy_.try_emplace({of.pid, -1}, static_cast<Index>(tracks_.size()));
  if (is_new) {
    PerfettoTrack& track = tracks_.emplace_back();
    track.kind = PerfettoTrack::Kind::kProcess;
    track.place.pid = of.pid;
  }
  return known->second;
}

void TrackTable::place_all() {
  for (const Thread& thread : threads_) thread_names_[{thread.place.pid, thread.place.tid}] = thread.name;
  for (PerfettoTrack& track : tracks_) {
    if (track.kind != PerfettoTrack::Kind::kThread) place(track);
  }
  for (const PerfettoTrack& track : tracks_) {
    has_tracks_of_none_ = has_tracks_of_none_ || (track.place.pid == 0 && (track.has_events || track.counter));
    if (!track.queue && track.has_events) used_[{track.place.pid, track.place.tid}] = true;
  }
}

void TrackTable::place(PerfettoTrack& track) {
  const std::string& own = track.name.empty() ? track.first_name : track.name;
  std::string path = own;
  if (track.uuid == 0) path = "Default Track";
  if (path.empty()) path = fmt::format("track {:x}", track.uuid);
  std::int64_t pid = 0;
  std::uint64_t above = track.parent;
  if (track.kind == PerfettoTrack::Kind::kProcess) {
    pid = track.place.pid;
    path = "(process)";
    above = 0;
  }
  for (int depth = 0; above != 0 && depth < kDeepest; ++depth) {
    const auto found = by_uuid_.find(above);
    if (found == by_uuid_.end()) break;
    const PerfettoTrack& parent = tracks_[found->second];
    if (depth == 0 && parent.sorts_children) track.is_sorted = true;
    if (parent.kind != PerfettoTrack::Kind::kOther) {
      pid = parent.place.pid;
      if (parent.kind == PerfettoTrack::Kind::kThread) {
        const auto name = thread_names_.find({parent.place.pid, parent.place.tid});
        if (name != thread_names_.end() && !name->second.empty()) path = fmt::format("{} / {}", name->second, path);
        path = fmt::format("{}\n{}", parent.place.tid, path);
      }
      break;
    }
    if (!parent.name.empty()) path = fmt::format("{} / {}", parent.name, path);
    above = parent.parent;
  }
  const std::int64_t next = kFirstOtherTid + static_cast<std::int64_t>(other_places_.size());
  const std::int64_t tid = other_places_.try_emplace({pid, path}, next).first->second;
  track.place = {pid, tid};
  track.queue = queue_of_name(own);
}

std::string TrackTable::counter_name(Index index, std::string_view given) const {
  const PerfettoTrack& track = tracks_[index];
  std::string own(!given.empty() ? given : track.name.empty() ? track.first_name : track.name);
  if (own.empty()) own = "counter";
  const auto parent = by_uuid_.find(track.parent);
  const PerfettoTrack* above = track.kind == PerfettoTrack::Kind::kThread ? &track
                               : parent == by_uuid_.end()                 ? nullptr
                                                                          : &tracks_[parent->second];
  if (above == nullptr || above->kind != PerfettoTrack::Kind::kThread) return own;
  const auto name = thread_names_.find({above->place.pid, above->place.tid});
  if (name != thread_names_.end() && !name->second.empty()) return fmt::format("{} ({})", own, name->second);
  return fmt::format("{} (thread {})", own, above->place.tid);
}

void TrackTable::write_names(TraceSink& sink) const {
  for (const Process& process : processes_) {
    const auto tree = tree_processes_.find(process.pid);
    const std::string& name = process.name.empty() && tree != tree_processes_.end() ? tree->second : process.name;
    if (!name.empty()) sink.name_process(process.pid, name);
    std::vector<std::string> labels = process.labels;
    if (!process.host_app.empty()) labels.push_back(process.host_app);
    if (!labels.empty()) sink.label_process(process.pid, fmt::format("{}", fmt::join(labels, ", ")));
    sink.describe_process(process.pid, std::array{std::pair<std::string_view, std::string_view>("host_app_package_name",
                                                                                                process.host_app)});
  }
  for (const auto& [place, name] : thread_names_) {
    if (!name.empty()) sink.name_thread({place.first, place.second}, name);
  }
  if (has_tracks_of_none_ && !process_of_pid_.contains(0)) sink.name_process(0, "Tracks of no process");
  for (const auto& [place, tid] : other_places_) {
    const auto& [pid, path] = place;
    if (used_.contains({pid, tid})) sink.name_thread({pid, tid}, path.substr(path.find('\n') + 1));
  }
  for (const PerfettoTrack& track : tracks_) {
    const std::array<std::pair<std::string_view, std::string_view>, 1> words{{{"description", track.description}}};
    if (track.kind == PerfettoTrack::Kind::kProcess) {
      sink.describe_process(track.place.pid, words);
    } else if (track.kind == PerfettoTrack::Kind::kThread || track.has_events) {
      sink.describe_thread(track.queue ? SinkThread{track.queue->device, track.queue->stream} : track.place, words);
    }
    if (!track.rank || track.queue) continue;
    if (track.kind == PerfettoTrack::Kind::kProcess && sorts_processes_)
      sink.sort_process(track.place.pid, *track.rank);
    if (track.kind == PerfettoTrack::Kind::kThread ? sorts_threads_ : track.is_sorted && track.has_events)
      sink.sort_thread(track.place, *track.rank);
  }
}

}  // namespace lacuna
