#pragma once

#include "model/formats/format.h"

namespace lacuna {

/// Perfetto traces (protobuf): .pftrace, .perfetto-trace, .pb. Reads track events with their tracks, args, flows and
/// counters, and the work, counters and logs of GPUs; other kinds of packets are counted. Traces of PyTorch and
/// rocprofv3 get their kernels on streams, linked to their launches. Times are of the trace's clock; if that counts
/// from 1970, whole days go to the base time.
///
/// Two passes: one over all bytes finds the events, the other reads each event in place.
extern const Format kPerfettoFormat;

}  // namespace lacuna
