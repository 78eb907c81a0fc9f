#pragma once

#include <cstddef>

#include "model/formats/format.h"

namespace lacuna {

/// Allocations of a device that get a slice of their own: the largest; the rest is in the counters.
inline constexpr std::size_t kAllocationsDrawn = 64;

/// An allocator snapshot as events, so that it opens as traces do. Per device a process with counters of active and
/// reserved bytes, the largest allocations as slices from alloc to free, annotations, and a mark wherever memory ran
/// out. Times are the file's, in ns since 1970; files without times count a microsecond per event.
/// Errors: those of read_snapshot(); kNotATrace when there is no history to show.
extern const Format kSnapshotFormat;

}  // namespace lacuna
