#pragma once

#include <string>

#include "model/memory/memory_holders.h"
#include "model/report/trace_memory.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What the operators and ranges around a slice say of the phase of the program.
MemoryPhase phase_around(const Trace& trace, SliceId slice);

/// What kind of tensor an allocation of a trace is, guessed from the operators around its alloc and its free.
MemoryCategory category_of(const Trace& trace, const TraceAllocation& allocation);

/// The innermost slice around it that is an nn.Module, or a Python function outside PyTorch; invalid: none is there.
SliceId module_around(const Trace& trace, SliceId slice);
SliceId own_frame_around(const Trace& trace, SliceId slice);

/// From the end of the outermost operator that allocated it to the start of the outermost operator that freed it, on
/// the CPU's side: what lies between is not recorded. 0 where both are one; -1 where it was never freed.
Nanos unused_time(const Trace& trace, const TraceAllocation& allocation);

}  // namespace lacuna
