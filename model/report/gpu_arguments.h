#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/result.h"
#include "model/trace.h"

namespace lacuna {

/// What the args of GPU activities say and the model does not hold.
struct GpuArguments {
  std::uint64_t bytes = 0;     ///< copies and sets
  float occupancy = -1;        ///< "est. achieved occupancy %", 0 … 100; < 0: not in the file
  float blocks_per_sm = -1;    ///< likewise
  std::array<std::int32_t, 3> grid{};   ///< {0, 0, 0}: not in the file
  std::array<std::int32_t, 3> block{};
};

/// Reads them for `activities` of one source (any order; the result is in theirs), on `threads`
/// threads; about 1 us each. Errors are those of read_arguments_in_bulk().
Result<std::vector<GpuArguments>> read_gpu_arguments(const Trace& trace,
                                                     const std::vector<SliceId>& activities,
                                                     unsigned threads = 2);

}  // namespace lacuna
