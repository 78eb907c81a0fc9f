#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/lane_growth.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What GPU activities were made to wait for by events (cudaStreamWaitEvent), where the file says:
/// Kineto's cuda_sync slices "Stream Wait Event", whose args name the stream waited for and the
/// correlation of the cudaEventRecord.
///
///     stream 20  #### a ####|e                      e: the event recorded after a
///     stream 7   ## b ##    :  w |#### c ####       w: "Stream Wait Event" on 7 for 20
///                                                   target(c) = a
///
/// Correlations count calls, so they say what was issued before what: the wait holds for the first
/// activity of its stream issued after it, and its target is the last activity of the other stream
/// issued before the record (before the wait, where the file does not know the record).
///
/// Nodes of CUDA graphs wait without events: arrows from one GPU activity to another are what they depend on
/// (torch.profiler's enable_graph_dependencies, torch/profiler/_cupti/monitor_trace.py).
///
/// Kept up from one trace of a recording to the next: one pass over the slices with a correlation that are new, and
/// some microseconds for each wait, whose args are read back; without bytes, or when the file has changed, there are
/// none. One thread at a time; any may read between.
class StreamWaits {
 public:
  StreamWaits() = default;
  /// Finds the waits of a trace that does not grow.
  explicit StreamWaits(const Trace& trace);

  void update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news);

  /// The activity that was waited for; of several the one that ended last; invalid where nothing is known.
  SliceId target(const Trace& trace, SliceId activity) const;

 private:
  /// Of target() what events say.
  SliceId event_target(const Trace& trace, SliceId activity) const;

  struct Wait {
    std::uint64_t correlation = 0;
    SliceId target;
  };
  /// Work of one stream, in the order in which it was issued.
  struct Issued {
    std::uint64_t correlation = 0;
    SliceId slice;
  };
  /// Waits and events of one stream.
  struct OfTrack {
    std::vector<Wait> waits;       ///< that ended, ascending by correlation
    std::vector<Wait> open_waits;  ///< likewise, of this trace alone
    std::vector<Issued> issued;    ///< ascending by correlation; of streams that others wait for
    std::vector<Issued> open_issued;
    std::vector<std::uint32_t> looked_at;  ///< by row: the number of slices that are in `issued`
    bool is_current = false;               ///< `issued` is of this trace
  };
  const OfTrack& issued_on(const Trace& trace, const LaneGrowth& growth, const Track& track);
  void look_at(const Trace& trace, const LaneGrowth& growth, const std::vector<std::vector<SliceId>>& by_source,
               bool have_ended);

  std::vector<OfTrack> tracks_;  // by TrackId
};

}  // namespace lacuna
