// Lanes of dialects become the streams, annotations and calls that they are. Once for each track, by its names.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/build/dialects.h"
#include "model/build/trace_builder_state.h"

namespace lacuna {
namespace {

constexpr std::string_view kNoDevice = "-1";  // of ONNX Runtime's kernels

/// A category for a slice, by what it is called and has; empty: its own.
using CategoryOf = std::string_view (*)(std::string_view name, std::string_view category, std::uint64_t correlation);

/// Of a thread that calls an API, whose calls unitrace takes for operators.
std::string_view category_of_call(std::string_view name, std::string_view category, std::uint64_t) {
  const CategoryClass meaning = classify_category(category);
  const bool is_open = meaning == CategoryClass::kOther || meaning == CategoryClass::kCpuOperator;
  return is_open ? call_category(name) : std::string_view{};
}

/// Of a host of XProf or TensorFlow: calls, Python frames, and what the framework did.
std::string_view category_of_host(std::string_view name, std::string_view category, std::uint64_t) {
  if (classify_category(category) != CategoryClass::kOther) return {};
  const std::string_view call = call_category(name);
  return !call.empty() ? call : name.starts_with('$') ? "python_function" : "cpu_op";
}

/// Of ONNX Runtime, whose nodes are its operators.
std::string_view category_of_onnx(std::string_view, std::string_view category, std::uint64_t) {
  return category == "Node" ? "cpu_op" : category == "Session" ? "user_annotation" : std::string_view{};
}

std::string_view category_of_activity(std::string_view name, std::string_view category, std::uint64_t) {
  return is_gpu_activity(classify_category(category)) ? category : activity_category(name);
}

}  // namespace

struct TraceBuilder::State::Dialects {
  explicit Dialects(State& state) : s(state) {}

  void run() {
    lanes.resize(s.pending.size());
    for (std::size_t i = 0; i < s.pending.size(); ++i) {
      const PendingTrack& p = s.pending[i];
      if (p.sealed || p.track.kind != TrackKind::kThread) continue;
      const StringId process = s.trace.processes_[p.track.process.value].name;
      if (process == kEmptyString) continue;
      lanes[i] = dialect_lane(text(process), text(p.track.name));
      any |= lanes[i].role != LaneRole::kThread;
    }
    name_devices();
    const auto has_category = [&](std::string_view name) {
      return std::ranges::any_of(s.trace.categories_, [&](const Category& c) { return text(c.name) == name; });
    };
    if (has_category("Session") && has_category("Node"))
      for (PendingTrack& p : s.pending)
        if (p.track.kind == TrackKind::kThread && !p.sealed) classify(p, category_of_onnx);
    if (!any) return;
    has_arrows =
        std::ranges::any_of(s.trace.categories_, [&](const Category& c) { return is_unitrace_arrow(text(c.name)); });
    for (std::size_t i = 0; i < s.pending.size(); ++i) {
      if (is_of_device(lanes[i].role)) has_devices.insert(s.pending[i].source);
      if (lanes[i].role == LaneRole::kStream && !lanes[i].device.empty())
        streams[s.pending[i].source].insert(lanes[i].device);
    }
    for (std::size_t i = 0; i < s.pending.size(); ++i) apply(s.pending[i], lanes[i]);
  }

  std::string_view text(StringId id) const { return s.trace.strings_.get(id); }
  StringId intern(std::string_view string) { return s.trace.strings_.intern(string); }

  /// ONNX Runtime gives its GPU no number. It is the first one then, unless there are others.
  void name_devices() {
    std::set<SourceId> with_others;
    for (const PendingTrack& p : s.pending)
      if (p.track.kind == TrackKind::kGpuStream && text(p.track.device) != kNoDevice && text(p.track.device) != "0")
        with_others.insert(p.source);
    for (PendingTrack& p : s.pending) {
      if (p.track.kind != TrackKind::kGpuStream || text(p.track.device) != kNoDevice) continue;
      const bool is_first = !with_others.contains(p.source);
      p.track.device = intern(is_first ? "0" : "unknown");
      Process& process = s.trace.processes_[p.track.process.value];
      if (process.name == kEmptyString && text(process.pid) == kNoDevice)
        process.name = intern(is_first ? "GPU 0" : "GPU without a number");
    }
  }

  /// Devices that have no number get one: their place among these.
  std::string device_of(const PendingTrack& p, const DialectLane& lane) {
    if (!lane.device.empty()) return lane.device;
    auto& numbers = numbers_of[p.source];
    return std::to_string(numbers.try_emplace(p.track.process, numbers.size()).first->second);
  }

  /// rocprof's copies: of the one GPU that there is, or of none that is known.
  std::string device_of_copies(const PendingTrack& p) {
    const std::set<std::string>& devices = streams[p.source];
    return devices.size() == 1 ? *devices.begin() : "unknown";
  }

  void apply(PendingTrack& p, const DialectLane& lane) {
    switch (lane.role) {
      case LaneRole::kStream:
        return make_stream(p, device_of(p, lane), lane.stream, category_of_activity);
      case LaneRole::kCopies:
        return make_stream(
            p, lane.device.empty() ? device_of_copies(p) : lane.device, lane.stream,
            [](std::string_view, std::string_view, std::uint64_t) { return std::string_view("gpu_memcpy"); });
      case LaneRole::kAllStreams:
        if (!streams[p.source].contains(lane.device))
          return make_stream(p, lane.device, lane.stream, category_of_activity);
        [[fallthrough]];
      case LaneRole::kBesideStream:
        p.track.kind = TrackKind::kGpuAnnotation;
        p.track.device = intern(lane.device);
        p.track.stream = lane.stream.empty() ? p.track.tid : intern(lane.stream);
        return classify(p, [](std::string_view, std::string_view, std::uint64_t) {
          return std::string_view("gpu_user_annotation");
        });
      case LaneRole::kMarkers:
        return classify(
            p, [](std::string_view, std::string_view, std::uint64_t) { return std::string_view("user_annotation"); });
      case LaneRole::kCalls:
        return classify(p, category_of_call);
      case LaneRole::kHost:
        return has_devices.contains(p.source) ? classify(p, category_of_host) : void();
      case LaneRole::kThread:
        if (p.track.kind == TrackKind::kThread && has_devices.contains(p.source)) classify(p, category_of_call);
    }
  }

  static bool is_of_device(LaneRole role) {
    return role == LaneRole::kStream || role == LaneRole::kAllStreams || role == LaneRole::kCopies;
  }

  void make_stream(PendingTrack& p, std::string_view device, std::string_view stream, CategoryOf category_of) {
    p.track.kind = TrackKind::kGpuStream;
    p.track.device = intern(device);
    p.track.stream = stream.empty() ? p.track.tid : intern(stream);
    s.trace.processes_[p.track.process.value].is_gpu = true;
    classify(p, category_of);
  }

  /// Gives the slices of a track the categories of what they are. Runs are shared, so these are copies.
  void classify(PendingTrack& p, CategoryOf category_of) {
    for (SliceRun& run : p.runs) {
      PageVector<SliceRecord> slices;
      slices.reserve(run.size());
      for (std::size_t i = run.first; i < run.slices->size(); ++i) {
        SliceRecord slice = (*run.slices)[i];
        if (run.remap != nullptr) {
          slice.name = (*run.remap)(slice.name);
          slice.category = (*run.remap)(slice.category);
          run.remap->shift(slice);
        }
        const auto& categories = s.trace.categories_;
        const std::string_view old =
            slice.category < categories.size() ? text(categories[slice.category].name) : std::string_view{};
        const std::string_view made = category_of(text(slice.name), old, slice.correlation);
        if (!made.empty() && made != old) slice.category = s.category(intern(made));
        // Where unitrace draws arrows, its numbers of calls and of kernels have nothing in common.
        if (has_arrows) slice.correlation = 0;
        slices.push_back(slice);
      }
      run = {shared(std::move(slices)), nullptr};
    }
  }

  State& s;
  std::vector<DialectLane> lanes;
  bool any = false;
  bool has_arrows = false;
  std::map<SourceId, std::map<ProcessId, std::size_t>> numbers_of;
  std::set<SourceId>
      has_devices;  // files with devices of a dialect: their other lanes may be threads that call its API
  std::map<SourceId, std::set<std::string>> streams;  // devices that have streams
};

void TraceBuilder::State::apply_dialects() {
  Dialects(*this).run();
}

}  // namespace lacuna
