#pragma once

#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// Maps the tracks, processes and slices of a trace to those of a later trace of the same files with
/// more of their events: while a file loads, the view and the selection must stay the same.
/// Built in O(tracks); keeps references to both traces.
class SameTracks {
 public:
  SameTracks(const Trace& from, const Trace& to);

  /// Invalid where the later trace has no such track, process or slice.
  TrackId track(TrackId id) const { return id.value < tracks_.size() ? tracks_[id.value] : TrackId{}; }
  ProcessId process(ProcessId id) const { return id.value < processes_.size() ? processes_[id.value] : ProcessId{}; }
  /// Returns the slice of the same event. O(rows of the track * log n).
  SliceId slice(SliceId id) const;

 private:
  const Trace& from_;
  const Trace& to_;
  std::vector<TrackId> tracks_;
  std::vector<ProcessId> processes_;
};

}  // namespace lacuna
