#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/build/event_batch.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The facts about one file that are needed to align several files.
struct FileClock {
  bool has_base_time = false;
  Nanos base_time_ns = 0;
  TimeSpan span = TimeSpan::nothing();  ///< span of the events, in the file's own time
};

/// Returns the first and last time of the events of `batch`, united with `span`. O(events).
TimeSpan unite_times(TimeSpan span, const EventBatch& batch);

/// What to add to the file's times to get ns since 1970; nothing: the file does not tell.
std::optional<Nanos> to_absolute(const FileClock& file);
/// The same of the times of a trace, which may be shifted. O(tracks).
std::optional<Nanos> to_absolute(const Trace& trace, SourceId source);

/// How files share one time axis, and the shift of each file's times: 0 for the first, so that
/// times stay those of the first file.
///
/// A file knows its absolute time when its times are nanoseconds since 1970 already (later than
/// 1973), or else when it has a baseTimeNanoseconds. If every file with events knows it, they are
/// lined up by it; else by their first events. Files without events are not shifted.
struct AlignmentPlan {
  Alignment how = Alignment::kSingle;
  std::vector<Nanos> shifts_ns;
};
AlignmentPlan plan_alignment(std::span<const FileClock> files);

}  // namespace lacuna
