#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/base/time.h"
#include "model/trace/lane_growth.h"
#include "model/trace/trace.h"

namespace lacuna {

/// When a stream had as many launches outstanding as there can be (kFullQueue of launch_delay.h): from queue_depths(),
/// kept up from one trace of a recording to the next. Works are looked at once when they ended, and anew while open.
///
///     launches of a stream   A0 A1 … Ak        its works start   S0 S1 … Sk     both ascending
///     full                   from Ak until S(k - 1023), where that is later
class FullQueues {
 public:
  /// Returns from when on it may be otherwise than in the trace before; kMaxNanos: nowhere.
  Nanos update(const Trace& trace, const LaneGrowth& growth);
  /// The spans of all streams of the device, ascending by start for each stream.
  std::vector<TimeSpan> of_device(SourceId source, StringId device) const;

 private:
  struct Full {
    std::size_t first = 0;  ///< numbers of launches
    std::size_t last = 0;
  };
  struct Queue {
    std::vector<Nanos> launched;
    std::vector<Nanos> started;
    std::vector<Nanos> open_launched;  ///< of these, for works that have not ended
    std::vector<Nanos> open_started;
    std::vector<Full> full;

    Nanos change(std::vector<Nanos> launches, std::vector<Nanos> starts, std::vector<Nanos> open_launches,
                 std::vector<Nanos> open_starts);
  };
  std::map<std::tuple<SourceId, StringId, StringId>, Queue> queues_;  // source, device, stream
};

}  // namespace lacuna
