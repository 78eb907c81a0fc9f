#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/trace/trace.h"

namespace lacuna {

/// Why GPU work started when it did, and not when it was launched.
///
///     CPU   [launch]
///     GPU      [ #### ahead of it #### ]     [activity]
///              |<------ queued ------>|
///                                     |<---->| latency
struct StartDelay {
  SliceId launch;
  TimeSpan queued;          ///< from the launch's end while its stream was busy with what was ahead; may be empty
  std::uint32_t ahead = 0;  ///< activities of the stream that ended after the launch's end and began before this one
  TimeSpan latency;         ///< from then on, the stream being idle; may be empty
  SliceId overhead;         ///< the profiler's own work that takes most of `latency`, if any takes half of it or more
};

/// Nothing without a launch in the trace, or where the activity seems to start before the launch ended. Activities of
/// other streams, for which it may have waited, are not looked at. O(log n + ahead).
std::optional<StartDelay> start_delay(const Trace& trace, SliceId activity);

/// "queued behind 47 activities for 1.36 ms": of each part, for a label. `duration` formats ns.
std::string queued_words(const StartDelay& delay, std::string (*duration)(Nanos));
std::string latency_words(const Trace& trace, const StartDelay& delay, std::string (*duration)(Nanos));

}  // namespace lacuna
