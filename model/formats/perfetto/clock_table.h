#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// The clocks of a Perfetto trace, as its snapshots relate them to each other. One thread.
class ClockTable {
 public:
  static constexpr std::uint32_t kRealtime = 1, kMonotonic = 3, kBoottime = 6;

  /// Adds a ClockSnapshot of this sequence; clocks 64 to 127 in it are local to the sequence.
  void add_snapshot(std::string_view message, std::uint32_t sequence);

  /// Converts `time`, in units of the clock, to ns of the trace's clock. For an incremental clock, `time` is the step
  /// since its last use. Returns nothing if no snapshot relates the clock to the trace's, or if the sum overflows.
  std::optional<Nanos> to_trace(std::uint32_t clock, std::uint32_t sequence, std::uint64_t time);

  /// Returns the time since 1970 at time 0 of the trace's clock, in ns, if a snapshot gives it.
  std::optional<Nanos> base_time() const;
  bool has_snapshots() const { return !snapshots_.empty(); }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // sequence (0: all sequences), clock
  struct Reading {
    Nanos time = 0;
    std::size_t snapshot = 0;
    Nanos trace_time = 0;
  };
  struct Clock {
    std::uint64_t unit_ns = 1;
    bool is_incremental = false;
    Nanos last = 0;                 // of an incremental clock
    std::vector<Reading> readings;  // in file order, like `tied`
    std::vector<Reading> tied;      // from snapshots that contain the trace's clock
  };
  static Key key_of(std::uint32_t clock, std::uint32_t sequence) {
    return {clock >= 64 && clock < 128 ? sequence : 0, clock};
  }
  static const Reading* reading_for(const std::vector<Reading>& readings, Nanos time);
  std::optional<Nanos> convert(const Clock& clock, Nanos time) const;

  std::map<Key, Clock> clocks_;
  std::vector<std::map<Key, Nanos>> snapshots_;
  std::uint32_t trace_clock_ = kBoottime;
  bool is_trace_clock_said_ = false;
};

}  // namespace lacuna
