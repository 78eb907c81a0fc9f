#pragma once

#include "model/base/result.h"
#include "model/import/bytes.h"
#include "model/import/importer.h"
#include "model/import/top_level.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Allocations of a device that get a slice of their own: the largest; the rest is in the counters.
inline constexpr std::size_t kAllocationsDrawn = 64;

/// An allocator snapshot as events, so that it opens as traces do. Per device a process with counters of active and
/// reserved bytes, the largest allocations as slices from alloc to free, annotations, and a mark wherever memory ran
/// out. Times are the file's, in ns since 1970; files without times count a microsecond per event.
/// Errors: those of read_snapshot(); kNotATrace when there is no history to show.
Result<void> read_snapshot_events(ImportBytes& bytes, ImportProgress* progress, TraceSource& facts,
                                  const BatchSink& sink);

}  // namespace lacuna
