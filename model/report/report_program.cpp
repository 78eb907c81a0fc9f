#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include "model/report/report_parts.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

struct KindText {
  std::string_view state;  ///< name of its slices
  std::string_view name, key, definition;
};

// By ProgramKind. Reads and writes are one kind; their second state is below.
constexpr std::array<KindText, kProgramKindCount> kKinds{{
    {kRunningState, "running", "running", "The thread had a CPU: its own code, or the kernel's on its behalf."},
    {kPreemptedState, "waiting for a CPU", "preempted",
     "The thread could have run, but others had the CPUs, or a limit of the container was reached."},
    {"waiting: lock", "waiting for a lock", "lock", "In futex(): a lock, a condition, a queue, the end of a thread."},
    {"waiting: read", "waiting for files", "files", "In a read or write of a file or pipe that had to wait."},
    {"waiting: network", "waiting for the network", "network", "In a call that receives, sends, accepts or connects."},
    {"waiting: poll", "polling", "poll", "In poll(), select() or epoll: for the first of several things to happen."},
    {"waiting: sleep", "sleeping", "sleep", "In nanosleep(): for time to pass."},
    {"waiting: child", "waiting for a child", "child", "In wait(): for a process that it started."},
    {"waiting: device", "waiting for a device", "device", "In ioctl(): for a driver, such as the GPU's."},
    {kWaitingState, "waiting", "waiting", "It did not run, and in which call was not seen: page faults, short waits."},
    {"", "not seen", "notSeen", "Before the thread began, after it ended, or while nobody looked."},
}};

ProgramKind kind_of_state(std::string_view state) {
  if (state == "waiting: write") return ProgramKind::kFiles;
  for (std::size_t k = 0; k + 1 < kProgramKindCount; ++k)
    if (kKinds[k].state == state) return static_cast<ProgramKind>(k);
  return ProgramKind::kWaiting;
}

using ByKind = std::array<Nanos, kProgramKindCount>;

Nanos& at(ByKind& kinds, ProgramKind kind) {
  return kinds[static_cast<std::size_t>(kind)];
}

/// Adds what the slices of the track's outermost lanes say; keeps the longest wait.
void add_states(const Trace& trace, const Track& track, TimeSpan window, ByKind& kinds, SliceId& longest_wait) {
  Nanos most = 0;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& lane = trace.lane(id);
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const Nanos inside = lane.span(i).intersect(window).duration();
      const ProgramKind kind = kind_of_state(trace.text(lane.name(i)));
      at(kinds, kind) += inside;
      if (kind == ProgramKind::kRunning || inside <= most) continue;
      most = inside;
      longest_wait = {id, i};
    }
  }
}

/// Self and total times of sampled frames, by name.
class FunctionSums {
 public:
  explicit FunctionSums(const Trace& trace) : trace_(trace) {}

  void add(const Track& track, TimeSpan window) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const TimeSpan inside = lane.span(i).intersect(window);
        if (inside.empty()) continue;
        const SliceId slice{id, i};
        SampledFunction& sum = by_name_[lane.name(i).value];
        sum.name = lane.name(i);
        Nanos self = inside.duration();
        trace_.for_each_child(slice, [&](SliceId child) { self -= trace_.span(child).intersect(window).duration(); });
        sum.self += std::max<Nanos>(self, 0);
        if (!is_inside_itself(slice)) sum.total += inside.duration();
        ++sum.places;
        if (!sum.longest.valid() || lane.span(i).duration() > trace_.span(sum.longest).duration()) sum.longest = slice;
      }
    }
  }

  std::vector<SampledFunction> rows() const {
    std::vector<SampledFunction> rows;
    for (const auto& [name, sum] : by_name_) rows.push_back(sum);
    std::ranges::sort(rows, [&](const SampledFunction& a, const SampledFunction& b) {
      if (a.self != b.self) return a.self > b.self;
      if (a.total != b.total) return a.total > b.total;
      return trace_.text(a.name) < trace_.text(b.name);
    });
    return rows;
  }

 private:
  bool is_inside_itself(SliceId slice) const {
    const StringId name = trace_.lane(slice).name(slice.index);
    for (SliceId above = trace_.parent(slice); above.valid(); above = trace_.parent(above))
      if (trace_.lane(above).name(above.index) == name) return true;
    return false;
  }

  const Trace& trace_;
  std::unordered_map<std::uint32_t, SampledFunction> by_name_;
};

template <class Visit>
void for_each_track_beside(const Trace& trace, SourceId source, Visit&& visit) {
  for (const Track& track : trace.tracks())
    if (is_beside_thread(track.kind) && track.slice_count > 0 && trace.process(track.process).source == source)
      visit(track);
}

}  // namespace

std::string_view program_kind_name(ProgramKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].name;
}
std::string_view program_kind_key(ProgramKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].key;
}
std::string_view program_kind_definition(ProgramKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].definition;
}

TimeSpan window_of_program(const Trace& trace, SourceId source) {
  TimeSpan window = TimeSpan::nothing();
  for_each_track_beside(trace, source, [&](const Track& track) { window = window.unite(track.span); });
  return window;
}

Bound judge_program(const ProgramReport& program, Nanos window) {
  using enum ProgramKind;
  Nanos waiting = 0;
  for (const ProgramKind kind : {kLock, kFiles, kNetwork, kPoll, kSleep, kChild, kDevice, kWaiting})
    waiting += program.at(kind);
  if (program.at(kRunning) * 2 >= window) return Bound::kProgramRunning;
  if (program.at(kPreempted) * 2 >= window) return Bound::kProgramPreempted;
  if (waiting * 2 >= window) return Bound::kCpuWaiting;
  return program.at(kNotSeen) * 2 >= window ? Bound::kCpuUnrecorded : Bound::kCpuMixed;
}

ProgramReport report_program(const Trace& trace, SourceId source, TimeSpan window) {
  ProgramReport program;
  struct Seen {
    ByKind all{};
    ByKind leading{};
    TrackId thread;
    SliceId longest_wait;
    Nanos sampled = 0;
    TrackId most_sampled;
    Nanos most = -1;
    std::uint64_t threads = 0;
  };
  std::map<ProcessId, Seen> processes;
  for_each_track_beside(trace, source, [&](const Track& track) {
    Seen& seen = processes[track.process];
    if (track.kind == TrackKind::kStacks) {
      const Nanos here = track.span.intersect(window).duration();
      if (here > seen.sampled) seen.most_sampled = track.id;
      seen.sampled = std::max(seen.sampled, here);
      return;
    }
    ByKind kinds{};
    SliceId longest_wait;
    add_states(trace, track, window, kinds, longest_wait);
    ++seen.threads;
    for (std::size_t k = 0; k < kProgramKindCount; ++k) seen.all[k] += kinds[k];
    const Nanos active = at(kinds, ProgramKind::kRunning) + at(kinds, ProgramKind::kPreempted);
    if (active <= seen.most) return;
    seen.most = active;
    seen.thread = track.id;
    seen.leading = kinds;
    seen.longest_wait = longest_wait;
  });
  if (processes.empty()) return program;
  const auto weight = [](const auto& entry) {
    const Seen& seen = entry.second;
    return std::pair(seen.all[static_cast<std::size_t>(ProgramKind::kRunning)] +
                         seen.all[static_cast<std::size_t>(ProgramKind::kPreempted)],
                     seen.sampled);
  };
  const auto chosen = std::ranges::max_element(processes, {}, weight);
  Seen& seen = chosen->second;
  program.is_known = true;
  program.process = chosen->first;
  program.thread = seen.thread.valid() ? seen.thread : seen.most_sampled;
  program.by_kind = seen.leading;
  program.all_running = at(seen.all, ProgramKind::kRunning);
  program.all_preempted = at(seen.all, ProgramKind::kPreempted);
  program.thread_count = seen.threads;
  program.other_processes = processes.size() - 1;
  program.longest_wait = seen.longest_wait;
  Nanos known = 0;
  for (const Nanos time : program.by_kind) known += time;
  at(program.by_kind, ProgramKind::kNotSeen) = std::max<Nanos>(window.duration() - known, 0);

  FunctionSums functions(trace);
  for_each_track_beside(trace, source, [&](const Track& track) {
    if (track.kind == TrackKind::kStacks && track.process == program.process) functions.add(track, window);
  });
  program.functions = functions.rows();
  for (const SampledFunction& function : program.functions) program.sampled += function.self;
  return program;
}

}  // namespace lacuna
