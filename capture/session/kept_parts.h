#pragma once

#include <cstdint>

#include "capture/session/kept_window.h"
#include "capture/session/recording_spool.h"

namespace lacuna {

/// Keeps a spool within a limit by dropping its oldest parts. For the thread that writes the spool.
class KeptParts {
 public:
  KeptParts(RecordingSpool& spool, KeepLimit keep, Nanos now) : spool_(spool), window_(keep, now) {}

  /// Drops parts that are too old. Call it after a flush, regularly: the limit is kept only as closely as that.
  void advance(Nanos now);
  /// Events that were dropped to stay within the limit.
  std::uint64_t forgotten() const { return window_.forgotten(); }
  /// Events below this offset have been dropped.
  std::uint64_t forget_below() const { return forget_below_; }
  /// The begin of the time range that is kept.
  Nanos kept_since() const { return window_.since(); }

 private:
  RecordingSpool& spool_;
  KeptWindow window_;
  std::uint64_t events_before_part_ = 0;
  std::uint64_t forget_below_ = 0;
};

}  // namespace lacuna
