#pragma once

#include <string>

#include "model/memory/memory_holders.h"
#include "model/report/trace_memory.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Returns the phase of the program, from the operators and ranges around a slice.
MemoryPhase phase_around(const Trace& trace, SliceId slice);

/// Guesses the kind of tensor of an allocation from the operators around its alloc and its free.
MemoryCategory category_of(const Trace& trace, const TraceAllocation& allocation);

/// Returns the innermost slice around it that is an nn.Module, or a Python function outside PyTorch; invalid if none.
SliceId module_around(const Trace& trace, SliceId slice);
SliceId own_frame_around(const Trace& trace, SliceId slice);

/// Returns the CPU time from the end of the outermost operator that allocated it to the start of the outermost operator
/// that freed it; what happens between is not recorded. 0 if both are the same operator; -1 if it was never freed.
Nanos unused_time(const Trace& trace, const TraceAllocation& allocation);

}  // namespace lacuna
