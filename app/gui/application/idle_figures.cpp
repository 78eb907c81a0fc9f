#include "app/gui/application/idle_figures.h"

#include <algorithm>

#include "app/gui/workspace/workspace.h"
#include "model/trace/tracks_of.h"
#include "render/header_layout.h"

namespace lacuna {
namespace {

bool is_of(const Trace& trace, const StreamActivity& stream, const Process& gpu) {
  return trace.track(stream.track).process == gpu.id;
}

}  // namespace

IdleParts split_idle(const StreamBusyIndex& busy, TimeSpan window, Nanos least, AtEdges at_edges) {
  IdleParts parts;
  const GapRow& gaps = busy.gaps();
  for (std::uint32_t i = gaps.first_visible_from(window.begin); i < gaps.size() && gaps.start(i) < window.end; ++i) {
    const TimeSpan whole{gaps.start(i), gaps.end(i)};
    const Nanos idle = at_edges == AtEdges::kWhole ? whole.duration() : whole.intersect(window).duration();
    ((at_edges == AtEdges::kGaps ? idle : whole.duration()) >= least ? parts.counted : parts.shorter).add(idle);
  }
  if (window.begin == kMinNanos || window.end == kMaxNanos) return parts;
  const TimeSpan active = window.intersect(busy.window());
  if (at_edges != AtEdges::kGaps) {
    parts.at_edges = saturating_sub(window.duration(), active.duration());
    return parts;
  }
  const TimeSpan before{window.begin, active.empty() ? window.end : active.begin};
  const TimeSpan after{active.empty() ? window.end : active.end, window.end};
  for (const TimeSpan& edge : {before, after})
    if (!edge.empty()) (edge.duration() >= least ? parts.counted : parts.shorter).add(edge.duration());
  return parts;
}

TimeSpan measured_of(const Workspace& workspace, const IdleSubject& subject) {
  const std::vector<TimeSpan>& by_source = workspace.document()->measured_of;
  const SourceId source = workspace.trace().process(subject.process).source;
  return source.value < by_source.size() ? by_source[source.value] : TimeSpan::everything();
}

IdleFigures idle_figures(const Workspace& workspace, const IdleSubject& subject,
                         const std::optional<TimeSpan>& report_window) {
  IdleFigures figures;
  const StreamBusyIndex* busy = busy_index_of(workspace, subject);
  if (busy == nullptr) return figures;
  const Nanos least = workspace.min_gap();
  const TimeSpan measured = measured_of(workspace, subject);
  const TimeSpan titled = titled_time(workspace.view().visible(), measured, workspace.trace().span());
  figures.title_is_measured = titled == measured;
  figures.title = split_idle(*busy, titled, least, AtEdges::kCut);
  // As the page counts them: idle time of whole GPUs is cut to the measured time.
  const GapFilter filter = workspace.gap_filter();
  figures.page_is_cut = filter.is_measured && !subject.track.valid();
  figures.page = split_idle(*busy, filter.range, least, figures.page_is_cut ? AtEdges::kGaps : AtEdges::kWhole);
  if (report_window && !subject.track.valid()) figures.report = split_idle(*busy, *report_window, least, AtEdges::kCut);
  return figures;
}

std::vector<IdleSubject> idle_subjects(const Workspace& workspace) {
  std::vector<IdleSubject> subjects;
  if (!workspace.has_trace() || workspace.overview() == nullptr) return subjects;
  const Trace& trace = workspace.trace();
  for (const ProcessBusy& gpu : workspace.overview()->processes) {
    if (gpu.process.value >= trace.processes().size()) continue;  // of the trace before
    subjects.push_back({gpu.process, {}});
    std::vector<IdleSubject> streams;
    for (const StreamActivity& stream : workspace.document()->streams)
      if (is_of(trace, stream, trace.process(gpu.process))) streams.push_back({gpu.process, stream.track});
    if (streams.size() > 1) subjects.insert(subjects.end(), streams.begin(), streams.end());
  }
  return subjects;
}

const StreamBusyIndex* busy_index_of(const Workspace& workspace, const IdleSubject& subject) {
  if (!workspace.has_trace() || workspace.overview() == nullptr) return nullptr;
  if (!subject.track.valid()) {
    for (const ProcessBusy& gpu : workspace.overview()->processes)
      if (gpu.process == subject.process) return &gpu.busy;
    return nullptr;
  }
  const Document& document = *workspace.document();
  for (std::size_t i = 0; i < document.streams.size() && i < document.busy.size(); ++i)
    if (document.streams[i].track == subject.track) return &document.busy[i];
  return nullptr;
}

std::string idle_subject_name(const Workspace& workspace, const IdleSubject& subject) {
  const Trace& trace = workspace.trace();
  std::string name;
  append_process_title(trace, trace.process(subject.process), name);
  if (!subject.track.valid()) return name;
  return name + " \xC2\xB7 " + std::string(trace.text(trace.track(subject.track).name));
}

IdleSubject idle_subject_of(const Workspace& workspace, SourceId source, StringId device) {
  if (!workspace.has_trace()) return {};
  const Trace& trace = workspace.trace();
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, source)) {
    if (track.device == device) return {track.process, {}};
  }
  return {};
}

}  // namespace lacuna
