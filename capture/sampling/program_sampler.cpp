#include "capture/sampling/program_sampler.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/wire/clock.h"
#include "model/base/guarded.h"
#include "model/base/start_thread.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kProcessesEveryNs = 50'000'000;
constexpr std::uint64_t kStatesEveryNs = 10'000'000;
/// A program may load its interpreter at any time, and most do at once: each look waits twice as long, within these.
constexpr std::uint64_t kFirstLookForPythonNs = 12'500'000;
constexpr std::uint64_t kLookForPythonEveryNs = 1'000'000'000;
/// Records of all CPUs are there this long after they were made.
constexpr std::uint64_t kEventsSettleNs = 2'000'000;
/// A wait is worth the question what it is for. Threads that run Python wait for its lock for 5 ms at a time: some of
/// their shorter waits are asked about, too.
constexpr std::uint64_t kLongWaitNs = 5'000'000;
/// So much later a thread's Python stack mostly still is that of the kernel's sample.
constexpr std::uint64_t kSameMomentNs = 5'000'000;
constexpr std::size_t kMostShortWaits = 32;  // a look
constexpr std::size_t kMostSlicesWaiting = 4'000'000;

void sleep_until(std::uint64_t monotonic_ns) {
  const timespec at{static_cast<time_t>(monotonic_ns / 1'000'000'000), static_cast<long>(monotonic_ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

std::uint64_t thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::string words_on_late_looks(std::uint64_t made, std::uint64_t missed, std::uint64_t busy_ns, std::uint64_t wall_ns,
                                unsigned rate) {
  constexpr std::uint64_t kWorthAWord = 50;  // one in so many
  if (missed * kWorthAWord <= made + missed) return {};
  const double share = 100.0 * static_cast<double>(missed) / static_cast<double>(made + missed);
  const bool is_slow = busy_ns * 2 > wall_ns;
  return fmt::format("{:.0f} % of the looks at stacks came too late: {}; --stack-rate {} looks half as often", share,
                     is_slow ? fmt::format("they take longer than there is time between two, with {} a second", rate)
                             : std::string("others had the CPUs when it was time (leave a core free)"),
                     std::max(rate / 2, 1u));
}

template <class Run>
void ProgramSampler::start_thread(Run&& run) {
  period_ = 1'000'000'000u / std::clamp(options_.stacks_per_second, 1u, 1000u);
  // Signals are for the threads that were there before.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = lacuna::start_thread([this, run = std::forward<Run>(run)]() mutable {
    const auto tell = [this](std::string_view what) { say(fmt::format("sampling has stopped: {}", what)); };
    if (!run_guarded(run, tell)) (void)run_guarded([this] { hand_over(); }, [](std::string_view) {});
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!thread_.joinable()) say(fmt::format("nothing is sampled: {}", kNoMoreThreads));
}

Result<Launcher> ProgramSampler::launch(const LaunchOptions& options) {
  Started started;
  start_thread([this, options, &started] { run(options, started); });
  if (!thread_.joinable()) return fail(ErrorCode::kLimit, std::string(kNoMoreThreads));
  started.is_decided.wait();
  if (!started.target) return fail(ErrorCode::kLimit, std::string(kNotEnoughMemory));
  return std::move(*started.target);
}

void ProgramSampler::look_at(std::uint32_t pid) {
  std::string less;
  if (options_.switches)
    less = fmt::format("thread states are looked up {} times a second", 1'000'000'000 / kStatesEveryNs);
  if (options_.stacks) less += fmt::format("{}stacks are those of Python only", less.empty() ? "" : ", ");
  say(less + ": it runs already, and the kernel tells of what is started under lacuna record");
  tree_.add(static_cast<int>(pid));
  start_thread([this] { look_until_stopped(); });
}

void ProgramSampler::watch(std::uint32_t pid) {
  const std::scoped_lock lock(mutex_);
  to_watch_.push_back(static_cast<int>(pid));
}

void ProgramSampler::stop() {
  is_stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void ProgramSampler::say(std::string message) {
  made_.messages.push_back(std::move(message));
}

void ProgramSampler::run(const LaunchOptions& launch, Started& started) {
  const bool is_started = run_guarded(
      [&] {
        open_events();
        started.target.emplace(Launcher::start(launch));
      },
      [](std::string_view) {});
  const int pid = is_started && *started.target ? (*started.target)->pid() : 0;
  started.is_decided.count_down();  // whoever waits goes on, and `started` ends
  if (pid == 0) return;
  tree_.add(pid);
  look_until_stopped();
}

void ProgramSampler::look_until_stopped() {
  const Clock begin = wire::monotonic_ns(), busy_before = thread_cpu_time();
  std::uint64_t made = 0;
  for (Clock next = begin; !is_stopping_; ++made) {
    look(wire::monotonic_ns());
    const Clock now = wire::monotonic_ns();
    next += period_;
    if (next < now) {  // too late for some: the looks stay in step
      const Clock late = (now - next) / period_ + 1;
      if (options_.stacks) counted_.missed += late;
      next += late * period_;
    }
    while (events_ && options_.stacks && !is_stopping_ && events_->wait_for_sample(next)) sample_beside_native();
    sleep_until(next);
  }
  const Clock now = wire::monotonic_ns();
  if (events_) read_events(now + kEventsSettleNs);
  for (auto& [pid, native] : native_) name_stacks(pid, *native, now, true);
  if (options_.stacks)
    if (std::string words = words_on_late_looks(made, counted_.missed, thread_cpu_time() - busy_before, now - begin,
                                                options_.stacks_per_second);
        !words.empty())
      say(std::move(words));
  end_all(now);
  hand_over();
}

void ProgramSampler::open_events() {
  Result<PerfEvents> events = PerfEvents::open({options_.switches, options_.stacks ? options_.stacks_per_second : 0});
  const bool has_stacks = events.has_value();
  const std::string why = has_stacks ? std::string() : events.error().message();
  if (!has_stacks && options_.stacks && options_.switches) events = PerfEvents::open({true, 0});
  if (events) events_.emplace(std::move(*events));
  std::string without;
  if (options_.stacks && !has_stacks) without = "stacks of native code are not sampled";
  if (options_.switches && !events)
    without += fmt::format("{}thread states are looked up {} times a second", without.empty() ? "" : ", ",
                           1'000'000'000 / kStatesEveryNs);
  if (!without.empty()) say(fmt::format("{}: {}", without, why));
}

void ProgramSampler::look(Clock now) {
  if (now - processes_looked_ >= kProcessesEveryNs) look_at_processes(now);
  if (options_.stacks) {
    if (events_) sample_beside_native();
    sample_python(now);
  }
  if (now - states_looked_ >= kStatesEveryNs) {
    states_looked_ = now;
    if (events_) {
      read_events(now);
    } else if (options_.switches) {
      look_at_states(now);
    }
    explain_waits(now);
  }
  hand_over();
}

void ProgramSampler::look_at_processes(Clock now) {
  processes_looked_ = now;
  {
    const std::scoped_lock lock(mutex_);
    for (const int pid : std::exchange(to_watch_, {})) tree_.add(pid);
  }
  tree_.update();
  for (const auto& [pid, process] : tree_.processes()) {
    if (process.is_helper) continue;
    if (process.is_new) {
      made_.names.push_back({StreamedName::What::kProcess, static_cast<std::uint32_t>(pid), 0, process.name});
      made_.names.push_back({StreamedName::What::kProcessLabels, static_cast<std::uint32_t>(pid), 0, "CPU"});
      name_threads(static_cast<std::uint32_t>(pid));
    }
    if (options_.stacks) look_for_python(pid, process.is_new, now);
  }
  std::erase_if(python_, [&](const auto& entry) { return !tree_.processes().contains(entry.first); });
  std::erase_if(native_, [&](const auto& entry) {
    const bool is_gone = !tree_.processes().contains(static_cast<int>(entry.first));
    if (is_gone) name_stacks(entry.first, *entry.second, now, true);
    return is_gone;
  });
  std::vector<std::uint32_t> gone;
  // Records of how a thread ended come a moment later; they end it at the right time. Nobody waits for them twice.
  const bool waits_for_records = events_ && options_.switches;
  for (auto& [tid, thread] : threads_) {
    if (tree_.processes().contains(static_cast<int>(thread.pid))) continue;
    if (!waits_for_records || std::exchange(thread.is_gone, true)) gone.push_back(tid);
  }
  for (const auto& [pid, process] : tree_.processes())
    if (!process.is_helper) processes_seen_.insert(pid);
  counted_.processes = processes_seen_.size();
  const std::scoped_lock lock(mutex_);
  for (const std::uint32_t tid : gone) end_thread(tid, now);
}

void ProgramSampler::look_for_python(int pid, bool is_new, Clock now) {
  PythonProcess& python = python_[pid];
  if (is_new) python = {};
  if (python.stacks != nullptr || python.has_said || now < python.look_again) return;
  python.look_every = std::clamp(python.look_every * 2, kFirstLookForPythonNs, kLookForPythonEveryNs);
  python.look_again = now + python.look_every;
  const auto program = find_python(pid);
  if (!program) return;
  const auto layout = python_layout(program->major, program->minor);
  if (!layout) {
    python.has_said = true;
    say(fmt::format("process {}: stacks of Python {}.{} are not sampled (3.{} to 3.{} are)", pid, program->major,
                    program->minor, kFirstPythonMinor, kLastPythonMinor));
    return;
  }
  python.program = *program;
  python.stacks = std::make_unique<PythonStacks>(pid, *program, *layout, texts_);
}

void ProgramSampler::sample_python(Clock now) {
  for (auto& [process, python] : python_) {
    if (python.stacks == nullptr) continue;
    const auto pid = static_cast<std::uint32_t>(process);
    const std::uint64_t broken = python.stacks->broken();
    // Those that run were read beside the kernel's sample of them.
    const auto is_wanted = [&](std::uint32_t tid) {
      const auto known = threads_.find(tid);
      return known == threads_.end() || known->second.joined + period_ < now;
    };
    const bool was_read = python.stacks->read(is_wanted, [&](std::uint32_t tid, const PythonStack& stack) {
      {
        const std::scoped_lock lock(mutex_);
        (void)stacks(pid, tid);
        threads_[tid].is_python = true;
      }
      native(pid).take_python(tid, now, stack);
    });
    if (!events_) name_stacks(pid, native(pid), now + 1, true);
    counted_.broken += python.stacks->broken() - broken;
    if (was_read || python.stacks->error() != EPERM || python.has_said) continue;
    python.has_said = true;
    python.stacks = nullptr;
    say(
        fmt::format("process {}: its Python stacks may not be read (sysctl kernel.yama.ptrace_scope=1, or in a "
                    "container --cap-add SYS_PTRACE)",
                    pid));
  }
  const std::scoped_lock lock(mutex_);
  for (auto& [tid, thread] : threads_) {
    if (thread.stacks == nullptr) continue;
    Clock until = events_ ? events_read_ : now;
    if (const auto native = native_.find(thread.pid); native != native_.end())
      until = std::min(until, native->second->oldest().value_or(until));
    thread.stacks->settle(until, made_.slices);
  }
}

/// The kernel has just sampled threads: their Python stacks are read before they change.
void ProgramSampler::sample_beside_native() {
  const Clock now = wire::monotonic_ns();
  events_->see_samples([this, now](const PerfRecord& record) {
    if (record.time + kSameMomentNs < now) return;  // others had the CPUs
    const auto python = python_.find(static_cast<int>(record.pid));
    const auto thread = threads_.find(record.tid);
    if (python == python_.end() || python->second.stacks == nullptr || thread == threads_.end()) return;
    const PythonStack* stack = python->second.stacks->read_thread(record.tid);
    if (stack == nullptr) return;
    thread->second.joined = record.time;
    beside_.insert_or_assign({record.tid, record.time}, *stack);
  });
}

NativeStacks& ProgramSampler::native(std::uint32_t pid) {
  auto& native = native_[pid];
  if (native == nullptr) native = std::make_unique<NativeStacks>(static_cast<int>(pid), texts_);
  if (const auto python = python_.find(static_cast<int>(pid));
      python != python_.end() && python->second.stacks != nullptr)
    native->knows_python(python->second.program.code_type);
  return *native;
}

void ProgramSampler::take_native(const PerfRecord& record) {
  std::optional<PythonStack> python;
  if (auto beside = beside_.extract({record.tid, record.time}); !beside.empty()) python = std::move(beside.mapped());
  if (const auto known = threads_.find(record.tid); !python && known != threads_.end() && known->second.is_python)
    return;
  native(record.pid).take(record, std::move(python));
}

/// Stacks of before `until` whose names are there become slices; with `waits` all that were taken.
void ProgramSampler::name_stacks(std::uint32_t pid, NativeStacks& native, Clock until, bool waits) {
  native.hand_over(until, waits, [&](const NativeStacks::Named& sample) {
    const std::scoped_lock lock(mutex_);
    if (const auto known = threads_.find(sample.tid);
        !sample.is_python && known != threads_.end() && known->second.is_python)
      return;
    stacks(pid, sample.tid).sample(sample.time, sample.frames, made_.slices);
    ++counted_.samples;
  });
  const std::scoped_lock lock(mutex_);
  std::vector<std::uint32_t> ended;
  for (const auto& [tid, thread] : threads_)
    if (thread.pid == pid && thread.ended != 0 && native.oldest().value_or(thread.ended) >= thread.ended)
      ended.push_back(tid);
  for (const std::uint32_t tid : ended) end_thread(tid, threads_[tid].ended);
}

void ProgramSampler::read_events(Clock now) {
  events_read_ = now - kEventsSettleNs;
  events_->read(events_read_, [this](const PerfRecord& record) { take_event(record); });
  std::erase_if(beside_, [&](const auto& entry) { return entry.first.second + kEventsSettleNs < now; });
  for (auto& [pid, native] : native_) name_stacks(pid, *native, now - kEventsSettleNs, false);
}

bool ProgramSampler::is_of_helper(const PerfRecord& record) {
  const bool is_process = record.pid == record.tid;
  if (record.is_exec || (record.kind == PerfRecord::Kind::kStart && is_process)) {
    if (is_helper(static_cast<int>(record.pid)))
      helpers_.insert(record.pid);
    else
      helpers_.erase(record.pid);
  }
  if (record.kind == PerfRecord::Kind::kExit && is_process) return helpers_.erase(record.pid) != 0;
  return helpers_.contains(record.pid);
}

void ProgramSampler::take_event(const PerfRecord& record) {
  using Kind = PerfRecord::Kind;
  if (is_of_helper(record)) return;
  if (record.kind == Kind::kSample) return take_native(record);
  if (const auto native = native_.find(record.pid);
      native != native_.end() && (record.kind == Kind::kExit || record.is_exec))  // before what it belongs to ends
    name_stacks(record.pid, *native->second, record.is_exec ? UINT64_MAX : record.time, false);
  const std::scoped_lock lock(mutex_);
  const auto change = [&](StateLane::State state) {
    if (options_.switches) states(record.pid, record.tid).change(record.time, state, made_.slices);
  };
  switch (record.kind) {
    case Kind::kSwitchIn:
      change(StateLane::State::kRunning);
      break;
    case Kind::kSwitchOut:
      change(StateLane::State::kWaiting);
      break;
    case Kind::kPreempted:
      change(StateLane::State::kPreempted);
      break;
    case Kind::kExit:
      if (const auto native = native_.find(record.pid);
          native != native_.end() && native->second->oldest().value_or(record.time) < record.time)
        thread(record.pid, record.tid).ended = record.time;
      else
        end_thread(record.tid, record.time);
      break;
    case Kind::kName:
      if (record.is_exec) {
        if (const auto before = native_.find(record.pid); before != native_.end()) {
          counted_.lost += before->second->unnamed();
          native_.erase(before);  // what its names are read from is no longer mapped
        }
        change(StateLane::State::kRunning);
      }
      name_thread(record.tid);
      break;
    case Kind::kLost:
      counted_.lost += record.lost;
      break;
    case Kind::kStart:
      if (const auto before = threads_.find(record.tid); before != threads_.end() && before->second.ended != 0)
        end_thread(record.tid, before->second.ended);  // the number is used again
      change(StateLane::State::kPreempted);
      break;  // it may run, and does not yet
    case Kind::kSample:
    case Kind::kOther:
      break;
  }
}

void ProgramSampler::look_at_states(Clock now) {
  for (const auto& [pid, process] : tree_.processes()) {
    if (process.is_helper) continue;
    for (const int tid : threads_of(pid)) {
      const auto state = proc_states_.look(pid, tid, now);
      if (!state) continue;
      const std::scoped_lock lock(mutex_);
      StateLane& lane = states(static_cast<std::uint32_t>(pid), static_cast<std::uint32_t>(tid));
      lane.change(now - std::min(now, kStatesEveryNs), *state, made_.slices);
      threads_[static_cast<std::uint32_t>(tid)].was_seen = true;
    }
  }
  counted_.unseen_switches = proc_states_.unseen();
  std::vector<std::uint32_t> gone;
  {
    const std::scoped_lock lock(mutex_);
    for (auto& [tid, thread] : threads_)
      if (thread.states != nullptr && !std::exchange(thread.was_seen, false)) gone.push_back(tid);
  }
  for (const std::uint32_t tid : gone) {
    proc_states_.forget(static_cast<int>(tid));
    const std::scoped_lock lock(mutex_);
    end_thread(tid, now);
  }
}

void ProgramSampler::explain_waits(Clock now) {
  struct Waiting {
    std::uint32_t pid, tid;
  };
  std::vector<Waiting> waiting;
  std::size_t short_ones = 0;
  for (const auto& [tid, thread] : threads_) {
    if (thread.states == nullptr) continue;
    const bool is_long = thread.states->is_waiting_unexplained(now - kLongWaitNs);
    const bool is_short =
        !is_long && thread.is_python && short_ones < kMostShortWaits && thread.states->is_waiting_unexplained(now);
    short_ones += is_short;
    if (is_long || is_short) waiting.push_back({thread.pid, tid});
  }
  for (const Waiting& w : waiting) {
    const auto call = thread_fact(static_cast<int>(w.pid), static_cast<int>(w.tid), "syscall");
    const bool is_fault = call && call->starts_with("-1");  // it waits in no call: for a page
    if (!is_fault && (!call || call->empty() || call->front() < '0' || call->front() > '9')) continue;
    char* arguments = nullptr;
    const long number = std::strtol(call->c_str(), &arguments, 10);
    WaitReason reason = wait_reason(number);
    if (number == SYS_futex && is_gil(w.pid, std::strtoull(arguments, nullptr, 16))) reason.what = kGilState;
    if (reason.what.empty()) reason.what = is_fault ? kFaultState : kOtherWaitState;
    const std::scoped_lock lock(mutex_);
    threads_[w.tid].states->waits_for(reason.what, reason.system_call);
  }
}

/// Is the word that a thread waits for one of the interpreter's own, which is its lock?
bool ProgramSampler::is_gil(std::uint32_t pid, std::uint64_t futex) const {
  const auto found = python_.find(static_cast<int>(pid));
  if (found == python_.end() || found->second.stacks == nullptr) return false;
  const PythonProgram& program = found->second.program;
  return futex >= program.runtime && futex - program.runtime < program.runtime_size;
}

void ProgramSampler::end_thread(std::uint32_t tid, Clock time) {
  const auto found = threads_.find(tid);
  if (found == threads_.end()) return;
  if (found->second.states != nullptr) found->second.states->end(time, made_.slices);
  if (found->second.stacks != nullptr) found->second.stacks->end(time, made_.slices);
  threads_.erase(found);
}

void ProgramSampler::end_all(Clock now) {
  const std::scoped_lock lock(mutex_);
  while (!threads_.empty()) end_thread(threads_.begin()->first, now);
}

ProgramSampler::Thread& ProgramSampler::thread(std::uint32_t pid, std::uint32_t tid) {
  Thread& thread = threads_[tid];
  thread.pid = pid;
  return thread;
}

StateLane& ProgramSampler::states(std::uint32_t pid, std::uint32_t tid) {
  Thread& t = thread(pid, tid);
  if (t.states == nullptr) {
    t.states = std::make_unique<StateLane>(StreamedTrack{pid, kStatesTid + tid, TrackKind::kThreadStates, 0});
    name_thread(tid);
  }
  return *t.states;
}

StackLane& ProgramSampler::stacks(std::uint32_t pid, std::uint32_t tid) {
  Thread& t = thread(pid, tid);
  if (t.stacks == nullptr) {
    t.stacks = std::make_unique<StackLane>(StreamedTrack{pid, kStacksTid + tid, TrackKind::kStacks, 0}, period_);
    name_thread(tid);
    made_.names.push_back({StreamedName::What::kSamplePeriod, pid, kStacksTid + tid, std::to_string(period_)});
  }
  return *t.stacks;
}

std::string ProgramSampler::thread_name(std::uint32_t pid, std::uint32_t tid) const {
  const std::string name = thread_fact(static_cast<int>(pid), static_cast<int>(tid), "comm").value_or("thread");
  return pid == tid ? name + " (main)" : fmt::format("{} {}", name, tid);
}

void ProgramSampler::name_thread(std::uint32_t tid) {
  const auto found = threads_.find(tid);
  if (found == threads_.end()) return;
  const Thread& t = found->second;
  const std::string name = thread_name(t.pid, tid);
  if (t.states != nullptr)
    made_.names.push_back({StreamedName::What::kThread, t.pid, kStatesTid + tid, name + " \xC2\xB7 state"});
  if (t.stacks != nullptr)
    made_.names.push_back(
        {StreamedName::What::kThread, t.pid, kStacksTid + tid, fmt::format("{} \xC2\xB7 stacks, sampled", name)});
}

void ProgramSampler::name_threads(std::uint32_t pid) {
  for (const auto& entry : threads_)
    if (entry.second.pid == pid) name_thread(entry.first);
}

void ProgramSampler::hand_over() {
  const std::scoped_lock lock(mutex_);
  counted_.slices += made_.slices.size();
  // A consumer that has gone must not cost all memory.
  if (ready_.slices.size() < kMostSlicesWaiting) {
    std::ranges::move(made_.slices, std::back_inserter(ready_.slices));
  } else {
    counted_.lost += made_.slices.size();
  }
  std::ranges::move(made_.names, std::back_inserter(ready_.names));
  std::ranges::move(made_.messages, std::back_inserter(ready_.messages));
  made_ = {};
  counts_ = counted_;
}

ProgramSampler::Delivery ProgramSampler::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(ready_, {});
}

ProgramSampler::Counts ProgramSampler::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

std::vector<SampledSlice> ProgramSampler::open_slices(std::uint64_t now) const {
  std::vector<SampledSlice> open;
  const std::scoped_lock lock(mutex_);
  for (const auto& entry : threads_) {
    if (entry.second.states != nullptr) entry.second.states->add_open(now, open);
    if (entry.second.stacks != nullptr) entry.second.stacks->add_open(now, open);
  }
  return open;
}

}  // namespace lacuna
