#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace lacuna {

/// An idle interval between two activities of one GPU stream.
struct Gap {
  Nanos start = 0;
  Nanos end = 0;
  SliceId before;  ///< the activity whose end starts the gap
  SliceId after;   ///< the activity whose start ends it (the first in file order)
  SliceId launch;  ///< the launch of `after`; invalid when it is not in the file

  Nanos duration() const { return end - start; }
};

/// Activity of one GPU stream. Definitions as in the reference answers of the field:
/// window = [first start, last end]; busy = length of the union of the activities (overlapping
/// kernels count once); idle = window - busy.
struct StreamActivity {
  TrackId track;
  StringId device = kEmptyString;
  StringId stream = kEmptyString;
  std::uint64_t events = 0;
  Nanos first_start = 0;
  Nanos last_end = 0;
  Nanos busy = 0;
  Nanos sum_duration = 0;  ///< sum of durations: > busy when activities overlap
  std::vector<Gap> gaps;   ///< every gap > 0, ascending by start

  Nanos window() const { return last_end - first_start; }
  Nanos idle() const { return window() - busy; }
};

struct GapOptions {
  bool kernels_only = false;  ///< leave out copies and sets: they then count as idle
  TimeSpan range = TimeSpan::everything();  ///< activities are clipped to it
};

/// One entry per GPU stream that has activity, ordered by device and stream (numerically).
/// Reads only; O(activities). Any thread.
std::vector<StreamActivity> analyze_streams(const Trace& trace, const GapOptions& options = {});

/// Activity of one device: the union over its streams.
struct DeviceActivity {
  SourceId source;
  StringId device = kEmptyString;
  std::uint64_t events = 0;
  Nanos window = 0;
  Nanos busy = 0;
};
std::vector<DeviceActivity> analyze_devices(const Trace& trace, const GapOptions& options = {});

}  // namespace lacuna
