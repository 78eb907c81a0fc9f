#include "app/gui/models/minimap/activity_overview.h"

#include <algorithm>
#include <cmath>

#include "model/causes/growing_causes.h"
#include "model/trace/sampled_tracks.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

constexpr auto kBins = ActivityOverview::kBins;

/// Begin of bin `i`; exact, so that neighbours share their border.
Nanos bin_begin(TimeSpan span, std::size_t i) {
  constexpr auto kCount = static_cast<Nanos>(kBins);
  const auto n = static_cast<Nanos>(i);
  return span.begin + span.duration() / kCount * n + span.duration() % kCount * n / kCount;
}

/// When a GPU was busy.
struct DeviceBusy {
  SourceId source;
  StringId device;
  StreamBusyIndex busy;
};

std::vector<DeviceBusy> busy_devices(const Document& document) {
  std::vector<DeviceBusy> out;
  if (const IdleTime* known = document.idle.get()) {  // a recording's grow from document to document
    for (std::size_t d = 0; d < known->devices.size(); ++d)
      out.push_back({known->devices[d].source, known->devices[d].device, known->device_busy[d]});
    return out;
  }
  for (const DeviceActivity& device : analyze_devices(document.trace))
    out.push_back({device.source, device.device, StreamBusyIndex(to_stream_activity(device))});
  return out;
}

ProcessId process_of(const Trace& trace, const DeviceBusy& device) {
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, device.source))
    if (track.device == device.device) return track.process;
  return {};
}

void add_gpus(const Document& document, ActivityOverview& out) {
  const std::vector<DeviceBusy> devices = busy_devices(document);
  if (devices.empty()) return;
  out.kind = ActivityOverview::Kind::kGpu;
  for (const DeviceBusy& device : devices) {
    for (std::size_t i = 0; i < kBins; ++i) {
      const TimeSpan bin{bin_begin(out.span, i), bin_begin(out.span, i + 1)};
      if (bin.empty()) continue;
      out.bins[i] += static_cast<float>(static_cast<double>(device.busy.busy_in(bin)) /
                                        static_cast<double>(bin.duration()) / static_cast<double>(devices.size()));
    }
    if (const ProcessId process = process_of(document.trace, device); process.valid())
      out.processes.push_back({process, device.busy});
  }
}

/// Adds a stretch, in bins from the start of the span, that was busy to that part.
void add_stretch(double x0, double x1, double share, std::vector<float>& bins) {
  for (auto i = static_cast<std::size_t>(std::max(0.0, x0)); i < kBins && static_cast<double>(i) < x1; ++i) {
    const double part = std::min(x1, static_cast<double>(i + 1)) - std::max(x0, static_cast<double>(i));
    bins[i] += static_cast<float>(share * std::max(0.0, part));
  }
}

/// When threads ran, where nothing says what they did.
void add_running(const Document& document, double per_ns, ActivityOverview& out) {
  const Trace& trace = document.trace;
  for (const Track& track : tracks_of(trace, TrackKind::kThreadStates)) {
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size(); ++i)
        if (trace.text(lane.name(i)) == kRunningState)
          add_stretch(static_cast<double>(lane.start(i) - out.span.begin) * per_ns,
                      static_cast<double>(lane.end(i) - out.span.begin) * per_ns, 1, out.bins);
  }
}

void add_cpu(const Document& document, ActivityOverview& out) {
  const Nanos bin_ns = std::max<Nanos>(1, out.span.duration() / static_cast<Nanos>(kBins));
  const double per_ns = static_cast<double>(kBins) / static_cast<double>(out.span.duration());
  for (const Track& track : tracks_of(document.trace, TrackKind::kThread)) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = document.trace.lane(id);
      if (lane.depth != 0) continue;
      document.folds[id.value].for_each_run(lane, out.span, bin_ns, [&](const FoldedRun& run) {
        const double x0 = static_cast<double>(run.start - out.span.begin) * per_ns;
        const double x1 = static_cast<double>(run.end - out.span.begin) * per_ns;
        const double length = static_cast<double>(run.end - run.start);
        const double share = run.busy < 0 || length <= 0 ? 1 : static_cast<double>(run.busy) / length;
        add_stretch(x0, x1, share, out.bins);
      });
    }
  }
  if (std::ranges::none_of(out.bins, [](float bin) { return bin > 0; })) add_running(document, per_ns, out);
  const float most = *std::ranges::max_element(out.bins);
  if (most <= 0) return;
  out.kind = ActivityOverview::Kind::kCpu;
  for (float& bin : out.bins) bin /= most;
}

}  // namespace

float ActivityOverview::mean(double x0, double x1, double width) const {
  if (bins.empty() || width <= 0) return 0;
  const double scale = static_cast<double>(bins.size()) / width;
  const auto last = static_cast<std::ptrdiff_t>(bins.size()) - 1;
  const auto first = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(x0 * scale), 0, last);
  const auto end = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(std::ceil(x1 * scale)), first + 1, last + 1);
  float sum = 0;
  for (std::ptrdiff_t i = first; i < end; ++i) sum += bins[static_cast<std::size_t>(i)];
  return sum / static_cast<float>(end - first);
}

ActivityOverview make_overview(const Document& document) {
  ActivityOverview out;
  out.span = document.trace.span();
  if (out.span.empty()) return out;
  out.bins.assign(kBins, 0.0f);
  add_gpus(document, out);
  if (out.kind == ActivityOverview::Kind::kNothing) add_cpu(document, out);
  return out;
}

}  // namespace lacuna
