#pragma once

#include <functional>
#include <span>

#include "model/causes/cause_ranking.h"
#include "model/job/fact_texts.h"
#include "model/job/rank_facts.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Adds the idle time of the GPUs of `source` to the steps of `facts`, by cause, with what the CPU did in the longest
/// gap of each. `devices` are all gaps of the trace with their causes; before the first activity the GPU was idle since
/// `begin`. `step_at` tells the step of what was issued at a time; < 0: none. Times stay those of the trace.
void add_idle_uses(const Trace& trace, SourceId source, std::span<const CausedGaps> devices, Nanos begin,
                   const std::function<std::int32_t(Nanos)>& step_at, JobRank& facts, FactTexts& texts);

}  // namespace lacuna
