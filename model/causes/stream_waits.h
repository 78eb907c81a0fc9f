#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/lane_growth.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The activities for which others had to wait because of events (cudaStreamWaitEvent), if the file has them:
/// Kineto's cuda_sync slices "Stream Wait Event", whose args contain the stream waited for and the
/// correlation of the cudaEventRecord.
///
///     stream 20  #### a ####|e                      e: the event recorded after a
///     stream 7   ## b ##    :  w |#### c ####       w: "Stream Wait Event" on 7 for 20
///                                                   target(c) = a
///
/// Correlations count calls, so they give the order of issue: the wait applies to the first
/// activity of its stream issued after it, and its target is the last activity of the other stream
/// issued before the record (before the wait, if the file lacks the record).
///
/// Nodes of CUDA graphs wait without events: arrows from one GPU activity to another are what they depend on
/// (torch.profiler's enable_graph_dependencies, torch/profiler/_cupti/monitor_trace.py).
///
/// Updated from one trace of a recording to the next: one pass over the new slices with a correlation, and
/// some microseconds per wait, whose args are read back; if there are no bytes, or the file has changed, no waits are
/// found. One thread at a time; any may read in between.
class StreamWaits {
 public:
  StreamWaits() = default;
  /// Finds the waits of a complete trace.
  explicit StreamWaits(const Trace& trace);

  void update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news);

  /// Returns the activity that was waited for; of several the one that ended last; invalid if unknown.
  SliceId target(const Trace& trace, SliceId activity) const;

 private:
  /// Of target() what events say.
  SliceId event_target(const Trace& trace, SliceId activity) const;

  struct Wait {
    std::uint64_t correlation = 0;
    SliceId target;
  };
  /// Work of one stream, in order of issue.
  struct Issued {
    std::uint64_t correlation = 0;
    SliceId slice;
  };
  /// Waits and events of one stream.
  struct OfTrack {
    std::vector<Wait> waits;       ///< that have ended, ascending by correlation
    std::vector<Wait> open_waits;  ///< that are open, only of the current trace
    std::vector<Issued> issued;    ///< ascending by correlation; for streams that others wait for
    std::vector<Issued> open_issued;
    std::vector<std::uint32_t> looked_at;  ///< by row: the number of slices already in `issued`
    bool is_current = false;               ///< `issued` belongs to the current trace
  };
  const OfTrack& issued_on(const Trace& trace, const LaneGrowth& growth, const Track& track);
  void look_at(const Trace& trace, const LaneGrowth& growth, const std::vector<std::vector<SliceId>>& by_source,
               bool have_ended);

  std::vector<OfTrack> tracks_;  // by TrackId
};

}  // namespace lacuna
