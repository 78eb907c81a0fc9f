#pragma once

#include <cstdint>

#include "model/formats/format.h"

namespace lacuna {

/// The sampled stacks of Chrome JSON, "samples": [{"ts", "pid", "tid", "sf"}, …] with "stackFrames": {"1": {"name",
/// "parent"}, …}, which begin at these offsets: they go to `sink` as tracks of sampled stacks, whose slices lie where
/// their first sample is. What has no stack or no time is counted in `facts`.
void read_stack_samples(const ImportBytes& bytes, std::uint64_t samples_at, std::uint64_t frames_at,
                        const ImportOptions& options, TraceSource& facts, const BatchReceiver& sink);

}  // namespace lacuna
