#include "model/calls/graph_captures.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/causes/known_names.h"
#include "model/columns/argument_scan.h"
#include "model/formats/chrome/json_text.h"
#include "model/import/capture_traces.h"

namespace lacuna {
namespace {

/// What a call launches, as far as its name tells.
CategoryClass kind_launched(std::string_view call) {
  if (call.find("Memcpy") != std::string_view::npos) return CategoryClass::kMemcpy;
  if (call.find("Memset") != std::string_view::npos) return CategoryClass::kMemset;
  return CategoryClass::kKernel;
}

bool bounds_capture(std::string_view name) {
  return name.find("BeginCapture") != name.npos || name.find("EndCapture") != name.npos;
}

class CaptureFinder {
 public:
  explicit CaptureFinder(const Trace& trace) : trace_(trace) {}

  Result<std::vector<GraphCapture>> run(unsigned threads, const std::atomic<bool>* cancel) {
    for (const Track& track : trace_.tracks())
      if (traits_of(track.kind).is_cpu_code) look_at(track);
    for (std::uint32_t s = 0; s < trace_.sources().size(); ++s)
      if (const auto read = read_names(SourceId{s}, threads, cancel); !read) return tl::make_unexpected(read.error());
    return std::move(captures_);
  }

 private:
  void look_at(const Track& track) {
    std::vector<SliceId> calls;  // of captures, and what they may have captured
    bool captures = false;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        if (trace_.category_class(lane.category(i)) != CategoryClass::kRuntime) continue;
        const std::string_view name = trace_.text(lane.name(i));
        const bool is_bound = bounds_capture(name);
        captures = captures || is_bound;
        if (is_bound || (is_launching_call(name) && trace_.links().activities_of({id, i}).empty()))
          calls.push_back({id, i});
      }
    }
    if (captures) add_captures(track, std::move(calls));
  }

  void add_captures(const Track& track, std::vector<SliceId> calls) {
    std::ranges::stable_sort(calls, {}, [&](SliceId call) { return trace_.span(call).begin; });
    std::optional<GraphCapture> open;
    for (const SliceId call : calls) {
      const std::string_view name = trace_.name(call);
      if (name.find("BeginCapture") != name.npos) {
        open.emplace();
        open->source = trace_.process(track.process).source;
        open->begin = trace_.span(call).end;
        open->is_from_capture_trace = track.kind == TrackKind::kCaptured;
        open->batch_size = capture_batch_size(trace_.source_of(track)).value_or(0);
      } else if (name.find("EndCapture") != name.npos) {
        if (open && !open->calls.empty()) {
          open->end = trace_.span(call).end;
          captures_.push_back(std::move(*open));
        }
        open.reset();
      } else if (open && !is_graph_launch(name)) {
        open->calls.push_back({call, kind_launched(name)});
      }
    }
  }

  /// The kernels that ROCm's calls say they launch.
  Result<void> read_names(SourceId source, unsigned threads, const std::atomic<bool>* cancel) {
    std::unordered_map<SliceId, GraphCapture::Call*> calls;
    std::vector<LaneId> lanes;
    for (GraphCapture& capture : captures_) {
      if (!capture.is_from_capture_trace || capture.source != source || !trace_.sources()[source.value].bytes) continue;
      for (GraphCapture::Call& call : capture.calls) {
        calls.emplace(call.slice, &call);
        if (std::ranges::find(lanes, call.slice.lane) == lanes.end()) lanes.push_back(call.slice.lane);
      }
    }
    if (calls.empty()) return {};
    std::ranges::sort(lanes, {}, &LaneId::value);
    static constexpr std::array<std::string_view, 1> kKernelKey{"kernel"};
    const std::array<std::span<const std::string_view>, 1> keys{kKernelKey};
    std::unordered_map<const Lane*, LaneId> ids;
    for (const LaneId id : lanes) ids.emplace(&trace_.lane(id), id);
    ArgumentScan scan;
    scan.source = source;
    scan.lanes = lanes;
    scan.wanted = [&](const Lane& lane, std::uint32_t i) { return calls.contains({ids.at(&lane), i}) ? 0 : -1; };
    scan.keys = keys;
    scan.threads = threads;
    scan.cancel = cancel;
    // Each call is visited once, and writes to itself alone.
    scan.visit = [&](unsigned, SliceId slice, std::span<const std::string_view> values) {
      if (values[0].size() <= 2) return;
      GraphCapture::Call& call = *calls.at(slice);
      call.names_kernel = true;
      std::string name;
      append_unescaped(token_content(values[0]), name);
      call.kernel = trace_.strings().find(name);
    };
    return scan_arguments(trace_, scan);
  }

  const Trace& trace_;
  std::vector<GraphCapture> captures_;
};

}  // namespace

bool GraphCapture::has_names() const {
  return std::ranges::any_of(calls, &Call::names_kernel);
}

Result<std::vector<GraphCapture>> find_graph_captures(const Trace& trace, unsigned threads,
                                                      const std::atomic<bool>* cancel) {
  return CaptureFinder(trace).run(threads, cancel);
}

}  // namespace lacuna
