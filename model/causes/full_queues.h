#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/base/time.h"
#include "model/trace/lane_growth.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The times in which a stream had the maximum number of outstanding launches (kFullQueue of launch_delay.h), as from
/// queue_depths(); updated from trace to trace of a recording. Work is processed once when ended, each time while open.
///
///     launches of a stream   A0 A1 … Ak        its works start   S0 S1 … Sk     both ascending
///     full                   from Ak until S(k - 1023), where that is later
class FullQueues {
 public:
  /// Returns the time from which the result may differ from that for the previous trace; kMaxNanos: it does not.
  Nanos update(const Trace& trace, const LaneGrowth& growth);
  /// Returns the spans of all streams of the device, ascending by start for each stream.
  std::vector<TimeSpan> of_device(SourceId source, StringId device) const;

 private:
  struct Full {
    std::size_t first = 0;  ///< index of a launch
    std::size_t last = 0;
  };
  struct Queue {
    std::vector<Nanos> launched;
    std::vector<Nanos> started;
    std::vector<Nanos> open_launched;  ///< of these, for work that has not ended
    std::vector<Nanos> open_started;
    std::vector<Full> full;

    Nanos change(std::vector<Nanos> launches, std::vector<Nanos> starts, std::vector<Nanos> open_launches,
                 std::vector<Nanos> open_starts);
  };
  std::map<std::tuple<SourceId, StringId, StringId>, Queue> queues_;  // source, device, stream
};

}  // namespace lacuna
