#pragma once

#include <cstdint>
#include <vector>

#include "model/base/shared_vector.h"
#include "model/trace/trace.h"

namespace lacuna {

/// An idle interval between two activities of one GPU stream, or of all streams of one GPU. Always
/// longer than 0.
struct Gap {
  Nanos start = 0;
  Nanos end = 0;
  /// The activity whose end starts the gap (of several: the one that started first); at the edge of a range
  /// (causes/window_gaps.h) it is the one before it, and invalid where there is none.
  SliceId before;
  /// The activity whose start ends it (of several: the first in the file); invalid where none follows.
  SliceId after;
  SliceId launch;  ///< the launch of `after`; invalid when it is not in the file

  Nanos duration() const { return saturating_sub(end, start); }
};

/// Activity of one GPU stream. Definitions as in the reference answers of the field:
///
///     kernel A   ######            ####            window = [first start, last end]
///     kernel B       #####                #        busy   = union: overlapping kernels count once
///     busy       #########         ####   #        idle   = window - busy = sum of the gaps
///                ^        ^^^^^^^^^    ^^^ ^
///           first_start     gap        gap last_end
///
/// An activity of duration 0 is busy for 0 ns, but it does split a gap in two: something ran there.
struct StreamActivity {
  TrackId track;  ///< where it is shown; the first one if a file spreads one stream over several
  StringId device = kEmptyString;
  StringId stream = kEmptyString;
  std::uint64_t events = 0;
  Nanos first_start = 0;
  Nanos last_end = 0;
  Nanos busy = 0;
  Nanos sum_duration = 0;  ///< sum of durations: > busy when activities overlap
  SharedVector<Gap> gaps;  ///< ascending by start

  Nanos window() const { return saturating_sub(last_end, first_start); }
  Nanos idle() const { return saturating_sub(window(), busy); }
};

struct GapOptions {
  bool kernels_only = false;  ///< leave out copies and sets: they then count as idle
  /// Activities are clipped to it; the window is then that of the clipped activities, so idle time
  /// between the edge of the range and the first or last activity is not counted.
  TimeSpan range = TimeSpan::everything();
  unsigned threads = 1;  ///< number of threads that share the streams
};

/// One entry per GPU stream that has activity, ordered by source, device and stream (numerically).
/// GPU annotations and profiler overhead are no activity. Reads only, any thread;
/// O(activities * log rows), where a stream has one row unless its kernels overlap.
std::vector<StreamActivity> analyze_streams(const Trace& trace, const GapOptions& options = {});

/// Activity of one device: the union over its streams.
struct DeviceActivity {
  SourceId source;
  StringId device = kEmptyString;
  std::uint64_t events = 0;
  Nanos first_start = 0;
  Nanos last_end = 0;
  Nanos busy = 0;
  SharedVector<Gap> gaps;  ///< all of its streams are idle; ascending by start

  Nanos window() const { return saturating_sub(last_end, first_start); }
  Nanos idle() const { return saturating_sub(window(), busy); }
};
/// One entry per device that has activity, ordered by source and device. Cost as above.
std::vector<DeviceActivity> analyze_devices(const Trace& trace, const GapOptions& options = {});

}  // namespace lacuna
