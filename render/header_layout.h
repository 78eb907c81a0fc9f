#pragma once

#include <string>

#include "render/layout_context.h"

namespace lacuna {

/// "python 6583 · rank 0", "GPU 0 · NVIDIA B200". Appends to `out`.
void append_process_title(const Trace& trace, const Process& process, std::string& out);

/// The time that the figures in titles are about: the measured time while all of it is in view, else what is in view
/// of the trace. `measured`: TimeSpan::everything() where nothing is.
TimeSpan titled_time(TimeSpan view, TimeSpan measured, TimeSpan trace);

/// Appends the header of a process whose row, or a part of it, is in view.
void layout_process_header(const LayoutContext& context, const VerticalLayout::ProcessPlace& place,
                           TimelineDrawList& out);

/// Appends the band of a group in view.
void layout_group_header(const LayoutContext& context, const VerticalLayout::GroupPlace& place, TimelineDrawList& out);

/// Appends the header of a track in view: its name, and what can be said of it in a line. For a GPU
/// stream that is how busy it is within titled_time(). O(log gaps). `is_odd` alternates the shade.
void layout_track_header(const LayoutContext& context, const TrackPlace& place, bool is_odd, TimelineDrawList& out);

}  // namespace lacuna
