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
  /// The activity whose end starts the gap (of several: the one that started first). At the edge of a range
  /// (causes/window_gaps.h): the one before it, invalid if there is none.
  SliceId before;
  /// The activity whose start ends the gap (of several: the first in the file); invalid if none follows.
  SliceId after;
  SliceId launch;  ///< the launch of `after`; invalid if it is not in the file

  Nanos duration() const { return saturating_sub(end, start); }
};

/// Activity of one GPU stream. Definitions as in the field's reference analyses:
///
///     kernel A   ######            ####            window = [first start, last end]
///     kernel B       #####                #        busy   = union: overlapping kernels count once
///     busy       #########         ####   #        idle   = window - busy = sum of the gaps
///                ^        ^^^^^^^^^    ^^^ ^
///           first_start     gap        gap last_end
///
/// An activity of duration 0 is busy for 0 ns, but it does split a gap in two: something ran there.
struct StreamActivity {
  TrackId track;  ///< where it is shown; the first track if a file spreads one stream over several
  StringId device = kEmptyString;
  StringId stream = kEmptyString;
  std::uint64_t events = 0;
  Nanos first_start = 0;
  Nanos last_end = 0;
  Nanos busy = 0;
  Nanos sum_duration = 0;  ///< sum of durations: greater than `busy` if activities overlap
  SharedVector<Gap> gaps;  ///< ascending by start

  Nanos window() const { return saturating_sub(last_end, first_start); }
  Nanos idle() const { return saturating_sub(window(), busy); }
};

struct GapOptions {
  bool kernels_only = false;  ///< leave out copies and sets, which then count as idle
  /// Activities are clipped to this range; the window is then that of the clipped activities, so idle time
  /// between the edge of the range and the first or last activity is not counted.
  TimeSpan range = TimeSpan::everything();
  unsigned threads = 1;  ///< number of threads among which the streams are divided
};

/// Returns one entry per GPU stream with activity, ordered by source, device and stream (numerically).
/// GPU annotations and profiler overhead are not activity. Reads only, any thread;
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
  SharedVector<Gap> gaps;  ///< times in which all of its streams are idle; ascending by start

  Nanos window() const { return saturating_sub(last_end, first_start); }
  Nanos idle() const { return saturating_sub(window(), busy); }
};
/// Returns one entry per device with activity, ordered by source and device. Cost as above.
std::vector<DeviceActivity> analyze_devices(const Trace& trace, const GapOptions& options = {});

}  // namespace lacuna
