#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/models/gaps/gap_list.h"
#include "model/index/busy_index.h"

namespace lacuna {

class Workspace;

/// Whose idle time is meant: a GPU, or one stream of it.
struct IdleSubject {
  ProcessId process;  ///< of the GPU
  TrackId track;      ///< invalid: all streams of the GPU together
  bool operator==(const IdleSubject&) const = default;
};

/// Idle time inside a window, in the parts by which figures differ.
struct IdleParts {
  GapSum counted;      ///< gaps of the least length or more
  GapSum shorter;      ///< the other gaps
  Nanos at_edges = 0;  ///< of the window, before the first and after the last activity

  Nanos gaps() const { return saturating_add(counted.time, shorter.time); }
};

/// How gaps that cross the edges of a window count: only the part inside (kCut), or whole (kWhole). kGaps: the part
/// inside, and also the time before the first and after the last activity, as in the report.
enum class AtEdges { kCut, kWhole, kGaps };

/// `window` may be TimeSpan::everything(): it then has no time at its edges. O(gaps in the window).
IdleParts split_idle(const StreamBusyIndex& busy, TimeSpan window, Nanos least, AtEdges at_edges);

/// The idle figures that the window shows of one subject, side by side.
struct IdleFigures {
  IdleParts title;                  ///< of titled_time(): gaps() and at_edges are in the title of the track
  bool title_is_measured = false;   ///< … the measured time is that
  IdleParts page;                   ///< counted is on the gaps page
  bool page_is_cut = false;         ///< … in the measured time, as the report counts (AtEdges::kGaps)
  std::optional<IdleParts> report;  ///< gaps() and at_edges are in the report; of whole GPUs only
};
/// The window that the report of the subject's file measures; everything() while there is none.
TimeSpan measured_of(const Workspace& workspace, const IdleSubject& subject);
/// `report_window`: nothing while it is not known.
IdleFigures idle_figures(const Workspace& workspace, const IdleSubject& subject,
                         const std::optional<TimeSpan>& report_window);

/// The GPUs of the open trace, each followed by its streams where there are several. Empty until the
/// overview is computed.
std::vector<IdleSubject> idle_subjects(const Workspace& workspace);
/// Null when it is not among idle_subjects().
const StreamBusyIndex* busy_index_of(const Workspace& workspace, const IdleSubject& subject);
/// "GPU 0", "GPU 0 · stream 7"; of several files with the rank.
std::string idle_subject_name(const Workspace& workspace, const IdleSubject& subject);
/// The GPU of that number in a file; an invalid process when there is none.
IdleSubject idle_subject_of(const Workspace& workspace, SourceId source, StringId device);

}  // namespace lacuna
