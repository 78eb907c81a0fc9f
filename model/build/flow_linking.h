#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "model/base/radix_sort.h"
#include "model/build/event_batch.h"
#include "model/build/id_remap.h"
#include "model/trace/import_report.h"
#include "model/trace/links.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Flow events of one thread in one batch, ascending by time, with the batch's own ids and times.
/// Shared, so that a preview may read it while reading continues.
struct FlowRun {
  SourceId source;
  StringId pid;  ///< an id of the trace, like tid
  StringId tid;
  std::shared_ptr<const PageVector<FlowEvent>> events;
  std::shared_ptr<const IdRemap> remap;
};

/// One end of a flow, to be bound to a slice; has ids and times of the trace.
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

/// The ends of all flows, each bound to its slice.
struct BoundFlows {
  PageBlock memory;
  std::span<FlowEnd> ends;                  ///< stored in `memory`
  std::vector<std::span<FlowEnd>> threads;  ///< parts of `ends`, ascending by time
};

/// Binds flow events to slices: a start or step to the innermost slice at its time on its (pid, tid); a finish likewise
/// with bp "e", else to the next slice that starts there or later. A bind_id binds to the slice that has it.
/// Sources: Trace Event Format, "Flow Events"; formats.md 11. Frees each run once it is copied. Up to `threads` workers
/// share the trace's threads. Returns early when `cancel` is set.
BoundFlows bind_flows(const Trace& trace, std::vector<FlowRun> runs, unsigned threads,
                      const std::atomic<bool>* cancel = nullptr);

/// Makes arrows from bound ends. Ends of one (source, category, id) are taken by time: a start opens a chain, each step
/// or finish adds an arrow from the last start or step; one start may have many finishes (graphs). When an id has a
/// single start, all finishes belong to it whatever their time. Up to `threads` workers take ranges of ids and make a
/// table each; together these are ordered by id, whatever the number of workers.
std::vector<PageVector<FlowArrow>> chain_flows(const BoundFlows& flows, unsigned threads, ImportReport& report,
                                               const std::atomic<bool>* cancel = nullptr);

// The steps of chain_flows() and bind_flows(), also for growing_links.cpp.
FlowEnd to_end(const FlowEvent& event, SourceId source, const IdRemap& remap);

using FlowThread = std::tuple<SourceId, StringId, StringId>;

std::map<FlowThread, std::vector<TrackId>> tracks_by_thread(const Trace& trace);
/// Finds the slices of the ends of one thread, which ascend by time. Returns early when `cancel` is set.
void bind_ends_of_thread(const Trace& trace, std::span<const TrackId> tracks, std::span<FlowEnd> ends,
                         const std::atomic<bool>* cancel = nullptr);
/// Adds the arrows of ends that share source, category and id; `indices` refers to them in `ends`, ordered by time.
void chain_ends(std::span<const FlowEnd> ends, std::span<const SortKey> indices, PageVector<FlowArrow>& arrows,
                ImportReport& report);

}  // namespace lacuna
