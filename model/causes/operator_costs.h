#pragma once

#include <span>
#include <vector>

#include "model/causes/cause_ranking.h"

namespace lacuna {

/// charge_operators() of each of several groups of sets, as of the GPUs of a file: each thread is laid flat once for
/// all of them.
std::vector<OperatorCosts> charge_operators_each(const Trace& trace,
                                                 std::span<const std::span<const CausedGaps>> groups,
                                                 unsigned threads = 2);

}  // namespace lacuna
