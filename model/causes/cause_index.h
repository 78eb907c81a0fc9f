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

/// The data that the rules need about a trace, computed once: which time each CPU thread spent in
/// synchronising calls, in data loading …, when the profiler and its steps ran, and when the
/// activities of each GPU ended.
///
/// Building takes one pass over all slices, O(n), plus merging of rows. Each diagnosis: O(log n).
/// Memory: 16 bytes per GPU activity, 24 per synchronising call, 24 per stretch in which a thread is
/// busy. Refers to the trace, which must outlive it. Any thread may read.
///
/// For a running recording it grows from one trace to the next (update()): slices that ended before the horizon are
/// processed once, the others again each time. Its results are then valid until the next update, for that trace.
class CauseIndex {
 public:
  /// `late`: how long its ranks waited for each other (job/late_waits.h); null: unknown, no gap gets that cause.
  explicit CauseIndex(const Trace& trace, LateRanksPtr late = nullptr);

  /// For a running recording: empty before the first update().
  CauseIndex();
  CauseIndex(CauseIndex&&) noexcept;
  CauseIndex& operator=(CauseIndex&&) noexcept;
  ~CauseIndex();
  /// Continues with the next trace of the recording. Returns the time from which diagnoses of gaps may have changed:
  /// diagnoses of gaps that ended earlier, and before the last horizon of `growth`, stay valid. One thread, without
  /// concurrent readers. O(newly ended + open slices).
  Nanos update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news);
  /// Call it before diagnose() for the gaps of a growing trace.
  void look_at_graphs(const SharedVector<Gap>& gaps, std::size_t from);

  const Trace& trace() const { return *trace_; }

  /// Returns the diagnoses of the gaps of one stream or of one device, in the same order.
  SharedVector<GapDiagnosis> diagnose(const SharedVector<Gap>& gaps, unsigned threads = 1) const;
  GapDiagnosis diagnose(const Gap& gap) const;
  /// The time that a GPU spent in its collectives waiting for ranks that came later.
  struct RankWaits {
    Nanos total = 0;    ///< union over its streams
    Nanos exposed = 0;  ///< the part in which nothing else ran on the GPU
    LateWait longest;   ///< the longest inside the window; invalid if there is none
  };
  RankWaits rank_waits(SourceId source, StringId device, TimeSpan window) const;
  /// Returns the time in which a thread did what a cause names, for causes that are told by what it did: data loading,
  /// allocation, first use, and that it did not run. For others nothing.
  IntervalSet time_of(GapCause cause, TrackId thread) const;
  /// Returns the facts about a gap that the rules use (for tests and diagnostics).
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
    TrackId states;         // the track of its states; invalid: none recorded
  };
  struct SourceFacts {
    GrowingIntervals steps;
    GrowingIntervals profiler;
    GrowingIntervals code_loading;
    GrowingIntervals full_buffer;  // CUDA reports that its command buffer was full
    GrowingSlices host_callbacks;
    bool has_steps = false;
    bool has_launches = false;
    bool is_thinned = false;                  // the file lacks most of the calls that correlations count
    std::vector<std::uint64_t> correlations;  // of ended calls, ascending; only if is_thinned
    std::vector<std::uint64_t> open_correlations;
    std::vector<Nanos> without_activity;  // starts of launching calls without an activity, ascending
  };
  struct Ending {
    Nanos end;
    SliceId slice;
  };
  struct DeviceFacts {
    SourceId source;
    StringId device;
    std::vector<std::pair<Nanos, TrackId>> streams;  // with the duration of their longest activity, descending
    std::vector<Ending> endings;                     // ends of all activities, ascending
    std::size_t good_endings = 0;                    // how many of the first endings are final for later traces
    GrowingIntervals busy;                           // any activity
    GrowingIntervals communication;
    IntervalSet late;                  // while a collective waits for a rank
    GrowingIntervals beside;           // any activity that is no collective; only if there are late waits
    std::vector<LateWait> late_waits;  // ascending by start
    Nanos longest_late = 0;            // the longest of these
    IntervalSet full_queue;            // while a stream has the maximum number of outstanding launches
  };
  /// The start of the first activity of a launch with several activities.
  struct GraphStart {
    SliceId launch;
    Nanos first_start;
  };
  class Builder;
  void look_at_graph(LinkTable<LaunchLink>::Range activities);  // activities of one launch
  /// One gap during its examination: its facts, and the data from which they were computed.
  struct Examination;

  const DeviceFacts* device_of(const Track& stream) const;
  const DeviceFacts* device_of(SourceId source, StringId device) const;
  /// Returns how much earlier `thread` could have reached the end of `window` without waiting for the
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
  std::vector<GrowingIntervals> states_;  // by TrackId: times in which a thread does not run
  std::vector<SourceFacts> sources_;      // by SourceId
  std::vector<DeviceFacts> devices_;
  std::map<std::pair<SourceId, StringId>, std::size_t> device_numbers_;  // index in devices_
  std::vector<GraphStart> graphs_;                                       // ascending by launch
  std::vector<PartialReplay> partial_replays_;                           // ascending by launch; only for whole traces
  std::vector<std::vector<TrackId>> launching_;  // by ProcessId: the threads that issued its GPU work
  StreamWaits waits_;
  FullQueues queues_;
  std::unique_ptr<Builder> builder_;  // only in a growing index
};

}  // namespace lacuna
