#include "model/path/critical_path.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "model/base/parallel.h"
#include "model/base/stable_sort.h"
#include "model/causes/gap_rules.h"
#include "model/causes/known_names.h"
#include "model/causes/stream_waits.h"
#include "model/path/thread_work.h"
#include "model/statistics/statistics.h"

namespace lacuna {
namespace {

/// Moves without progress in time, after which the path stays where it is: clocks may disagree.
constexpr int kMostMoves = 4;

/// Kineto's span of its own recording ("PyTorch Profiler (0)") lasts as long as everything else and is nobody's work.
bool is_span_of_recording(const Trace& trace, const Track& track) {
  const Lane& lane = trace.lane(track.first_lane);
  return lane.size() > 0 && is_recording(trace, lane.category(0));
}

/// Threads that look at those of the trace: mostly two of these have nearly all slices.
constexpr unsigned kWorkers = 2;

class PathWalker {
 public:
  PathWalker(const Trace& trace, CriticalPath& path)
      : trace_(trace), path_(path), is_sync_(trace.strings(), is_synchronising_call) {
    std::vector<TrackId> ids;
    for (const Track& track : trace.tracks()) {
      if (trace.process(track.process).source != path.source || track.lane_count == 0) continue;
      if (is_span_of_recording(trace, track)) continue;
      if (track.kind == TrackKind::kThread) ids.push_back(track.id);
      if (track.kind == TrackKind::kGpuStream) streams_.push_back(track.id);
    }
    sort_stably(ids, std::ranges::greater{}, [&](TrackId id) { return trace.track(id).slice_count; });
    std::vector<std::optional<ThreadWork>> made(ids.size());
    parallel_for(ids.size() + 1, kWorkers, [&](std::size_t i) {
      if (i < ids.size())
        made[i].emplace(trace, ids[i], path.range);
      else
        waits_ = StreamWaits(trace);
    });
    for (std::optional<ThreadWork>& thread : made)
      if (!thread->recorded.empty()) threads_.push_back(std::move(*thread));
    std::ranges::sort(threads_, {}, &ThreadWork::thread);
    hints_.resize(threads_.size());
  }

  void walk(TrackId thread) {
    t_ = path_.range.end;
    thread_ = find_thread(thread);
    if (!thread.valid()) begin_at_last();
    home_ = thread_;
    while (t_ > path_.range.begin) {
      const Nanos before = t_;
      if (activity_.valid())
        leave_activity();
      else if (thread_ != nullptr)
        follow_thread();
      else
        put({PathKind::kNothing, {path_.range.begin, t_}, {}, {}});
      moves_ = t_ < before ? 0 : moves_ + 1;
    }
    std::ranges::reverse(path_.parts);
  }

 private:
  const ThreadWork* find_thread(TrackId id) const {
    for (const ThreadWork& thread : threads_)
      if (thread.thread == id) return &thread;
    return nullptr;
  }

  /// Emits [begin, t) and goes to its begin. Parts come last first.
  void put(PathPart part) {
    part.span.begin = std::clamp(part.span.begin, path_.range.begin, t_);
    part.span.end = t_;
    t_ = part.span.begin;
    if (part.span.empty()) return;
    if (!path_.parts.empty()) {
      PathPart& later = path_.parts.back();
      if (later.kind == part.kind && later.slice == part.slice && later.track == part.track) {
        later.span.begin = part.span.begin;
        return;
      }
    }
    path_.parts.push_back(part);
  }

  /// What ends last inside the range; of equals an activity.
  void begin_at_last() {
    Nanos last = kMinNanos;
    for (const TrackId id : streams_)
      if (const SliceId slice = last_started_before(id, path_.range.end); slice.valid()) {
        const Nanos end = std::min(trace_.span(slice).end, path_.range.end);
        if (end > last) {
          last = end;
          activity_ = slice;
        }
      }
    for (const ThreadWork& thread : threads_) {
      // What is innermost last: nothing, and before it a slice.
      const InnermostStretch& stretch = thread.stretches.back();
      const Nanos end = stretch.slice.valid() ? path_.range.end : stretch.begin;
      if (end > last) {
        last = end;
        thread_ = &thread;
        activity_ = {};
      }
    }
    if (last == kMinNanos) return;
    // Nothing at all happens until the range's end.
    const TrackId where = activity_.valid() ? trace_.lane(activity_).track : thread_->thread;
    put({PathKind::kNothing, {last, t_}, {}, where});
    if (thread_ == nullptr && !threads_.empty())
      thread_ = &*std::ranges::max_element(threads_, {}, [](const ThreadWork& t) { return t.work_until.back(); });
  }

  template <class Accept>
  SliceId latest_on(TrackId stream, Nanos t, Accept&& accept) const {
    SliceId best;
    const Track& track = trace_.track(stream);
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = lane.first_starting_from(t == kMaxNanos ? t : t + 1); i-- > 0;) {
        if (!is_gpu_activity(trace_.category_class(lane.category(i))) || !accept(lane.span(i))) continue;
        if (!best.valid() || lane.end(i) > trace_.span(best).end) best = {id, i};
        break;
      }
    }
    return best;
  }
  SliceId last_started_before(TrackId stream, Nanos t) const {
    return latest_on(stream, t, [t](TimeSpan span) { return span.begin < t; });
  }
  SliceId last_ended_until(TrackId stream, Nanos t) const {
    return latest_on(stream, t, [t](TimeSpan span) { return span.end <= t; });
  }

  /// The activity whose end let a call go that was under way at t_; invalid when the call did not wait.
  SliceId released_by(SliceId call) {
    const Nanos begin = trace_.span(call).begin;
    SliceId best;
    const auto consider = [&](SliceId activity) {
      const Nanos end = trace_.span(activity).end;
      if (end > begin && end <= t_ && (!best.valid() || end > trace_.span(best).end)) best = activity;
    };
    // Its own: a copy that blocks.
    for (const LaunchLink& link : trace_.links().activities_of(call)) consider(link.activity);
    if (best.valid() || !is_sync_(trace_.lane(call).name(call.index))) return best;
    for (const TrackId stream : streams_)
      if (const SliceId activity = last_ended_until(stream, t_); activity.valid()) consider(activity);
    return best;
  }

  void follow_thread() {
    const InnermostStretch& stretch = thread_->before(t_, hints());
    const SliceId slice = stretch.slice;
    const PathKind kind = slice.valid() ? PathKind::kSlice : PathKind::kNothing;
    const TimeSpan work = thread_->work_before(t_, hints());
    Nanos until = stretch.begin;
    if (moves_ < kMostMoves) {
      if (work.end < t_) {
        const Handover handover = find_handover({work.end, t_}, slice.valid() ? kMaxNanos : until);
        if (handover.thread != nullptr && handover.time >= until) {
          put({kind, {handover.time, t_}, slice, thread_->thread});
          thread_ = handover.thread;
          return;
        }
      } else if (slice.valid() && trace_.category_class(slice) == CategoryClass::kRuntime) {
        if (const SliceId activity = released_by(slice); activity.valid()) {
          put({kind, {trace_.span(activity).end, t_}, slice, thread_->thread});
          activity_ = activity;
          return;
        }
      }
    }
    put({kind, {until, t_}, slice, thread_->thread});
  }

  /// Whom the thread waited for that had no work open in `silence`, and nothing at all open from `nothing_from` on:
  /// of its process's threads the one that worked for most of it and was done last; where the thread had nothing open,
  /// any that had something open for most of that time.
  struct Handover {
    const ThreadWork* thread = nullptr;
    Nanos time = kMinNanos;
  };
  Handover find_handover(TimeSpan silence, Nanos nothing_from) const {
    const ProcessId process = trace_.track(thread_->thread).process;
    const TimeSpan nothing{nothing_from, silence.end};
    Handover best;
    const auto consider = [&](const ThreadWork& other, Nanos end, Nanos part, TimeSpan of) {
      if (end > of.begin && end <= of.end && end > best.time && part >= of.duration() / kHandoverShare)
        best = {&other, end};
    };
    for (const ThreadWork& other : threads_) {
      if (&other == thread_ || trace_.track(other.thread).process != process) continue;
      if (silence.duration() >= kShortestHandoverNs)
        consider(other, other.work_before(silence.end).end, other.work_in(silence), silence);
      if (nothing.duration() >= kShortestHandoverNs)
        consider(other, std::min(other.recorded_before(nothing.end).end, nothing.end), other.recorded_in(nothing),
                 nothing);
    }
    return best;
  }

  void leave_activity() {
    const SliceId activity = activity_;
    const TimeSpan span = trace_.span(activity);
    const TrackId track = trace_.lane(activity).track;
    put({PathKind::kSlice, {span.begin, t_}, activity, track});
    activity_ = {};
    // What allowed it to start, the last one of these.
    SliceId before;
    Nanos ready = kMinNanos;
    if (moves_ < kMostMoves) {
      const auto consider = [&](SliceId other) {
        if (!other.valid() || other == activity) return;
        const Nanos end = trace_.span(other).end;
        if (end <= t_ && end > ready) {
          ready = end;
          before = other;
        }
      };
      consider(latest_on(track, t_, [&](TimeSpan s) { return s.end <= t_ && s != span; }));
      consider(waits_.target(trace_, activity));
    }
    const SliceId launch = trace_.links().launch_of(activity);
    const Nanos issued = launch.valid() ? trace_.span(launch).begin : kMinNanos;
    if (before.valid() && (!launch.valid() || issued <= ready)) {
      put({PathKind::kQueue, {ready, t_}, activity, track});
      activity_ = before;
      return;
    }
    if (launch.valid()) {
      // Issued long ago, and something beside it was done just now: it waited for that.
      const Nanos wait = t_ - std::max(trace_.span(launch).end, ready);
      if (moves_ < kMostMoves && wait > kLaunchLatencyNs) {
        SliceId beside;
        for (const TrackId stream : streams_)
          if (const SliceId other = last_ended_until(stream, t_);
              other.valid() && trace_.span(other).end > t_ - wait &&
              (!beside.valid() || trace_.span(other).end > trace_.span(beside).end))
            beside = other;
        if (beside.valid() && t_ - trace_.span(beside).end <= std::max(kReleaseDelayNs, wait / kReleaseShare)) {
          put({PathKind::kQueue, {trace_.span(beside).end, t_}, activity, track});
          activity_ = beside;
          return;
        }
      }
      put({PathKind::kLaunchLatencyNs, {trace_.span(launch).end, t_}, activity, track});
      if (const ThreadWork* thread = find_thread(trace_.lane(launch).track)) {
        thread_ = thread;
        return;
      }
    }
    thread_ = home_ == nullptr ? thread_ : home_;
  }

  const Trace& trace_;
  CriticalPath& path_;
  StreamWaits waits_;
  NameMemo is_sync_;
  ThreadWork::Hints& hints() { return hints_[static_cast<std::size_t>(thread_ - threads_.data())]; }

  std::vector<ThreadWork> threads_;
  std::vector<ThreadWork::Hints> hints_;
  std::vector<TrackId> streams_;
  const ThreadWork* thread_ = nullptr;
  const ThreadWork* home_ = nullptr;
  SliceId activity_;
  Nanos t_ = 0;
  int moves_ = 0;
};

}  // namespace

CriticalPath find_critical_path(const Trace& trace, const PathOptions& options) {
  // What each source has in the range.
  std::vector<TimeSpan> spans(trace.sources().size(), TimeSpan::nothing());
  for (const Track& track : trace.tracks())
    if (track.lane_count > 0 && traits_of(track.kind).is_work && !is_span_of_recording(trace, track))
      spans[trace.process(track.process).source.value] =
          spans[trace.process(track.process).source.value].unite(track.span);
  CriticalPath path;
  path.source = options.source.value_or(SourceId{0});
  if (!options.source) {
    Nanos last = kMinNanos;
    for (std::uint32_t s = 0; s < spans.size(); ++s) {
      const TimeSpan part = spans[s].intersect(options.range);
      if (!part.empty() && part.end > last) {
        last = part.end;
        path.source = SourceId{s};
      }
    }
  }
  if (path.source.value >= spans.size()) return path;
  // A range that was asked for is accounted for as a whole.
  path.range = {options.range.begin == kMinNanos ? spans[path.source.value].begin : options.range.begin,
                options.range.end == kMaxNanos ? spans[path.source.value].end : options.range.end};
  if (path.range.empty()) {
    path.range = {path.range.begin, path.range.begin};
    return path;
  }
  PathWalker(trace, path).walk(options.thread);
  return path;
}

std::string_view path_name(const Trace& trace, const PathPart& part) {
  return part.slice.valid() ? trace.name(part.slice) : "(nothing recorded)";
}

std::string_view path_category(const Trace& trace, const PathPart& part) {
  switch (part.kind) {
    case PathKind::kSlice:
      return trace.category_name(trace.lane(part.slice).category(part.slice.index));
    case PathKind::kLaunchLatencyNs:
      return "launch_latency";
    case PathKind::kQueue:
      return "queue";
    case PathKind::kNothing:
      break;
  }
  return "idle";
}

std::string path_lane(const Trace& trace, const PathPart& part) {
  if (!part.track.valid()) return {};
  const Track& track = trace.track(part.track);
  std::string name(trace.text(track.name));
  if (track.kind == TrackKind::kGpuStream && !trace.text(track.device).empty())
    name = "GPU " + std::string(trace.text(track.device)) + " " + name;
  const std::string& label = trace.source_of(track).label;
  return label.empty() ? name : label + " " + name;
}

}  // namespace lacuna
