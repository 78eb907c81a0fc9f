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
/// dropped or trimmed), joins launches and GPU activities by correlation, binds flows, names tracks
/// that the file does not name, and counts what does not fit in the report.
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
  /// Lets the caller fill in facts that are known only after the events were read (metadata behind traceEvents).
  TraceSource& source(SourceId id);
  void add(SourceId source, EventBatch batch);
  /// Moves all events of the source to lie `shift_ns` after what its file says: those that were added, and those to
  /// come. For files that are found to line up otherwise once more of them were read. O(events that are no slices).
  void shift(SourceId source, Nanos shift_ns);
  /// Consumes the builder. When `cancel` gets set meanwhile it returns soon, with a trace that is
  /// good for nothing but to be thrown away.
  /// `links`: of a recording under way, what its traces share; one that copies of the same builder are given in turn.
  Trace finish(unsigned threads = 1, const std::atomic<bool>* cancel = nullptr, GrowingLinks* links = nullptr);
  /// The trace of what was added so far; the builder goes on. Costs what finish() costs, and copies
  /// everything but slices and flows first. Events whose partner was not read yet count as unmatched.
  Trace snapshot(unsigned threads = 1, const std::atomic<bool>* cancel = nullptr) const;
  /// A builder of what was added so far, which may go to another thread and be added to and finished
  /// there. Copies everything but slices and flows: much less than finish() costs.
  std::unique_ptr<TraceBuilder> copy() const;
  /// Of a recording under way: gives the slices of the source's threads and GPU streams that start `after` ns before
  /// `now` or earlier their places, which they keep in all traces that copies make from now on (Lane::sealed), and in
  /// one memory with them. A copy then costs by what is not sealed. `running`: the ranges that run now, sealed; all
  /// that ended before was added. A track whose slices come in another order starts over and is given more time, a few
  /// times, and is then left alone. O(slices sealed). Not for sources that forget().
  void seal(SourceId source, const EventBatch& running, Nanos now, Nanos after);
  /// Says in which memory sealed slices lie. To be called before the first seal(), which makes its own otherwise.
  void seal_in(std::shared_ptr<GrowingMemory> memory);
  /// Forgets the events of `source` that lie below `offset` in its file: those of batches that lie there
  /// whole. Metadata stays. They are taken off all counts, and counted in TraceSource::skipped as `why`.
  /// Returns how many. For bounded captures; O(batches kept + events forgotten).
  std::uint64_t forget(SourceId source, std::uint64_t offset, const std::string& why);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
