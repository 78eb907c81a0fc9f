#pragma once

#include <string>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A stretch in which a GPU at work ran at a lower clock than it usually did.
struct ClockFall {
  TimeSpan span;
  double lowest_mhz = 0;
  std::string reason;  ///< "power cap"; "power cap, too hot"; empty: the driver named none
};

/// What the counters of one GPU's hardware say, where a recording has them (hardware_tracks.h).
struct HardwareReport {
  std::string gpu;       ///< "GPU 0", as nvidia-smi counts
  double usual_mhz = 0;  ///< the SM clock that it reached for a tenth of its time at work, or more
  double mean_mhz = 0;   ///< over its time at work
  Nanos at_work = 0;     ///< inside the window; all of it where nothing tells
  struct Held {
    std::string reason;
    Nanos time = 0;  ///< at work while the reason held
  };
  std::vector<Held> held;        ///< most time first; reasons that never held are not there
  std::vector<ClockFall> falls;  ///< longest first, kMostClockFalls at most
  std::uint64_t fall_count = 0;
};
inline constexpr std::size_t kMostClockFalls = 5;

/// Reports on each GPU that the file has counters of, inside the window. O(samples).
std::vector<HardwareReport> report_hardware(const Trace& trace, SourceId source, TimeSpan window);

}  // namespace lacuna
