#include "render/header_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/gaps/beside_gpu.h"
#include "model/memory/out_of_memory.h"
#include "model/trace/hardware_tracks.h"
#include "render/counter_text.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kSeparator = " \u00b7 ";  // middle dot

void append_slice_count(std::uint64_t count, std::string& out) {
  append_count(out, count);
  out += count == 1 ? " slice" : " slices";
}

/// File name without folders.
std::string_view base_name(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

const DeviceProperties* device_of(const TraceSource& source, std::string_view id) {
  for (const DeviceProperties& device : source.devices)
    if (device.id == id) return &device;
  return nullptr;
}

/// What identifies a GPU: the device its streams name, else the pid.
std::string_view device_id(const Trace& trace, const Process& process) {
  for (const TrackId id : process.tracks) {
    const Track& track = trace.track(id);
    if (track.kind == TrackKind::kGpuStream && track.device != kEmptyString) return trace.text(track.device);
  }
  return trace.text(process.pid);
}

void append_counter_detail(std::string_view name, const CounterSeries& series, std::string& out) {
  out += counter_text(name, series.max, series.min);
  out += " \u2026 ";  // ellipsis
  out += counter_text(name, series.max, series.max);
}

/// The time before the first and after the last activity is idle, too. Returns the busy share; negative where nothing
/// ran.
double append_busy_detail(const LayoutContext& context, SourceId source, const StreamBusyIndex& busy,
                          std::string& out) {
  const std::vector<TimeSpan>* by_source = context.input.data.measured;
  const TimeSpan measured =
      by_source != nullptr && source.value < by_source->size() ? (*by_source)[source.value] : TimeSpan::everything();
  const TimeSpan time = titled_time(context.view, measured, context.trace.span());
  const bool is_measured = time == measured;
  if (time.empty() || busy.busy_share(time) < 0) {
    out += is_measured ? "no activity in the measured time" : "no activity in view";
    return -1;
  }
  const Nanos active = busy.busy_in(time);
  const double share = static_cast<double>(active) / static_cast<double>(time.duration());
  append_percent(out, share);
  out += " busy";
  out += kSeparator;
  append_duration(out, time.duration() - active);
  out += is_measured ? " idle" : " idle in view";
  return share;
}

}  // namespace

TimeSpan titled_time(TimeSpan view, TimeSpan measured, TimeSpan trace) {
  const bool shows_all = measured != TimeSpan::everything() && !measured.empty() && view.begin <= measured.begin &&
                         view.end >= measured.end;
  return shows_all ? measured : view.intersect(trace);
}

void append_process_title(const Trace& trace, const Process& process, std::string& out) {
  const TraceSource& source = trace.sources()[process.source.value];
  const std::string_view pid = trace.text(process.pid);
  std::string_view name = trace.text(process.name);
  const std::string_view labels = trace.text(process.labels);
  if (!source.label.empty()) {  // of several files; the name begins with it
    name.remove_prefix(std::min(name.size(), source.label.size() + std::string_view(kSeparator).size()));
    out.append(source.label).append(kSeparator);
  }
  if (process.is_gpu) {
    const std::string_view id = device_id(trace, process);
    const bool label_says_gpu = labels.find("GPU") != std::string_view::npos;
    if (label_says_gpu) {
      out += labels;
    } else {
      out.append("GPU ").append(id);
    }
    if (const DeviceProperties* device = device_of(source, id); device != nullptr && !device->name.empty())
      out.append(kSeparator).append(device->name);
  } else {
    out += name;
    // A pid of -1 is Kineto's way to say that there is no process: of its own overhead.
    if (!pid.empty() && pid != "-1" && !is_pid_of_hardware(pid) && name.find(pid) == std::string_view::npos)
      out.append(" ").append(pid);
    if (!labels.empty() && labels != "CPU") out.append(kSeparator).append(labels);
  }
  if (source.rank && source.label.empty()) out += fmt::format("{}rank {}", kSeparator, *source.rank);
}

void layout_process_header(const LayoutContext& context, const VerticalLayout::ProcessPlace& place,
                           TimelineDrawList& out) {
  const float y0 = context.scrolled(place.y0);
  const float y1 = context.scrolled(place.y1);
  if (!context.is_in_view(y0, y1)) return;
  const Process& process = context.trace.process(place.process);
  DrawHeader& header = out.headers.add();
  header.kind = DrawHeader::Kind::kProcess;
  header.y0 = y0;
  header.y1 = y1;
  header.process = place.process;
  header.is_collapsed = context.input.arrangement.is_collapsed(place.process);
  header.can_collapse = true;
  header.is_gpu = process.is_gpu;
  append_process_title(context.trace, process, header.title);
  // Several files side by side: whose process this is.
  if (const TraceSource& source = context.trace.sources()[process.source.value];
      source.label != base_name(source.path) &&
      std::ranges::any_of(context.trace.sources(), [&](const TraceSource& other) { return other.path != source.path; }))
    header.detail += base_name(source.path);
  if (is_beside_gpu(context.trace, process)) {
    if (!header.detail.empty()) header.detail += kSeparator;
    header.detail.append("CPU work that the file writes under the number of GPU ")
        .append(context.trace.text(process.pid));
  }
  if (context.input.data.process_busy == nullptr) return;
  for (const ProcessBusy& known : *context.input.data.process_busy) {
    if (known.process != place.process) continue;
    if (!header.detail.empty()) header.detail += kSeparator;
    header.busy_share = static_cast<float>(append_busy_detail(context, process.source, known.busy, header.detail));
    break;
  }
}

void layout_group_header(const LayoutContext& context, const VerticalLayout::GroupPlace& place, TimelineDrawList& out) {
  const float y0 = context.scrolled(place.y0);
  const float y1 = context.scrolled(place.y1);
  if (!context.is_in_view(y0, y1) || place.index >= context.input.arrangement.groups.size()) return;
  DrawHeader& header = out.headers.add();
  header.kind = DrawHeader::Kind::kGroup;
  header.y0 = y0;
  header.y1 = y1;
  header.title += context.input.arrangement.groups[place.index].title;
}

void layout_track_header(const LayoutContext& context, const TrackPlace& place, bool is_odd, TimelineDrawList& out) {
  const float y0 = context.scrolled(place.y0);
  const float y1 = context.scrolled(place.y1);
  if (place.is_overview || !context.is_in_view(y0, y1)) return;
  const Track& track = context.trace.track(place.track);
  DrawHeader& header = out.headers.add();
  header.kind = place.is_extra() ? DrawHeader::Kind::kExtra : DrawHeader::Kind::kTrack;
  header.y0 = y0;
  header.y1 = y1;
  header.process = track.process;
  header.track = track.id;
  header.indent = 1;
  header.is_odd = is_odd;
  if (place.is_extra()) {
    const ExtraCounter& extra = context.input.arrangement.extra_counters[place.extra];
    header.indent = 2;
    header.is_gpu = !extra.is_memory;
    header.title += extra.title;
    if (extra.is_memory) {
      header.detail += "at most ";
      header.detail += describe_size(static_cast<std::uint64_t>(std::max(0.0, extra.series->max)));
    } else {
      append_counter_detail(extra.title, *extra.series, header.detail);
    }
    return;
  }
  header.is_collapsed = context.input.arrangement.is_collapsed(track.id);
  header.can_collapse = context.input.data.row_count(track) > 1 || track.kind == TrackKind::kCounter;
  header.is_gpu = traits_of(track.kind).is_on_gpu;
  header.title += context.trace.text(track.name);
  if (context.vertical.names_processes) {
    header.indent = 0;
    header.title += kSeparator;
    append_process_title(context.trace, context.trace.process(track.process), header.title);
  }
  if (track.kind == TrackKind::kCounter) {
    append_counter_detail(context.trace.text(track.name), track.counter, header.detail);
  } else if (const StreamBusyIndex* busy = context.busy_of(track); busy != nullptr) {
    header.busy_share = static_cast<float>(
        append_busy_detail(context, context.trace.process(track.process).source, *busy, header.detail));
  } else if (track.id.value < context.input.arrangement.tracks.size() &&
             context.input.arrangement.tracks[track.id.value].waits) {
    header.detail += "waits all the time";
  } else if (track.slice_count > 0) {
    if (!context.input.data.is_thinned) append_slice_count(track.slice_count, header.detail);
  } else {
    append_count(header.detail, track.instants.size());
    header.detail += track.instants.size() == 1 ? " instant" : " instants";
  }
}

}  // namespace lacuna
