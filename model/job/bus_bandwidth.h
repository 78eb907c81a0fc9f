#pragma once

#include <optional>

#include "model/job/job.h"

namespace lacuna {

/// Bus bandwidth of the transfer of a collective in GB/s (1e9 bytes), as TraceLens and nccl-tests define it: bytes over
/// time, times 2 (n - 1) / n for an all-reduce and (n - 1) / n for the others, so that it compares with a link's.
/// Nothing where the traces do not tell its size or type, or it took no time.
std::optional<double> bus_bandwidth(const Job& job, const JobCollective& collective);

}  // namespace lacuna
