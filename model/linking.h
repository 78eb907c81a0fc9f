#pragma once

#include <vector>

#include "model/event_batch.h"
#include "model/trace.h"

namespace lacuna {

/// Joins each GPU activity with the runtime or driver call of its source that carries the same
/// correlation (non-zero). Of several launches the first in the file is taken and the case counted.
/// Never guesses: an activity without such a call stays unlinked and is counted.
/// `gpu_activities` receives the number of activities looked at.
std::vector<LaunchLink> link_launches(const Trace& trace, std::uint64_t& gpu_activities, ImportReport& report);

/// Flow events as one batch delivered them.
struct FlowBatch {
  SourceId source;
  std::vector<FlowEvent> events;
};

/// Turns flow events into arrows. Events of one (source, category, id) are taken by time: a start
/// opens a chain, each step or finish adds an arrow from the last start or step; one start may have
/// many finishes (graphs). Where an id has a single start, all finishes belong to it whatever their
/// time. A start or step binds to the innermost slice at its time on its (pid, tid); a finish
/// likewise with bp "e", else to the next slice that starts there or later. What a slice says with
/// bind_id binds to that slice. Sources: Trace Event Format, "Flow Events"; formats.md 11.
std::vector<FlowArrow> link_flows(const Trace& trace, std::vector<FlowBatch> batches, ImportReport& report);

}  // namespace lacuna
