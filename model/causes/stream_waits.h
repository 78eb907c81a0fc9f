#pragma once

#include <cstdint>
#include <vector>

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
/// Building: one pass over the slices with a correlation, O(n), and some microseconds for each wait, whose args are
/// read back; without bytes, or when the file has changed, there are none. Immutable; any thread.
class StreamWaits {
 public:
  StreamWaits() = default;
  explicit StreamWaits(const Trace& trace);

  /// Of several, the one that ended last; invalid where nothing is known.
  SliceId target(const Trace& trace, SliceId activity) const;
  std::size_t size() const { return waits_.size(); }

 private:
  struct Wait {
    TrackId stream;  ///< that waits
    std::uint64_t correlation = 0;
    SliceId target;
  };
  std::vector<Wait> waits_;  // ascending by (stream, correlation)
};

}  // namespace lacuna
