// What a program did of which only thread states and sampled stacks are known.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/report/report_parts.h"
#include "model/threads/program_threads.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

/// Self and total times of sampled frames, by name.
class FunctionSums {
 public:
  explicit FunctionSums(const Trace& trace) : trace_(trace) {}

  void add(const Track& track, TimeSpan window) {
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const TimeSpan inside = lane.span(i).intersect(window);
        if (inside.empty()) continue;
        const SliceId slice{id, i};
        SampledFunction& sum = by_name_[lane.name(i).value];
        sum.name = lane.name(i);
        Nanos self = inside.duration();
        trace_.for_each_child(slice, [&](SliceId child) { self -= trace_.span(child).intersect(window).duration(); });
        sum.self += std::max<Nanos>(self, 0);
        if (!is_inside_itself(slice)) sum.total += inside.duration();
        ++sum.places;
        if (!sum.longest.valid() || lane.span(i).duration() > trace_.span(sum.longest).duration()) sum.longest = slice;
      }
    }
  }

  std::vector<SampledFunction> rows() const {
    std::vector<SampledFunction> rows;
    for (const auto& [name, sum] : by_name_) rows.push_back(sum);
    std::ranges::sort(rows, [&](const SampledFunction& a, const SampledFunction& b) {
      if (a.self != b.self) return a.self > b.self;
      if (a.total != b.total) return a.total > b.total;
      return trace_.text(a.name) < trace_.text(b.name);
    });
    return rows;
  }

 private:
  bool is_inside_itself(SliceId slice) const {
    const StringId name = trace_.lane(slice).name(slice.index);
    for (SliceId above = trace_.parent(slice); above.valid(); above = trace_.parent(above))
      if (trace_.lane(above).name(above.index) == name) return true;
    return false;
  }

  const Trace& trace_;
  std::unordered_map<std::uint32_t, SampledFunction> by_name_;
};

bool is_of_program(const Trace& trace, const Track& track, SourceId source) {
  return traits_of(track.kind).is_observed && track.slice_count > 0 && trace.process(track.process).source == source;
}

using Threads = std::vector<ProgramThread>;
using Group = std::vector<const ProgramThread*>;

Nanos sum_of(const Group& group, const std::function<Nanos(const ProgramThread&)>& time) {
  Nanos sum = 0;
  for (const ProgramThread* thread : group) sum += time(*thread);
  return sum;
}

/// How long one of the threads or more lived.
Nanos lived(const Group& group) {
  std::vector<TimeSpan> alive;
  for (const ProgramThread* thread : group) alive.push_back(thread->alive);
  return IntervalSet(std::move(alive)).covered(TimeSpan::everything());
}

/// The mean number of the threads that lived while any of them did.
double crowd(const Group& group) {
  const Nanos alive = sum_of(group, [](const ProgramThread& thread) { return thread.alive.duration(); });
  return std::max(1.0, TimeUse::part(alive, lived(group)));
}

/// The threads that the report is about.
Group leading_threads(const Threads& threads, TimeSpan window) {
  std::map<std::string_view, Group> groups;
  for (const ProgramThread& thread : threads) groups[thread.entry].push_back(&thread);
  std::set<std::string_view> lasting;
  for (const auto& [entry, group] : groups)
    if (lived(group) * 2 >= window.duration()) lasting.insert(entry);
  const auto longest = [&](const ProgramThread& thread) {  // sampled where nothing says whether it ran
    return std::tuple(lasting.contains(thread.entry), thread.active(),
                      thread.seen.has_states() ? Nanos{0} : thread.alive.duration());
  };
  const ProgramThread& first = *std::ranges::max_element(threads, {}, longest);
  const Group& its = groups.at(first.entry);
  const auto waits_for_others = [](const ProgramThread& thread) {
    return thread.at(ProgramKind::kPoll) + thread.at(ProgramKind::kLock);
  };
  const Nanos alive = sum_of(its, [](const ProgramThread& thread) { return thread.alive.duration(); });
  if (sum_of(its, waits_for_others) * 2 < alive || groups.size() == 1) return its;
  // It waits for the others: those that do the most are asked, among those that ran nearly as much as any.
  Nanos most_active = 0;
  for (const auto& [entry, group] : groups)
    if (&group != &its) most_active = std::max(most_active, sum_of(group, &ProgramThread::active));
  const Group* leading = &its;
  Nanos most = sum_of(its, &ProgramThread::own_doing);
  constexpr Nanos kNearly = 4;
  for (const auto& [entry, group] : groups) {
    const Nanos doing = sum_of(group, &ProgramThread::own_doing);
    if (sum_of(group, &ProgramThread::active) * kNearly < most_active || doing <= most) continue;
    most = doing;
    leading = &group;
  }
  return *leading;
}

using Processes = std::map<ProcessId, Threads>;

/// The process that a user means by the program: of those that last, the one that runs most. What it started for a
/// moment may have run more; a helper that lasts as long as it, as multiprocessing's resource_tracker, runs little: in
/// doubt it is the one that began first.
ProcessId working_process(const Processes& processes, TimeSpan window) {
  struct Work {
    Nanos running = 0, sampled = 0;
    TimeSpan alive = TimeSpan::nothing();
  };
  std::map<ProcessId, Work> works;
  Nanos most = 0;
  for (const auto& [id, threads] : processes) {
    Work& work = works[id];
    for (const ProgramThread& thread : threads) {
      work.running += thread.at(ProgramKind::kRunning);
      if (!thread.seen.parts.empty()) work.sampled = std::max(work.sampled, thread.alive.duration());
      work.alive = work.alive.unite(thread.alive);
    }
    most = std::max(most, work.running);
  }
  const auto& [lasting, its] = *std::ranges::max_element(works, {}, [&](const auto& work) {
    const auto& [running, sampled, alive] = work.second;
    return std::tuple(alive.duration() * 2 >= window.duration(), running, sampled);
  });
  const auto& [first, of_first] =
      *std::ranges::min_element(works, {}, [](const auto& work) { return work.second.alive.begin; });
  constexpr Nanos kClearly = 2, kLittle = 4;
  const bool is_clear = its.running > of_first.running * kClearly && its.running * kLittle >= most;
  return is_clear || most == 0 ? lasting : first;
}

/// What the mean thread of the group did while any of them lived.
void sum_kinds(const Group& group, TimeSpan window, ProgramReport& program) {
  const double threads = crowd(group);
  Nanos known = 0;
  for (std::size_t k = 0; k + 1 < kProgramKindCount; ++k) {
    const Nanos time = sum_of(group, [&](const ProgramThread& thread) { return thread.by_kind[k]; });
    program.by_kind[k] = std::min(static_cast<Nanos>(static_cast<double>(time) / threads), window.duration() - known);
    known += program.by_kind[k];
  }
  program.by_kind[static_cast<std::size_t>(ProgramKind::kNotSeen)] = window.duration() - known;
}

void find_places(const Trace& trace, const Group& group, TimeSpan window, ProgramReport& program) {
  for (std::size_t k = 0; k < kProgramKindCount; ++k) {
    PlaceSums sums(trace);
    for (const ProgramThread* thread : group)
      sums.add(thread->seen.parts, thread->when({static_cast<ProgramKind>(k)}, window));
    program.places[k] = sums.rows();
  }
}

void find_works(const Trace& trace, const Group& group, TimeSpan window, ProgramReport& program) {
  KnownWorkFinder finder(trace);
  const double threads = crowd(group);
  for (std::size_t w = 0; w < kKnownWorkCount; ++w) {
    const auto work = static_cast<KnownWork>(w);
    PlaceSums sums(trace);
    for (const ProgramThread* thread : group) {
      std::vector<SampledPart> parts;
      std::ranges::copy_if(thread->seen.parts, std::back_inserter(parts),
                           [&](const SampledPart& part) { return finder.is(work, part.innermost); });
      // What holds up an event loop is what it waits for, but for the next event.
      std::vector<TimeSpan> spans = {window};
      if (work == KnownWork::kEventLoop) {
        using enum ProgramKind;
        spans = thread->when({kLock, kFiles, kNetwork, kSleep, kChild, kDevice}, window);
      }
      sums.add(parts, spans);
    }
    program.works[w].share = TimeUse::part(sums.total(), window.duration()) / threads;
    if (std::vector<SeenPlace> rows = sums.rows(); !rows.empty()) program.works[w].place = rows.front();
  }
}

/// Threads wait by design in queues, events, joins and conditions, which is no contention.
bool waits_by_design(const Trace& trace, const SeenPlace& place) {
  if (trace.category_name(trace.lane(place.slice).category(place.slice.index)) == kNativeSampleCategory) {
    for (SliceId at = place.slice; at.valid(); at = trace.parent(at))
      if (trace.name(at).find("mutex_lock") != std::string_view::npos ||
          trace.name(at).find("lll_lock") != std::string_view::npos)
        return false;
    return true;
  }
  SliceId own, called;
  find_own_frame(trace, place.slice, own, called);
  for (SliceId at = place.slice; at.valid() && at != own; at = trace.parent(at))
    for (const std::string_view file :
         {"threading.py(", "queue.py(", "selectors.py(", "multiprocessing/", "concurrent/"})
      if (trace.name(at).starts_with(file)) return true;
  return false;
}

void find_contention(const Trace& trace, const Threads& threads, const Group& leading, TimeSpan window,
                     ProgramReport& program) {
  const ProgramThread* most = nullptr;
  for (const ProgramThread& thread : threads) {
    const std::vector<TimeSpan> locked = thread.when({ProgramKind::kLock}, window);
    if (locked.empty() || std::ranges::find(leading, &thread) != leading.end()) continue;
    PlaceSums sums(trace);
    sums.add(thread.seen.parts, locked);
    std::vector<SeenPlace> rows = sums.rows();
    std::erase_if(rows, [&](const SeenPlace& place) { return waits_by_design(trace, place); });
    Nanos own = 0;
    for (const SeenPlace& place : rows) own += place.time;
    if (rows.empty() || own <= program.contention.waited) continue;
    program.contention = {own, thread.track, rows.front(), {}};
    most = &thread;
  }
  if (most != nullptr)
    program.contention.meanwhile =
        doing_meanwhile(trace, threads, most->when({ProgramKind::kLock}, window), window, most);
}

}  // namespace

TimeSpan window_of_program(const Trace& trace, SourceId source) {
  TimeSpan window = TimeSpan::nothing();
  for (const Track& track : trace.tracks())
    if (is_of_program(trace, track, source)) window = window.unite(track.span);
  return window;
}

Bound judge_program(const ProgramReport& program, Nanos window) {
  using enum ProgramKind;
  Nanos waiting = 0;
  for (const ProgramKind kind : {kLock, kGil, kFiles, kNetwork, kPoll, kSleep, kChild, kDevice, kWaiting})
    waiting += program.at(kind);
  if (program.at(kGil) * kGilPart >= window && (program.at(kGil) + program.at(kRunning)) * 2 >= window)
    return Bound::kProgramGil;
  if (program.at(kRunning) * 2 >= window) return Bound::kProgramRunning;
  if (program.at(kPreempted) * 2 >= window)
    return program.limits.throttled >= kThrottledEnough ? Bound::kProgramQuota : Bound::kProgramPreempted;
  if (waiting * 2 >= window) return Bound::kCpuWaiting;
  if (program.at(kSampled) * 2 >= window) return Bound::kProgramSampled;
  return program.at(kNotSeen) * 2 >= window ? Bound::kCpuUnrecorded : Bound::kCpuMixed;
}

ProgramReport report_program(const Trace& trace, SourceId source, TimeSpan window) {
  ProgramReport program;
  Processes processes;
  for (const Track& track : trace.tracks())
    if (is_of_program(trace, track, source) && !processes.contains(track.process))
      processes.emplace(track.process, threads_from_outside(trace, track.process, window));
  std::erase_if(processes, [](const auto& entry) { return entry.second.empty(); });
  if (processes.empty()) return program;
  const auto chosen = processes.find(working_process(processes, window));
  const Threads& threads = chosen->second;
  const Group leading = leading_threads(threads, window);
  program.is_known = true;
  program.process = chosen->first;
  program.other_processes = processes.size() - 1;
  program.thread = (*std::ranges::max_element(leading, {}, [](const ProgramThread* thread) {
                     return std::pair(thread->active(), thread->alive.duration());
                   }))->track;
  program.leading_count = leading.size();
  if (leading.size() > 1) program.entry = leading.front()->entry_name;
  for (const ProgramThread& thread : threads) {
    program.all_running += thread.at(ProgramKind::kRunning);
    program.all_preempted += thread.at(ProgramKind::kPreempted);
    program.thread_count += thread.seen.has_states();
    program.active_count += TimeUse::part(thread.active(), window.duration()) >= kActiveShare;
  }
  Nanos longest = 0;
  for (const ProgramThread* thread : leading)
    for (std::size_t i = 0; i < thread->kinds.size(); ++i) {
      const Nanos inside = thread->seen.states[i].span.intersect(window).duration();
      if (thread->kinds[i] == ProgramKind::kRunning || inside <= longest) continue;
      longest = inside;
      program.longest_wait = thread->seen.states[i].slice;
    }
  sum_kinds(leading, window, program);
  find_places(trace, leading, window, program);
  find_works(trace, leading, window, program);
  find_contention(trace, threads, leading, window, program);

  std::vector<TimeSpan> held_up, of_others;
  for (const ProgramThread* thread : leading) {
    const auto add = [&](std::vector<TimeSpan>& to, std::initializer_list<ProgramKind> kinds) {
      const std::vector<TimeSpan> spans = thread->when(kinds, window);
      to.insert(to.end(), spans.begin(), spans.end());
    };
    add(held_up, {ProgramKind::kLock, ProgramKind::kGil});
    add(of_others, {ProgramKind::kLock, ProgramKind::kChild, ProgramKind::kPoll, ProgramKind::kFiles});
  }
  const IntervalSet while_held_up(std::move(held_up)), while_others(std::move(of_others));
  program.meanwhile = doing_meanwhile(trace, threads, while_held_up.intervals(), window);
  PlaceSums of_processes(trace);
  for (const auto& [process, others] : processes)
    if (process != program.process) add_meanwhile(others, while_others, window, of_processes);
  program.children = of_processes.rows();
  program.limits = read_machine_limits(trace, source, window);

  FunctionSums functions(trace);
  for (const ProgramThread& thread : threads)
    if (thread.seen.has_stacks()) functions.add(trace.track(thread.seen.stack_track), window);
  program.functions = functions.rows();
  for (const SampledFunction& function : program.functions) program.sampled += function.self;
  return program;
}

}  // namespace lacuna
