#pragma once

#include <cstddef>

#include "model/formats/format.h"

namespace lacuna {

/// Number of a device's allocations, the largest, that get a slice of their own; the counters include all.
inline constexpr std::size_t kAllocationsDrawn = 64;

/// Reads an allocator snapshot as a trace. Each device is a process with counters of active and
/// reserved bytes, the largest allocations as slices from alloc to free, annotations, and a mark wherever memory ran
/// out. Times are the file's, in ns since 1970; files without times count a microsecond per event.
/// Errors: those of read_snapshot(); kNotATrace if there is no history to show.
extern const Format kSnapshotFormat;

}  // namespace lacuna
