#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/export/output_file.h"

namespace lacuna {

/// Where one rank's part of a recording goes; without a number, what belongs to no rank, such as torchrun's own
/// process. Valid until the next call; finish() is called by the caller of write_rank_files().
using OpenRankFile = std::function<Result<OutputFile*>(std::optional<std::int64_t> rank)>;

/// The ranks that the processes of a recording say they are (process_rank metadata), ascending.
Result<std::vector<std::int64_t>> ranks_of_recording(const std::string& path);

/// Writes the parts of a finished recording of Lacuna (TraceJsonWriter), each a trace of its own with the
/// distributedInfo of its rank. The recording is read from front to end as it is, compressed or not, twice; memory
/// does not grow with it. What belongs to no rank is written only when there are events of it.
Result<void> write_rank_files(const std::string& path, const OpenRankFile& open);

}  // namespace lacuna
