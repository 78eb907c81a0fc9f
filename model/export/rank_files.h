#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/export/output_file.h"

namespace lacuna {

/// Returns the file for one rank's part of a recording; without a number, for what belongs to no rank, like torchrun's
/// own process. Valid until the next call; the caller of write_rank_files() calls finish().
using OpenRankFile = std::function<Result<OutputFile*>(std::optional<std::int64_t> rank)>;

/// Returns the ranks of a recording's processes (process_rank metadata), ascending.
Result<std::vector<std::int64_t>> ranks_of_recording(const std::string& path);

/// Writes the parts of a finished recording of Lacuna (TraceJsonWriter), each as a trace of its own with the
/// distributedInfo of its rank. Reads the recording twice from front to end, compressed or not; memory
/// use does not depend on its size. Events that belong to no rank are written only if there are any.
Result<void> write_rank_files(const std::string& path, const OpenRankFile& open);

}  // namespace lacuna
