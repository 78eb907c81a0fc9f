// Details of a range, and of the whole trace.

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/core/resident_limit.h"
#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/base/spill_space.h"
#include "render/format.h"
#include "render/header_layout.h"

namespace lacuna {
namespace {

/// One row for each kind of GPU: a machine has eight of the same.
void device_rows(const UiContext& ui, const std::vector<DeviceProperties>& devices) {
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && devices[end].name == devices[i].name) ++end;
    if (end - i == 1) {
      fact_row(ui, "GPU " + devices[i].id, devices[i].name);
    } else {
      fact_row(ui, fmt::format("GPU {}\xE2\x80\x93{}", devices[i].id, devices[end - 1].id),
               fmt::format("{} \xC3\x97 {}", end - i, devices[i].name));
    }
    i = end;
  }
}

/// Busy and idle time of each GPU (all of its streams together) in the range.
void gpus_in(UiContext& ui, TimeSpan range) {
  const Workspace& workspace = ui.workspace();
  const ActivityOverview* overview = workspace.overview();
  if (overview == nullptr || overview->processes.empty() || !begin_facts(ui, "gpus")) return;
  for (const ProcessBusy& gpu : overview->processes) {
    if (gpu.process.value >= workspace.trace().processes().size()) continue;  // of the trace before
    const Nanos busy = gpu.busy.busy_in(range);
    const double share = range.empty() ? 0 : static_cast<double>(busy) / static_cast<double>(range.duration());
    std::string title;
    append_process_title(workspace.trace(), workspace.trace().process(gpu.process), title);
    fact_row(ui, title.substr(0, title.find(" \xC2\xB7 ")),
             fmt::format("{} busy: {}, idle {}", format_percent(share), format_duration(busy),
                         format_duration(saturating_sub(range.duration(), busy))));
    tooltip(column_definition("details", "GPU"));
  }
  end_facts();
}

}  // namespace

void draw_range_details(UiContext& ui, TimeSpan range) {
  Workspace& workspace = ui.workspace();
  details_heading(ui, ui.theme.accent, fmt::format("{} selected", format_duration(range.duration())));
  if (link(ui, "Zoom")) workspace.focus();
  tooltip("F");
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Clear")) workspace.set_area(std::nullopt);
  tooltip("Esc");
  if (begin_facts(ui, "range")) {
    fact_row(ui, "From", time_text(ui, range.begin));
    fact_row(ui, "To", time_text(ui, range.end));
    fact_row(ui, "Duration", format_duration_exact(range.duration()));
    if (!workspace.counted_tracks().empty()) fact_row(ui, "Tracks", format_count(workspace.counted_tracks().size()));
    end_facts();
  }
  gpus_in(ui, range);
  const RangeAnalysis* analysis = workspace.range_analysis();
  if (analysis == nullptr) return;
  section(ui, "GPU streams in it");
  if (analysis->streams.empty()) {
    muted_text(ui, "No GPU activity here.");
    return;
  }
  std::vector<Nanos> busy;
  for (const StreamActivity& stream : analysis->streams) busy.push_back(stream.busy);
  const std::vector<Nanos> whole(busy.size(), analysis->range.duration());
  stream_bars(ui, analysis->streams, busy, whole);
}

void draw_trace_overview(UiContext& ui) {
  const Document& document = *ui.workspace().document();
  const Trace& trace = document.trace;
  for (const TraceSource& source : trace.sources()) {
    const bool is_live = ui.shown == nullptr && ui.live.has_recording();
    details_heading(ui, ui.theme.accent, is_live ? ui.live.title() : file_name(source.path));
    ImGui::PushID(source.path.c_str());  // the same in the next picture of a trace elsewhere
    if (begin_facts(ui, "source")) {
      fact_row(ui, "Format", fmt::format("{}, {}", source.format, format_bytes(source.file_bytes)));
      if (source.rank) {
        fact_row(ui, "Rank",
                 source.world_size ? fmt::format("{} of {}", *source.rank, *source.world_size)
                                   : fmt::format("{}", *source.rank));
      }
      device_rows(ui, source.devices);
      end_facts();
    }
    ImGui::PopID();
  }
  if (begin_facts(ui, "trace")) {
    fact_row(ui, "Time", format_duration(trace.span().duration()));
    fact_row(ui, "Events",
             document.is_thinned ? format_count(trace.event_count())
                                 : fmt::format("{}, of which {}", format_count(trace.event_count()),
                                               counted(trace.slice_count(), "slice")));
    const Links& links = trace.links();
    if (links.gpu_activities > 0) {
      fact_row(ui, "GPU work",
               fmt::format("{} activities, {} with their launch", format_count(links.gpu_activities),
                           format_count(links.linked)));
    }
    GrowingMemory::Usage sealed;
    if (document.resident && document.resident->memory()) sealed = document.resident->memory()->usage();
    if (sealed.disk_bytes > 0)
      fact_row(ui, "On disk", fmt::format("{} of slices, in {}", format_bytes(sealed.disk_bytes), sealed.folder));
    if (document.is_partial) {
      if (ui.live.has_recording()) {
        const double age_s = static_cast<double>(saturating_sub(ui.live.now(), trace.span().end)) / 1e9;
        fact_row(ui, "Recording",
                 age_s < 2 ? "in progress: the numbers cover the data received so far"
                           : fmt::format("under way: the numbers here are {:.0f} s old", age_s));
      } else if (document.is_thinned) {
        fact_row(ui, "Loaded", "seen from another machine: what is too short for a pixel is drawn together");
      } else {
        fact_row(ui, "Loaded", "still being read: everything here is of the part read so far");
      }
    } else {
      fact_row(
          ui, "Loaded",
          fmt::format(
              "in {:.2f} s{}, {} of {}", document.load_seconds, document.is_from_cache ? " (kept from before)" : "",
              format_bytes(trace.memory_bytes() - std::min<std::size_t>(trace.memory_bytes(), sealed.disk_bytes)),
              is_spilling() ? "tables, on disk" : "memory"));
    }
    end_facts();
  }
  if (!document.streams.empty()) {
    const bool is_measured = document.measured != TimeSpan::everything();
    section(ui, is_measured ? "GPU streams in the measured time" : "GPU streams");
    std::vector<Nanos> busy, whole;
    for (std::size_t s = 0; s < document.streams.size() && s < document.busy.size(); ++s) {
      const SourceId source = trace.process(trace.track(document.streams[s].track).process).source;
      TimeSpan window = source.value < document.measured_of.size() ? document.measured_of[source.value] : trace.span();
      if (window == TimeSpan::everything()) window = trace.span();
      busy.push_back(document.busy[s].busy_in(window));
      whole.push_back(window.duration());
    }
    stream_bars(ui, document.streams, busy, whole);
  }
}

}  // namespace lacuna
