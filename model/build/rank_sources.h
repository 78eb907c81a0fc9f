#pragma once

#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// A recording of several ranks in one file becomes a source for each rank, as if each had a file of its own, so that
/// whatever asks "which file" is answered rank by rank. Ranks are those of the processes (process_rank metadata).
///
/// What belongs to no rank (torchrun's own process) stays with the file's first source, which is then marked
/// (TraceSource::is_around_ranks), and keeps all counts of the file. A file of one rank gets that rank.
void split_by_rank(std::vector<TraceSource>& sources, std::vector<Process>& processes);

}  // namespace lacuna
