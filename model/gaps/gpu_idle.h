#pragma once

#include <cstddef>
#include <vector>

#include "model/gaps/gaps.h"

namespace lacuna {

/// Returns for how much of a gap of `streams[own]` all streams of its GPU were idle, in ns. O(streams (log gaps + gaps
Nanos gpu_idle_in(const Trace& trace, const std::vector<StreamActivity>& streams, std::size_t own, const Gap& gap);

}  // namespace lacuna
