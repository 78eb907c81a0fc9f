#pragma once

#include <functional>
#include <span>

#include "model/causes/cause_ranking.h"
#include "model/job/fact_texts.h"
#include "model/job/rank_facts.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Adds the idle time of the GPUs of `source` to the steps of `facts`, by cause, with what the CPU did in the longest
/// gap of each cause. `devices`: all gaps of the trace with their causes; before its first activity a GPU counts as
/// idle since `begin`. `step_at` maps an issue time to its step; < 0: none. Times stay on the trace's clock.
void add_idle_uses(const Trace& trace, SourceId source, std::span<const CausedGaps> devices, Nanos begin,
                   const std::function<std::int32_t(Nanos)>& step_at, JobRank& facts, FactTexts& texts);

}  // namespace lacuna
