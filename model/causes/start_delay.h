#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/trace/trace.h"

namespace lacuna {

/// The reasons why GPU work started later than its launch.
///
///     CPU   [launch]
///     GPU      [ #### ahead of it #### ]     [activity]
///              |<------ queued ------>|
///                                     |<---->| latency
struct StartDelay {
  SliceId launch;
  TimeSpan queued;          ///< from the launch's end while its stream was busy with earlier work; may be empty
  std::uint32_t ahead = 0;  ///< activities of the stream that ended after the launch's end and began before this one
  TimeSpan latency;         ///< from the end of `queued`, with the stream idle; may be empty
  SliceId overhead;         ///< the profiler's own work with the largest part of `latency`, if that is at least half
};

/// Returns nothing without a launch in the trace, or if the activity seems to start before the launch ended. Ignores
/// activities of other streams, for which it may have waited. O(log n + ahead).
std::optional<StartDelay> start_delay(const Trace& trace, SliceId activity);

/// Returns "queued behind 47 activities for 1.36 ms", a label for each part. `duration` formats ns.
std::string queued_words(const StartDelay& delay, std::string (*duration)(Nanos));
std::string latency_words(const Trace& trace, const StartDelay& delay, std::string (*duration)(Nanos));

}  // namespace lacuna
