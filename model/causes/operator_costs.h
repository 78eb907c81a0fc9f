#pragma once

#include <span>
#include <vector>

#include "model/causes/cause_ranking.h"

namespace lacuna {

/// charge_operators() for several groups of sets, such as the GPUs of a file: flattens each thread only once for
/// all of them.
std::vector<OperatorCosts> charge_operators_each(const Trace& trace,
                                                 std::span<const std::span<const CausedGaps>> groups,
                                                 unsigned threads = 2);

}  // namespace lacuna
