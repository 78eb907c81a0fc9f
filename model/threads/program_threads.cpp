#include "model/threads/program_threads.h"

#include <algorithm>
#include <string>

#include "model/base/ascii.h"
#include "model/causes/interval_set.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

struct KindText {
  std::string_view state;  ///< name of its slices
  std::string_view name, key, definition;
};

// By ProgramKind. Reads and writes are one kind; their second state is below.
constexpr std::array<KindText, kProgramKindCount> kKinds{{
    {kRunningState, "running", "running", "The thread had a CPU: its own code, or the kernel's on its behalf."},
    {kPreemptedState, "waiting for a CPU", "preempted",
     "The thread could have run, but others had the CPUs, or a limit of the container was reached."},
    {"waiting: lock", "waiting for a lock", "lock", "In futex(): a lock, a condition, a queue, the end of a thread."},
    {kGilState, "waiting for the GIL", "gil",
     "In futex(), for the lock of Python's interpreter: another thread ran Python."},
    {"waiting: read", "waiting for files", "files", "In a read or write of a file or pipe that had to wait."},
    {"waiting: network", "waiting for the network", "network", "In a call that receives, sends, accepts or connects."},
    {"waiting: poll", "polling", "poll", "In poll(), select() or epoll: for the first of several things to happen."},
    {"waiting: sleep", "sleeping", "sleep", "In nanosleep(): for time to pass."},
    {"waiting: child", "waiting for a child", "child", "In wait(): for a process that it started."},
    {"waiting: device", "waiting for a device", "device", "In ioctl(): for a driver, such as the GPU's."},
    {kWaitingState, "waiting", "waiting",
     "It did not run, and its call was not seen: page faults, short waits. Where some short waits were "
     "seen, the others are divided in the same proportions."},
    {"", "in sampled stacks", "sampled", "Its stacks were sampled, and not whether it ran or waited."},
    {"", "not seen", "notSeen", "Before the thread began, after it ended, or while it was not observed."},
}};

ProgramKind kind_of_state(std::string_view state) {
  if (state == "waiting: write") return ProgramKind::kFiles;
  for (std::size_t k = 0; k + 1 < kProgramKindCount; ++k)
    if (kKinds[k].state == state) return static_cast<ProgramKind>(k);
  return ProgramKind::kWaiting;
}

/// What every thread begins in says nothing of what it is for.
bool starts_threads(std::string_view frame) {
  constexpr std::string_view kNative[] = {"clone3",     "__clone3",         "clone",
                                          "__clone",    "start_thread",     "thread_start",
                                          "thread_run", "pythread_wrapper", "thread_run.lto_priv.0"};
  return frame.starts_with("threading.py(") || std::ranges::find(kNative, frame) != std::end(kNative);
}

/// "python3 7310 · state" → "python3"
std::string name_without_numbers(std::string_view name) {
  name = name.substr(0, name.find(" \xC2\xB7 "));
  std::string text;
  for (const char c : name)
    if (!is_digit(c)) text += c;
  return text;
}

/// Shorter waits are asked about by chance: the sampler looks every 10 ms, and later where others have the CPUs.
constexpr Nanos kShortWaitNs = 50'000'000;
constexpr std::size_t kFewestAsked = 5;

/// Of many short waits some were asked for their reason: the rest is shared out like these.
void share_out_short_waits(const Trace& trace, ProgramThread& thread, TimeSpan window) {
  std::array<Nanos, kProgramKindCount> asked{};
  Nanos all_asked = 0, unasked = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < thread.kinds.size(); ++i) {
    const TimeSpan span = thread.seen.states[i].span;
    const ProgramKind kind = thread.kinds[i];
    const Nanos inside = span.intersect(window).duration();
    if (span.duration() >= kShortWaitNs || kind == ProgramKind::kRunning || kind == ProgramKind::kPreempted) continue;
    if (trace.text(thread.seen.states[i].name) == kWaitingState) {
      unasked += inside;
      continue;
    }
    asked[static_cast<std::size_t>(kind)] += inside;
    all_asked += inside;
    ++count;
  }
  if (count < kFewestAsked || all_asked == 0) return;
  for (std::size_t k = 0; k < kProgramKindCount; ++k) {
    const auto part = static_cast<Nanos>(static_cast<double>(asked[k]) / static_cast<double>(all_asked) *
                                         static_cast<double>(unasked));
    thread.by_kind[k] += part;
    thread.by_kind[static_cast<std::size_t>(ProgramKind::kWaiting)] -= part;
  }
}

void find_entry(const Trace& trace, ProgramThread& thread) {
  const auto longest =
      std::ranges::max_element(thread.seen.parts, {}, [](const SampledPart& part) { return part.span.duration(); });
  if (longest == thread.seen.parts.end()) {
    thread.entry = name_without_numbers(trace.text(trace.track(thread.track).name));
    return;
  }
  SliceId entry = longest->innermost;
  for (SliceId at = entry; at.valid(); at = trace.parent(at))
    if (!starts_threads(trace.name(at))) entry = at;
  thread.entry_name = trace.lane(entry).name(entry.index);
  thread.entry = trace.text(thread.entry_name);
}

}  // namespace

std::string_view program_kind_name(ProgramKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].name;
}
std::string_view program_kind_key(ProgramKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].key;
}
std::string_view program_kind_definition(ProgramKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].definition;
}

Nanos ProgramThread::own_doing() const {
  if (!is_own) return active();
  Nanos sum = 0;
  for (const ProgramKind kind : kOwnDoing) sum += at(kind);
  return sum;
}

std::vector<TimeSpan> ProgramThread::when(std::initializer_list<ProgramKind> of, TimeSpan window) const {
  std::vector<TimeSpan> spans;
  if (!seen.has_states() && std::ranges::find(of, ProgramKind::kSampled) != of.end()) {
    for (const SampledPart& part : seen.parts) spans.push_back(part.span);
    const IntervalSet sampled(std::move(spans));
    const IntervalSet inside = common(sampled, IntervalSet({window}));
    return {inside.intervals().begin(), inside.intervals().end()};
  }
  const auto first = std::ranges::upper_bound(seen.states, window.begin, {},
                                              [](const ThreadFromOutside::State& state) { return state.span.end; });
  for (auto i = static_cast<std::size_t>(first - seen.states.begin()); i < kinds.size(); ++i) {
    if (seen.states[i].span.begin >= window.end) break;
    const TimeSpan inside = seen.states[i].span.intersect(window);
    if (!inside.empty() && std::ranges::find(of, kinds[i]) != of.end()) spans.push_back(inside);
  }
  return spans;
}

std::vector<ProgramThread> threads_from_outside(const Trace& trace, ProcessId process, TimeSpan window) {
  std::vector<ProgramThread> threads;
  for (auto& [tid, seen] : see_process_from_outside(trace, process)) {
    ProgramThread thread;
    thread.tid = tid;
    thread.track = seen.has_states() ? seen.state_track : seen.stack_track;
    thread.alive = trace.track(thread.track).span.intersect(window);
    if (thread.alive.empty()) continue;
    thread.seen = std::move(seen);
    for (const ThreadFromOutside::State& state : thread.seen.states) {
      const ProgramKind kind = kind_of_state(trace.text(state.name));
      thread.kinds.push_back(kind);
      thread.by_kind[static_cast<std::size_t>(kind)] += state.span.intersect(window).duration();
    }
    share_out_short_waits(trace, thread, window);
    for (const TimeSpan span : thread.when({ProgramKind::kSampled}, window))
      thread.by_kind[static_cast<std::size_t>(ProgramKind::kSampled)] += span.duration();
    thread.is_own = thread.seen.parts.empty() ||
                    std::ranges::any_of(thread.seen.parts, [](const SampledPart& part) { return part.own.valid(); });
    find_entry(trace, thread);
    threads.push_back(std::move(thread));
  }
  return threads;
}

void add_meanwhile(std::span<const ProgramThread> threads, const IntervalSet& during, TimeSpan window, PlaceSums& sums,
                   const ProgramThread* except) {
  for (const ProgramThread& thread : threads) {
    if (&thread == except) continue;
    const IntervalSet doing(thread.when(kOwnDoing, window));
    sums.add_own(thread.seen.parts, common(doing, during).intervals());
  }
}

std::vector<SeenPlace> doing_meanwhile(const Trace& trace, std::span<const ProgramThread> threads,
                                       std::span<const TimeSpan> spans, TimeSpan window, const ProgramThread* except) {
  PlaceSums sums(trace);
  add_meanwhile(threads, IntervalSet(std::vector<TimeSpan>(spans.begin(), spans.end())), window, sums, except);
  return sums.rows();
}

}  // namespace lacuna
