#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "model/build/event_batch.h"
#include "model/build/id_remap.h"
#include "model/trace/import_report.h"
#include "model/trace/links.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Flow events of one thread from one batch, ascending by time, still with the ids and times of the
/// batch. Shared, so that a preview may read it while more is being read.
struct FlowRun {
  SourceId source;
  StringId pid;  ///< of the trace, like tid
  StringId tid;
  std::shared_ptr<const PageVector<FlowEvent>> events;
  std::shared_ptr<const IdRemap> remap;
};

/// One end of a flow, to be bound to a slice; ids and times of the trace.
struct FlowEnd {
  Nanos time = 0;
  std::uint64_t file_offset = 0;
  FlowId id;
  SliceId slice;
  std::uint32_t source = 0;
  std::uint16_t category = 0;
  char phase = 's';
  bool binds_enclosing : 1 = false;
  bool binds_own_slice : 1 = false;
};
static_assert(sizeof(FlowEnd) == 40);

/// Turns flow events into arrows. Events of one (source, category, id) are taken by time: a start
/// opens a chain, each step or finish adds an arrow from the last start or step; one start may have
/// many finishes (graphs). Where an id has a single start, all finishes belong to it whatever their
/// time. A start or step binds to the innermost slice at its time on its (pid, tid); a finish
/// likewise with bp "e", else to the next slice that starts there or later. What a slice says with
/// bind_id binds to that slice. Sources: Trace Event Format, "Flow Events"; formats.md 11.
/// Threads of the trace are spread over `threads` workers. Returns early when `cancel` gets set.
PageVector<FlowArrow> link_flows(const Trace& trace, std::vector<FlowRun> runs, unsigned threads, ImportReport& report,
                                 const std::atomic<bool>* cancel = nullptr);

}  // namespace lacuna
