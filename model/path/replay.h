#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/causes/interval_set.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What is different in a replay. Indices are those of Replay's calls and works.
struct ReplayEdit {
  explicit ReplayEdit(std::size_t threads, std::size_t calls, std::size_t works);

  struct Scaled {
    IntervalSet where;
    double factor = 1;
  };
  std::vector<std::vector<Scaled>> cpu;  ///< by thread: time inside takes factor times as long
  std::vector<double> work_factor;       ///< by work
  std::vector<bool> does_not_wait;       ///< by call: returns without waiting for the GPU
  std::vector<bool> needs_no_launch;     ///< by work: started by what is before it
  std::vector<bool> needs_no_other;      ///< by work: waits for no other stream
  std::vector<bool> at_once;             ///< by work: no spacing before it
  std::vector<bool> not_held_back;       ///< by work: starts as soon after its launch as work that waits for nothing
  std::vector<bool> aside;               ///< by work: runs beside everything else, and nothing waits for it
};

/// A number for slices of some lanes; kNoIndex for those that were given none. Reads from any thread.
class SliceNumbers {
 public:
  /// Room for the slices of a lane; of each lane once.
  void add_lane(LaneId lane, std::uint32_t slices);
  void set(SliceId slice, std::uint32_t number) { numbers_[begins_[slice.lane.value] + slice.index] = number; }
  std::uint32_t at(SliceId slice) const {
    if (!slice.valid() || slice.lane.value >= begins_.size() || begins_[slice.lane.value] == kNoLane) return kNoIndex;
    return numbers_[begins_[slice.lane.value] + slice.index];
  }

 private:
  static constexpr std::size_t kNoLane = ~std::size_t{0};
  std::vector<std::size_t> begins_;  // by lane
  std::vector<std::uint32_t> numbers_;
};

/// A source as calls of CPU threads and works of GPU streams that depend on each other, to be played again with
/// changes. What a start was waiting for last keeps its measured delay; anything else it could have waited for needs at
/// least kLeastDelayNs, or less where less was measured. So an unchanged replay gives the measured times.
class Replay {
 public:
  static constexpr std::uint32_t kNone = kNoIndex;
  /// The delay from the end of what a work waits for to its start, where the trace itself shows no such wait.
  static constexpr Nanos kLeastDelayNs = 5'000;

  struct Call {  ///< a runtime call that launched something or waited for it
    TimeSpan span;
    SliceId slice;
    StringId name;
    std::uint32_t thread = 0;           ///< index in threads()
    std::uint32_t waits_for = kNone;    ///< the work whose end let it return
    std::uint32_t handed_over = kNone;  ///< the call of another thread after whose end it could begin
  };
  struct Work {  ///< a GPU activity
    TimeSpan span;
    SliceId slice;
    StringId name;
    std::uint32_t launch = kNone;
    std::uint32_t before = kNone;   ///< the one before it on its stream that ended last
    std::uint32_t awaited = kNone;  ///< on another stream
    bool is_communication = false;
  };

  /// What is played: the measured steps (steps/measured_steps.h) inside `within`, from the first one's begin to when
  /// the last one and all that they launched has ended; without steps, all work of the program inside it.
  Replay(const Trace& trace, SourceId source, TimeSpan within = TimeSpan::everything());

  const std::vector<TrackId>& threads() const { return threads_; }
  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<Work>& works() const { return works_; }
  /// The measured steps on the CPU; without any, the window itself.
  const std::vector<TimeSpan>& steps() const { return steps_; }
  TimeSpan window() const { return window_; }
  /// kNone where the slice, or the track, is no such thing.
  std::uint32_t work_of(SliceId slice) const;
  std::uint32_t thread_of(TrackId track) const;
  ReplayEdit no_change() const { return ReplayEdit(threads_.size(), calls_.size(), works_.size()); }

  /// How long the window takes. O((calls + works) log n).
  Nanos play(const ReplayEdit& edit) const;
  /// How long the stream with the most work in the window would be busy with it, what runs aside left out.
  Nanos busiest_stream(const Trace& trace, const ReplayEdit& edit) const;
  Nanos measured() const { return window_.duration(); }

  /// By how much each work could be later before `end` came later; 0 for what `end` depends on.
  struct Slack {
    std::vector<Nanos> of_work;   ///< of their ends
    std::vector<Nanos> of_begin;  ///< of calls
    std::vector<Nanos> of_end;
    Nanos end = 0;
  };
  /// `last_thread`: on whose work `end` depends, if on a thread's. O(calls + works).
  Slack slack(Nanos end, TrackId last_thread) const;
  /// The slack of what a thread does until `t`. Nothing for threads without calls. O(log calls).
  std::optional<Nanos> slack_of_thread(const Slack& slack, TrackId thread, Nanos t) const;

 private:
  struct Event {
    Nanos time;
    std::uint8_t kind;  // 0: a call begins, 1: a work, 2: a call ends
    std::uint32_t index;
  };
  Nanos cpu_time(const ReplayEdit& edit, std::uint32_t thread, TimeSpan span) const;
  void find_window(const Trace& trace, SourceId source, TimeSpan within);
  void link_threads(const Trace& trace);
  void list_events();
  /// When work was handed over: as its call returned, or began where the work started before that. kMinNanos without a
  /// launch.
  Nanos issued(const Work& work) const;
  void order_ties();

  std::vector<TrackId> threads_;
  std::vector<TimeSpan> thread_spans_;  // of their work (span_of_work), or of all that they have
  std::vector<bool> works_at_all_;      // by thread: it has work
  std::vector<Call> calls_;             // ascending by start
  std::vector<Work> works_;             // ascending by start
  std::vector<TimeSpan> steps_;
  TimeSpan window_{0, 0};
  std::uint32_t step_thread_ = kNone;   // of the steps; kNone: there are none
  std::vector<std::uint32_t> ending_;   // works of the window: it ends when they are done
  std::vector<std::uint32_t> earlier_;  // works that steps before it left behind: it begins when they are done
  std::vector<Event> events_;
  std::vector<std::uint32_t> previous_call_;           // by call, on its thread
  std::vector<std::vector<std::uint32_t>> of_thread_;  // calls by thread
  SliceNumbers work_at_;
};

}  // namespace lacuna
