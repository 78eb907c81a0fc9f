#pragma once

#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// Splits a file with several ranks into one source per rank, as if each rank had a file of its own, so that
/// everything that is done per file is done per rank. Ranks are those of the processes (process_rank metadata).
///
/// Processes without a rank (torchrun itself) stay with the file's first source, which is then marked
/// (TraceSource::is_around_ranks), and keeps all counts of the file. A file of one rank gets that rank.
void split_by_rank(std::vector<TraceSource>& sources, std::vector<Process>& processes);

}  // namespace lacuna
