#pragma once

#include <vector>

#include "model/base/result.h"
#include "model/job/rank_facts.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Finds the ranks of a file that holds a whole job as threads named after their places in it, as published timelines
/// of what-if studies do (OSDI'25, "Understanding Stragglers in Large Model Training"): processes "DP rank [3]" with
/// threads "PP rank 0, TP rank 1, compute", "… pp-comm", "… dp-comm". Work on "compute" counts as kernels, that on
/// "KIND-comm" as collectives of the ranks that differ in KIND only; names with "send" or "recv" are pairs with the
/// next place, with "backward" with the previous one. Steps are taken from the arg "step".
///
/// No rank leaves a collective before the last one has entered it: if the parts of a name do not overlap in a group,
/// the kind of group in which they do is used, and if there is none the parts stay unmatched. Timelines may show
/// transfers without the waiting before them; then a rank enters when its preceding work is done.
///
/// The names do not give global ranks: they are numbered with pp slowest and tp fastest, and marked as guessed. Empty
/// if the names have no such form. O(slices + args); the args are read from the file. Any thread.
Result<std::vector<JobRank>> ranks_by_name(const Trace& trace, SourceId source, unsigned threads = 1);

}  // namespace lacuna
