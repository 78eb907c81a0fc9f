#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/causes/interval_set.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The changes of a replay. Indices are those of Replay's calls and works.
struct ReplayEdit {
  explicit ReplayEdit(std::size_t threads, std::size_t calls, std::size_t works);

  struct Scaled {
    IntervalSet where;
    double factor = 1;
  };
  std::vector<std::vector<Scaled>> cpu;  ///< by thread: durations inside the range are multiplied by the factor
  std::vector<double> work_factor;       ///< by work: multiplies its duration
  std::vector<bool> does_not_wait;       ///< by call: it returns without waiting for the GPU
  std::vector<bool> needs_no_launch;     ///< by work: the previous one starts it
  std::vector<bool> needs_no_other;      ///< by work: it waits for no other stream
  std::vector<bool> at_once;             ///< by work: no spacing before it
  std::vector<bool> not_held_back;       ///< by work: its launch latency is that of work that waits for nothing
  std::vector<bool> aside;               ///< by work: it overlaps everything, and nothing waits for it
};

/// Maps slices of some lanes to numbers; kNoIndex for those without one. Reads from any thread.
class SliceNumbers {
 public:
  /// Allocates entries for the slices of a lane; call once per lane.
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

/// A source as calls of CPU threads and works of GPU streams with their dependencies, to be replayed with
/// changes. The last dependency of each start keeps its measured delay; any other takes at
/// least kLeastDelayNs, or less if less was measured. So an unchanged replay gives the measured times.
class Replay {
 public:
  static constexpr std::uint32_t kNone = kNoIndex;
  /// The delay from the end of a dependency to the start of a work, if the trace itself shows no such wait.
  static constexpr Nanos kLeastDelayNs = 5'000;

  struct Call {  ///< a runtime call that launched something or waited for it
    TimeSpan span;
    SliceId slice;
    StringId name;
    std::uint32_t thread = 0;           ///< index in threads()
    std::uint32_t waits_for = kNone;    ///< the work whose end released it
    std::uint32_t handed_over = kNone;  ///< the call of another thread that had to end before it could begin
  };
  struct Work {  ///< a GPU activity
    TimeSpan span;
    SliceId slice;
    StringId name;
    std::uint32_t launch = kNone;
    std::uint32_t before = kNone;   ///< the latest-ending work before it on its stream
    std::uint32_t beside = kNone;   ///< else the work before it on its stream, which still ran when it started
    std::uint32_t awaited = kNone;  ///< the work on another stream that it waited for
    bool is_communication = false;
  };

  /// Replays the measured steps (steps/measured_steps.h) inside `within`, from the first one's begin until
  /// the last one and all work launched by them has ended; without steps, all work of the program inside it.
  Replay(const Trace& trace, SourceId source, TimeSpan within = TimeSpan::everything());

  const std::vector<TrackId>& threads() const { return threads_; }
  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<Work>& works() const { return works_; }
  /// The measured steps on the CPU; without steps, the window itself.
  const std::vector<TimeSpan>& steps() const { return steps_; }
  TimeSpan window() const { return window_; }
  /// Return kNone if the slice, or the track, is not in the replay.
  std::uint32_t work_of(SliceId slice) const;
  std::uint32_t thread_of(TrackId track) const;
  ReplayEdit no_change() const { return ReplayEdit(threads_.size(), calls_.size(), works_.size()); }

  /// Returns the duration of the window with the changes. O((calls + works) log n).
  Nanos play(const ReplayEdit& edit) const;
  /// Returns the busy time of the stream with the most work in the window, without works that run aside.
  Nanos busiest_stream(const Trace& trace, const ReplayEdit& edit) const;
  Nanos measured() const { return window_.duration(); }

  /// How much later each call and work could be without delaying `end`; 0 on the critical path.
  struct Slack {
    std::vector<Nanos> of_work;   ///< of the works' ends
    std::vector<Nanos> of_begin;  ///< of the calls' begins
    std::vector<Nanos> of_end;
    Nanos end = 0;
  };
  /// `last_thread`: the thread on whose work `end` depends, if any. O(calls + works).
  Slack slack(Nanos end, TrackId last_thread) const;
  /// Returns the slack of what a thread does until `t`. Nothing for threads without calls. O(log calls).
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
  /// Returns when a work was issued: at its call's return, or at its begin if the work started earlier. kMinNanos
  /// without a launch.
  Nanos issued(const Work& work) const;
  void order_ties();

  std::vector<TrackId> threads_;
  std::vector<TimeSpan> thread_spans_;  // spans of their work (span_of_work), or of all their slices
  std::vector<bool> works_at_all_;      // by thread: whether it has work
  std::vector<Call> calls_;             // ascending by start
  std::vector<Work> works_;             // ascending by start
  std::vector<TimeSpan> steps_;
  TimeSpan window_{0, 0};
  std::uint32_t step_thread_ = kNone;   // thread of the steps; kNone: there are no steps
  std::vector<std::uint32_t> ending_;   // works of the window: it ends when they are done
  std::vector<std::uint32_t> earlier_;  // works launched by steps before the window: it begins when they are done
  std::vector<Event> events_;
  std::vector<std::uint32_t> previous_call_;           // by call: the previous one on its thread
  std::vector<std::vector<std::uint32_t>> of_thread_;  // calls by thread
  SliceNumbers work_at_;
};

}  // namespace lacuna
