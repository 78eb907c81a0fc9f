#pragma once

#include <cstdint>
#include <vector>

#include "capture/session/live_plan.h"
#include "capture/session/recording_spool.h"

namespace lacuna {

/// Keeps a spool within a limit: begins a new part every eighth of it, and drops the oldest part while what the
/// others hold is enough. The thread that writes the spool.
class KeptParts {
 public:
  KeptParts(RecordingSpool& spool, KeepLimit keep, Nanos now)
      : spool_(spool), keep_(keep), part_began_(now), parts_{{0, now, now}} {}

  /// After a flush, now and then: the limit is kept as closely as this is called.
  void advance(Nanos now);
  /// Events that were dropped to stay within the limit.
  std::uint64_t forgotten() const { return forgotten_; }
  /// All events below this offset are gone.
  std::uint64_t forget_below() const { return forget_below_; }
  /// When what is kept begins.
  Nanos kept_since() const { return parts_.front().begin; }

 private:
  struct Part {
    std::uint64_t events = 0;
    Nanos begin = 0;
    Nanos end = 0;
  };
  RecordingSpool& spool_;
  KeepLimit keep_;
  Nanos part_began_ = 0;
  std::vector<Part> parts_;
  std::uint64_t events_before_part_ = 0;
  std::uint64_t forgotten_ = 0;
  std::uint64_t forget_below_ = 0;
};

}  // namespace lacuna
