#pragma once

#include <cstdint>

#include "model/formats/format.h"

namespace lacuna {

/// Reads sampled stacks of Chrome JSON, "samples": [{"ts", "pid", "tid", "sf"}, …] with "stackFrames": {"1": {"name",
/// "parent"}, …}, at these offsets: passes them to `sink` as tracks of sampled stacks, whose slices have the offset
/// of their first sample. Samples without a stack or a time are counted in `facts`.
void read_stack_samples(const ImportBytes& bytes, std::uint64_t samples_at, std::uint64_t frames_at,
                        const ImportOptions& options, TraceSource& facts, const BatchReceiver& sink);

}  // namespace lacuna
