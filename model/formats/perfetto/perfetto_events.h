#pragma once

#include "model/formats/format.h"

namespace lacuna {

/// Perfetto's own traces (protobuf): .pftrace, .perfetto-trace, .pb. Track events with their tracks, args, flows and
/// counters, and the work, counters and logs of GPUs; packets of other kinds are counted. What PyTorch and rocprofv3
/// write has its kernels on streams, tied to their launches. Times are those of the trace's clock; one that counts
/// from 1970 gives its whole days to the base time.
///
/// Two walks: one over all bytes finds the events, the other reads each of them where it lies.
extern const Format kPerfettoFormat;

}  // namespace lacuna
