#include "model/build/naming.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

#include "model/base/natural_order.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

std::optional<std::int64_t> as_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Makes natural_less usable inside a tuple of sort keys.
struct Natural {
  std::string text;
  bool operator==(const Natural&) const = default;
  bool operator<(const Natural& other) const { return natural_less(text, other.text); }
};

/// Where a track stands in its process.
using TrackPlaceInProcess = std::tuple<int, std::int64_t, Natural, int, std::string_view>;

// libkineto gives GPUs their ordinal plus this, so that they follow the CPU processes.
constexpr std::int64_t kGpuSortIndex = 5'000'000;
constexpr std::int64_t kTextSortIndex = 0x20000000;
// Where libkineto puts its own overhead: no real process, and often without a process_name.
constexpr std::string_view kOverheadPid = "-1";

std::int64_t sort_index(const Process& process, const StringPool& strings) {
  if (process.sort_index_is_given) return process.sort_index;
  const auto number = as_number(strings.get(process.pid));
  if (!number) return kTextSortIndex;
  return process.is_gpu ? saturating_add(*number, kGpuSortIndex) : *number;
}

int group(TrackKind kind) {
  switch (kind) {
    case TrackKind::kThread:
    case TrackKind::kCaptured:
    case TrackKind::kStacks:
    case TrackKind::kThreadStates:
      return 0;
    case TrackKind::kGpuAnnotation:
    case TrackKind::kGpuStream:
      return 1;
    case TrackKind::kAsync:
      return 2;
    case TrackKind::kCounter:
      return 3;
  }
  return 4;
}

std::string fallback_name(const Track& track, bool is_on_gpu, const StringPool& strings) {
  if (track.stream != kEmptyString) return "stream " + std::string(strings.get(track.stream));
  const std::string tid(strings.get(track.tid));
  if (is_on_gpu && as_number(tid)) return "stream " + tid;
  if (tid.empty()) return "events without a thread";
  return as_number(tid) ? "thread " + tid : tid;
}

/// Whether the process has slices, and each row of them begins with overhead of the profiler.
bool holds_overhead(const Trace& trace, ProcessId id) {
  bool any = false;
  for (const Lane& lane : trace.lanes()) {
    if (lane.size() == 0 || trace.track(lane.track).process != id) continue;
    if (trace.category_class(lane.category(0)) != CategoryClass::kOverhead) return false;
    any = true;
  }
  return any;
}

std::string synthetic_name(const Trace& trace, const Process& process, std::string_view pid) {
  if (process.is_gpu) return "GPU " + std::string(pid);
  if (pid == kOverheadPid && holds_overhead(trace, process.id)) return "profiler overhead";
  if (pid.empty()) return "events without a process";
  return as_number(pid) ? "process " + std::string(pid) : std::string(pid);
}

}  // namespace

void name_tracks(std::vector<Track>& tracks, const std::vector<Process>& processes, StringPool& strings) {
  for (Track& track : tracks) {
    if (!traits_of(track.kind).has_tid) continue;
    const bool is_on_gpu = processes[track.process.value].is_gpu;
    const bool has_name = track.name_is_given && track.name != kEmptyString;
    std::string name = has_name ? std::string(strings.get(track.name)) : fallback_name(track, is_on_gpu, strings);
    name.erase(name.find_last_not_of(' ') + 1);  // Kineto writes "stream 7 "
    if (track.kind == TrackKind::kGpuAnnotation) name += " annotations";
    if (track.kind == TrackKind::kThread && is_on_gpu) {
      // What waits for an event or for all of a GPU has the stream -1.
      // Kineto's rows of synchronisation, "stream 7 (sync)", say themselves what is in them.
      if (!name.ends_with("(sync)"))
        name = name == "stream -1" ? std::string("events of no single stream") : name + " other events";
    }
    track.name = strings.intern(name);
  }
}

void name_processes(const Trace& trace, std::vector<Process>& processes, StringPool& strings) {
  for (Process& process : processes) {
    const bool has_name = process.name != kEmptyString;
    const std::string& label = trace.sources()[process.source.value].label;
    if (has_name && label.empty()) continue;
    std::string name =
        has_name ? std::string(strings.get(process.name)) : synthetic_name(trace, process, strings.get(process.pid));
    if (!label.empty()) name.insert(0, label + " · ");
    process.name = strings.intern(name);
  }
}

std::vector<ProcessId> order_processes(const std::vector<Process>& processes, const StringPool& strings) {
  std::vector<ProcessId> order;
  for (const Process& process : processes) order.push_back(process.id);
  const auto key = [&](ProcessId id) {
    const Process& p = processes[id.value];
    return std::tuple(p.source, sort_index(p, strings), Natural{std::string(strings.get(p.pid))});
  };
  std::ranges::stable_sort(order, [&](ProcessId a, ProcessId b) { return key(a) < key(b); });
  return order;
}

void order_tracks(std::vector<Process>& processes, const std::vector<Track>& tracks, const StringPool& strings) {
  for (const Track& track : tracks) processes[track.process.value].tracks.push_back(track.id);
  for (Process& process : processes) {
    // Tracks beside a thread follow it, wherever its own sort index puts it.
    std::map<std::string, std::int64_t, std::less<>> index_of_thread;
    for (const TrackId id : process.tracks)
      if (tracks[id.value].kind == TrackKind::kThread && tracks[id.value].sort_index != 0)
        index_of_thread.emplace(strings.get(tracks[id.value].tid), tracks[id.value].sort_index);
    const auto key = [&](TrackId id) {
      const Track& t = tracks[id.value];
      const bool on_gpu = group(t.kind) == 1;
      if (traits_of(t.kind).is_observed) {
        const std::string tid = std::to_string(thread_of_sampled(strings.get(t.tid)));
        const auto index = index_of_thread.find(tid);
        return TrackPlaceInProcess(0, index == index_of_thread.end() ? 0 : index->second, Natural{tid},
                                   t.kind == TrackKind::kStacks ? 1 : 2, strings.get(t.name));
      }
      if (t.kind == TrackKind::kThread && t.sort_index >= kBelowCounters)
        return TrackPlaceInProcess(group(TrackKind::kCounter) + 1, t.sort_index,
                                   Natural{std::string(strings.get(t.tid))}, 0, strings.get(t.name));
      // The streams of a GPU come before threads that claim to be its.
      return TrackPlaceInProcess(process.is_gpu && on_gpu ? -1 : group(t.kind), on_gpu ? 0 : t.sort_index,
                                 Natural{std::string(strings.get(on_gpu ? t.stream : t.tid))},
                                 on_gpu && t.kind != TrackKind::kGpuAnnotation ? 1 : 0, strings.get(t.name));
    };
    std::ranges::stable_sort(process.tracks, [&](TrackId a, TrackId b) { return key(a) < key(b); });
  }
}

}  // namespace lacuna
