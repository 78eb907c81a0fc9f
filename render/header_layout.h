#pragma once

#include <string>

#include "render/layout_context.h"

namespace lacuna {

/// Appends a process's title to `out`: "python 6583 · rank 0", "GPU 0 · NVIDIA B200".
void append_process_title(const Trace& trace, const Process& process, std::string& out);

/// Returns the time range of the figures in titles: the measured range while all of it is in view, else the visible
/// part of the trace. `measured`: TimeSpan::everything() if there is none.
TimeSpan titled_time(TimeSpan view, TimeSpan measured, TimeSpan trace);

/// Appends the header of a process whose row is at least partly in view.
void layout_process_header(const LayoutContext& context, const VerticalLayout::ProcessPlace& place,
                           TimelineDrawList& out);

/// Appends the band of a group in view.
void layout_group_header(const LayoutContext& context, const VerticalLayout::GroupPlace& place, TimelineDrawList& out);

/// Appends the header of a track in view: its name, and a line of details. For a GPU
/// stream the latter is how busy it is within titled_time(). O(log gaps). `is_odd` alternates the shade.
void layout_track_header(const LayoutContext& context, const TrackPlace& place, bool is_odd, TimelineDrawList& out);

}  // namespace lacuna
