#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "model/causes/full_queues.h"
#include "model/causes/gap_cause.h"
#include "model/causes/gap_rules.h"
#include "model/causes/late_ranks.h"
#include "model/causes/partial_replays.h"
#include "model/causes/span_inflow.h"
#include "model/causes/stream_waits.h"
#include "model/gaps/gaps.h"
#include "model/trace/lane_growth.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What the rules need to know of a trace, prepared once: which time each CPU thread spent in
/// synchronising calls, in data loading …, where the profiler and its steps were, and when the
/// activities of each GPU ended.
///
/// Building: one pass over all slices, O(n), plus merging of rows. Each diagnosis: O(log n).
/// Memory: 16 bytes a GPU activity, 24 a synchronising call, 24 a stretch in which a thread is
/// busy. Holds a reference to the trace, which must outlive it. Any thread may read.
///
/// Of a recording under way it grows from one trace to the next (update()): slices that ended before the horizon are
/// looked at once, the others anew each time. What it says is then good until the next update, of that trace.
class CauseIndex {
 public:
  /// `late`: what its ranks waited for each other (job/late_waits.h); null: not known, and no gap has that cause.
  explicit CauseIndex(const Trace& trace, LateRanksPtr late = nullptr);

  /// For a recording under way: empty before the first update().
  CauseIndex();
  CauseIndex(CauseIndex&&) noexcept;
  CauseIndex& operator=(CauseIndex&&) noexcept;
  ~CauseIndex();
  /// Goes on with the next trace of the recording. Returns from when on verdicts on gaps may be others than before:
  /// those on gaps that ended until then hold, if they ended before the horizon that `growth` had last. One thread, and
  /// none that reads. O(slices newly ended + slices open).
  Nanos update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news);
  /// Before diagnose() of gaps of a trace that grows.
  void look_at_graphs(const SharedVector<Gap>& gaps, std::size_t from);

  const Trace& trace() const { return *trace_; }

  /// The verdicts on gaps of one stream or of one device, in their order.
  SharedVector<GapDiagnosis> diagnose(const SharedVector<Gap>& gaps, unsigned threads = 1) const;
  GapDiagnosis diagnose(const Gap& gap) const;
  /// What a GPU waited inside its collectives for ranks that came later.
  struct RankWaits {
    Nanos total = 0;    ///< union over its streams
    Nanos exposed = 0;  ///< the part in which nothing else ran on it
    LateWait longest;   ///< of those inside the window; invalid without any
  };
  RankWaits rank_waits(SourceId source, StringId device, TimeSpan window) const;
  /// What the rules see of a gap (for tests and for curious people).
  GapFacts facts(const Gap& gap) const;

 private:
  struct ThreadFacts {
    GrowingSlices sync_calls;
    GrowingIntervals synchronising;
    GrowingIntervals data_loading;
    GrowingIntervals host_communication;
    GrowingIntervals copying;
    GrowingIntervals allocating;
    IntervalSet first_use;
    GrowingIntervals busy;  // any operator, runtime call or Python frame
    TrackId states;         // where its states were recorded; invalid: nowhere
  };
  struct SourceFacts {
    GrowingIntervals steps;
    GrowingIntervals profiler;
    GrowingIntervals code_loading;
    GrowingIntervals full_buffer;  // CUDA says that its command buffer was full
    GrowingSlices host_callbacks;
    bool has_steps = false;
    bool has_launches = false;
    bool is_thinned = false;                  // most of the calls that correlations count are missing
    std::vector<std::uint64_t> correlations;  // of its calls that ended, ascending; only where it is thinned
    std::vector<std::uint64_t> open_correlations;
    std::vector<Nanos> without_activity;  // starts of launching calls whose activity is missing, ascending
  };
  struct Ending {
    Nanos end;
    SliceId slice;
  };
  struct DeviceFacts {
    SourceId source;
    StringId device;
    std::vector<std::pair<Nanos, TrackId>> streams;  // by their longest activity, that first
    std::vector<Ending> endings;                     // of all activities, ascending
    std::size_t good_endings = 0;                    // of these, the first ones are those of later traces, too
    GrowingIntervals busy;                           // any activity
    GrowingIntervals communication;
    IntervalSet late;                  // while a collective waits for a rank
    GrowingIntervals beside;           // any activity that is no collective; only where there are such waits
    std::vector<LateWait> late_waits;  // ascending by start
    Nanos longest_late = 0;            // of these
    IntervalSet full_queue;            // while a stream has as many launches outstanding as there can be
  };
  /// When the first activity of a launch that has several started.
  struct GraphStart {
    SliceId launch;
    Nanos first_start;
  };
  class Builder;
  void look_at_graph(LinkTable<LaunchLink>::Range activities);  // of one launch
  /// One gap while it is looked at: the facts and what they were found in.
  struct Examination;

  const DeviceFacts* device_of(const Track& stream) const;
  const DeviceFacts* device_of(SourceId source, StringId device) const;
  /// How much earlier `thread` could have come to the end of `window` had it not waited for the
  /// GPU.
  Nanos sync_saves(TrackId thread, TimeSpan window, const DeviceFacts& device) const;
  TrackId responsible_thread(const Gap& gap, TimeSpan window) const;
  void examine_record(const Gap& gap, Examination& e) const;
  SliceId before_on_stream(SliceId activity) const;
  void find_event(const Gap& gap, Examination& e) const;
  void find_release(const Gap& gap, Examination& e) const;
  void find_copy(const Gap& gap, TrackId thread, const DeviceFacts& device, Examination& e) const;
  void find_late_rank(const Gap& gap, Examination& e) const;
  void examine_launch(const Gap& gap, Examination& e) const;
  void examine_thread(const Gap& gap, Examination& e) const;
  void examine_surroundings(const Gap& gap, Examination& e) const;
  void examine_end(Gap gap, Examination& e) const;
  SliceId launch_before(const Gap& gap) const;
  void find_missing_nodes(const Gap& gap, Examination& e) const;
  TimeSpan wait_for_unrecorded(SliceId call) const;
  Nanos launching_time(const Gap& gap, const Examination& e) const;
  Examination examine(const Gap& gap) const;
  void finish(const Gap& gap, Examination& e) const;

  const Trace* trace_ = nullptr;
  LateRanksPtr late_;
  std::vector<ThreadFacts> threads_;      // by TrackId
  std::vector<GrowingIntervals> states_;  // by TrackId: while a thread does not run
  std::vector<SourceFacts> sources_;      // by SourceId
  std::vector<DeviceFacts> devices_;
  std::map<std::pair<SourceId, StringId>, std::size_t> device_numbers_;  // into devices_
  std::vector<GraphStart> graphs_;                                       // ascending by launch
  std::vector<PartialReplay> partial_replays_;                           // likewise; of whole traces only
  std::vector<std::vector<TrackId>> launching_;  // by ProcessId: its threads that issued GPU work
  StreamWaits waits_;
  FullQueues queues_;
  std::unique_ptr<Builder> builder_;  // of an index that grows
};

}  // namespace lacuna
