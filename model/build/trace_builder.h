#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "model/build/event_batch.h"
#include "model/trace/trace.h"

namespace lacuna {

class GrowingLinks;
class GrowingMemory;

/// The only writer of a Trace, for files and captures alike.
///
///   TraceBuilder builder;
///   const SourceId source = builder.add_source({.path = "a.json"});
///   builder.add(source, std::move(batch));     // any number of batches, in any order
///   Trace trace = builder.finish();
///
/// finish() sorts each track by (start, -end, file offset), pairs begins with ends, nests slices by
/// containment, gives a slice that crosses the open ones the next free nest of rows (nothing is
/// dropped or trimmed), links launches and GPU activities by correlation, binds flows, names tracks
/// that the file does not name, and counts inconsistencies in the report.
/// Rules and their sources: nesting.h, pairing.h, launch_linking.h, flow_linking.h.
///
/// One thread calls; finish(threads) spreads tracks over `threads` workers inside the call.
class TraceBuilder {
 public:
  TraceBuilder();
  ~TraceBuilder();
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  SourceId add_source(TraceSource source);
  /// Gives access to facts that are known only after the events were read (metadata behind traceEvents).
  TraceSource& source(SourceId id);
  void add(SourceId source, EventBatch batch);
  /// Shifts all events of the source, past and future, to `shift_ns` after the times of its file.
  /// For files whose alignment is corrected after more of them was read. O(events that are no slices).
  void shift(SourceId source, Nanos shift_ns);
  /// Consumes the builder. When `cancel` is set meanwhile it returns soon, with a trace that must be
  /// discarded.
  /// `links`: for a recording under way, the state that its traces share; copies of the same builder get it in turn.
  Trace finish(unsigned threads = 1, const std::atomic<bool>* cancel = nullptr, GrowingLinks* links = nullptr);
  /// Returns the trace of all events added so far; the builder stays usable. Costs as much as finish(), and copies
  /// everything but slices and flows first. Events whose partner was not read yet count as unmatched.
  Trace snapshot(unsigned threads = 1, const std::atomic<bool>* cancel = nullptr) const;
  /// Returns a builder with all events added so far, which may be used and finished on another
  /// thread. Copies everything but slices and flows: much less than finish() costs.
  std::unique_ptr<TraceBuilder> copy() const;
  /// For a recording under way: places the slices of the source's threads and GPU streams that start `after` ns or more
  /// before `now` for good, in all traces made by later copies (Lane::sealed), which share their
  /// memory. A copy then costs only by the unsealed rest. `running`: the ranges still running, sealed; all slices
  /// that ended before must have been added. A track with slices out of order starts over and gets more time, a few
  /// times, and is then left alone. O(slices sealed). Not for sources that forget().
  void seal(SourceId source, const EventBatch& running, Nanos now, Nanos after);
  /// Sets the memory for sealed slices. Call it before the first seal(), which otherwise creates its own.
  void seal_in(std::shared_ptr<GrowingMemory> memory);
  /// Forgets the events of `source` below `offset` in its file: whole batches that end below it.
  /// Metadata stay. Their events are removed from all counts, and counted in TraceSource::skipped as `why`.
  /// Returns their number. For bounded captures; O(batches kept + events forgotten).
  std::uint64_t forget(SourceId source, std::uint64_t offset, const std::string& why);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
