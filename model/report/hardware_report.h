#pragma once

#include <string>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A stretch in which a busy GPU ran at a lower clock than usual.
struct ClockFall {
  TimeSpan span;
  double lowest_mhz = 0;
  std::string reason;  ///< "power cap"; "power cap, too hot"; empty: the driver named none
};

/// Hardware counters of one GPU, if the file has them (hardware_tracks.h).
struct HardwareReport {
  std::string gpu;       ///< "GPU 0", as nvidia-smi counts
  double usual_mhz = 0;  ///< the SM clock that it reached for at least a tenth of its busy time
  double mean_mhz = 0;   ///< mean over its busy time
  Nanos at_work = 0;     ///< busy time inside the window; the whole window if that is not known
  struct Held {
    std::string reason;
    Nanos time = 0;  ///< busy time during which the reason held
  };
  std::vector<Held> held;        ///< most time first; without reasons that never held
  std::vector<ClockFall> falls;  ///< longest first, at most kMostClockFalls
  std::uint64_t fall_count = 0;
};
inline constexpr std::size_t kMostClockFalls = 5;

/// Reports on each GPU whose counters the file has, inside the window. O(samples).
std::vector<HardwareReport> report_hardware(const Trace& trace, SourceId source, TimeSpan window);

}  // namespace lacuna
