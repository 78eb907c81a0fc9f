#pragma once

#include <optional>

#include "model/job/job.h"

namespace lacuna {

/// Returns the bus bandwidth of a collective's transfer in GB/s (1e9 bytes), as defined by TraceLens and nccl-tests:
/// bytes / time, times 2 (n - 1) / n for an all-reduce and (n - 1) / n for others; comparable with a link's bandwidth.
/// Nothing if the traces do not give its size or type, or the transfer took no time.
std::optional<double> bus_bandwidth(const Job& job, const JobCollective& collective);

}  // namespace lacuna
