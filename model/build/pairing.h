#pragma once

#include <vector>

#include "model/build/event_batch.h"

namespace lacuna {

/// Makes slices of the begin and end events (B/E) of one thread, in any order.
///
/// Events are taken by (time, file offset). An end closes the innermost open begin of its name; an end
/// without a name, or whose name is not open, closes the innermost (the latter is counted as
/// kEndNameMismatch). An end with nothing open is counted as kUnmatchedEnd. A begin that is never
/// closed becomes a slice up to `trace_end`, flagged kSliceUnfinished and counted.
void pair_begin_ends(std::vector<BeginEndEvent> events, Nanos trace_end, std::vector<SliceRecord>& slices,
                     ImportReport& report);

/// One slice or step made of async events, and the track it belongs to.
struct AsyncSlice {
  SliceRecord slice;
  StringId pid;
  StringId root_name;  ///< name of the outermost open event of its (category, id): names the track
};
struct AsyncStep {
  Instant instant;
  StringId pid;
  StringId root_name;
};
struct AsyncResult {
  std::vector<AsyncSlice> slices;
  std::vector<AsyncStep> steps;
};

/// Makes slices of nestable (b/n/e) and legacy (S/T/p/F) async events of one source: paired per
/// (category, id), legacy ones per name too, by the rules above. n, T and p become steps. An
/// operation may begin in one process and end in another; it is shown where it began. (Ids local to
/// one process, id2.local, include it in their text.)
/// Source: Trace Event Format, "Async Events".
AsyncResult pair_asyncs(std::vector<AsyncEvent> events, Nanos trace_end, ImportReport& report);

}  // namespace lacuna
