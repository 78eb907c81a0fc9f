#include "capture/session/session.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/metrics/metrics_sampler.h"
#include "capture/sampling/program_sampler.h"
#include "capture/session/process_tree.h"
#include "capture/wire/clock.h"
#include "capture/wire/handshake.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kClockEveryNs = 1'000'000'000;
constexpr std::size_t kMostProcesses = 65536;
constexpr std::uint64_t kLookForDormantNs = 250'000'000;

bool is_readable(int descriptor) {
  pollfd ready{descriptor, POLLIN, 0};
  return ::poll(&ready, 1, 0) == 1;
}

ClockMap read_clocks() {
  const wire::ClockTriple first = wire::read_triple();
  const timespec pause{0, 20'000'000};  // 30 ns of doubt over 20 ms: 1.5 parts in a million
  nanosleep(&pause, nullptr);
  return ClockMap(first, wire::read_triple());
}

}  // namespace

Session::Process::Process(Listener::Connection connection, ProcessDecoder::Identity identity, const ClockMap& clocks,
                          EventSink& sink, std::vector<CaptureMessage>& messages)
    : socket(std::move(connection.socket)),
      descriptor(std::move(connection.process)),
      segment(std::move(connection.segment)),
      decoder(std::move(identity), clocks, sink, messages) {}

Session::Process::~Process() {
  segment.say_done();
}

Result<std::unique_ptr<Session>> Session::start(SessionOptions options, EventSink& sink) {
  Result<Listener> listener = Listener::open();
  if (!listener) return tl::make_unexpected(listener.error());
  return std::unique_ptr<Session>(new Session(std::move(options), std::move(*listener), read_clocks(), sink));
}

Session::Session(SessionOptions options, Listener listener, ClockMap clocks, EventSink& sink)
    : options_(std::move(options)),
      listener_(std::move(listener)),
      clocks_(std::move(clocks)),
      clock_read_ns_(wire::monotonic_ns()),
      filter_(options_.schedule.is_set() ? std::optional<StepFilter>(std::in_place, options_.schedule, sink)
                                         : std::nullopt),
      gate_(options_.window.is_set() ? std::optional<RecordGate>(std::in_place, options_.window, now(),
                                                                 filter_ ? static_cast<EventSink&>(*filter_) : sink)
                                     : std::nullopt),
      sink_(gate_     ? static_cast<EventSink&>(*gate_)
            : filter_ ? static_cast<EventSink&>(*filter_)
                      : sink) {}

Session::~Session() = default;

namespace {

/// Whether targets may leave operators out where the schedule does: they count the same steps from the start on.
bool skips_operators(const SessionOptions& options) {
  return options.schedule.is_set() && options.step_range.empty() && options.step_every == 0 && !options.window.is_set();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> collector_environment(const SessionOptions& options,
                                                                       const std::string& socket,
                                                                       const std::vector<std::string>& inherited) {
  const auto value_of = [&](std::string_view name) {
    std::string_view value;
    for (std::string_view variable : inherited)
      if (variable.starts_with(name) && variable.substr(name.size()).starts_with('='))
        value = variable.substr(name.size() + 1);
    return std::string(value);
  };
  std::vector<std::pair<std::string, std::string>> set;
  set.emplace_back(wire::kSocketVariable, socket);
  set.emplace_back(wire::kCaptureVariable,
                   fmt::format("{}{}{}{}", options.nvtx ? "nvtx," : "", options.cuda ? "cuda," : "",
                               options.memory ? "memory," : "", options.whole_graphs ? "graphs," : ""));
  if (!options.collector.empty()) {
    set.emplace_back("LACUNA_COLLECTOR", options.collector);
    if (options.nvtx) set.emplace_back("NVTX_INJECTION64_PATH", options.collector);
    if (options.cuda) set.emplace_back("CUDA_INJECTION64_PATH", options.collector);
  }
  if (options.ring_kib > 0) set.emplace_back(wire::kRingVariable, std::to_string(options.ring_kib));
  if (options.verbose) set.emplace_back(wire::kVerboseVariable, "1");
  if (skips_operators(options)) {
    const StepSchedule& s = options.schedule;
    set.emplace_back(wire::kStepsVariable, fmt::format("{},{},{},{}", s.wait, s.warmup, s.active, s.repeat));
  }
  if (!options.python_hook.empty()) {
    const std::string before = value_of("PYTHONPATH");
    set.emplace_back("PYTHONPATH", before.empty() ? options.python_hook : options.python_hook + ":" + before);
    if (options.shapes) set.emplace_back("LACUNA_TORCH_SHAPES", "1");
    if (options.allocator) set.emplace_back("LACUNA_TORCH_ALLOCATOR", "1");
  }
  return set;
}

void Session::wait(int timeout_ms) {
  std::vector<pollfd> waiting{{listener_.descriptor(), POLLIN, 0}};
  for (const auto& process : processes_)
    if (!process->is_finished && process->descriptor.is_open())
      waiting.push_back({process->descriptor.get(), POLLIN, 0});
  (void)::poll(waiting.data(), waiting.size(), timeout_ms);
}

Result<Launcher> Session::launch(const LaunchOptions& options) {
  if (options_.sampling.is_set()) sampler_ = std::make_unique<ProgramSampler>(options_.sampling);
  Result<Launcher> target = sampler_ != nullptr ? sampler_->launch(options) : Launcher::start(options);
  if (target) measure(target->pid(), merged_environment(options));
  return target;
}

void Session::look_at(std::uint32_t pid) {
  measure(static_cast<int>(pid), environment_of(static_cast<int>(pid)).value_or(std::vector<std::string>{}));
  if (!options_.sampling.is_set()) return;
  sampler_ = std::make_unique<ProgramSampler>(options_.sampling);
  sampler_->look_at(pid);
}

void Session::add_sampled(EventSink& sink, const SampledSlice& s) const {
  const Nanos start = clocks_.trace_time(s.start);
  sink.add(StreamedSlice{s.track, s.name, s.category, start, saturating_sub(clocks_.trace_time(s.end), start), 0,
                         s.args, false});
}

void Session::take_samples() {
  if (sampler_ == nullptr) return;
  ProgramSampler::Delivery delivery = sampler_->take();
  for (const ProgramSampler::Name& name : delivery.names)
    sink_.add(StreamedName{name.what, name.pid, name.tid, name.text});
  for (const SampledSlice& slice : delivery.slices) {
    states_ += slice.track.kind == TrackKind::kThreadStates ? 1 : 0;
    add_sampled(sink_, slice);
  }
  for (std::string& message : delivery.messages) messages_.push_back({wire::MessageKind::kInfo, 0, std::move(message)});
}

void Session::add_open(EventSink& sink, Nanos now) const {
  if (gate_ && (!gate_->has_begun(now) || gate_->is_over(now))) return;
  for (const auto& process : processes_)
    if (!process->is_finished) process->decoder.add_open(sink, now);
  if (sampler_ == nullptr) return;
  for (const SampledSlice& slice : sampler_->open_slices(wire::monotonic_ns())) add_sampled(sink, slice);
}

void Session::poll(int timeout_ms) {
  if (is_finished_) return;
  wait(timeout_ms);
  const std::uint64_t now = wire::monotonic_ns();
  if (now - clock_read_ns_ > kClockEveryNs) {
    clock_read_ns_ = now;
    clocks_.add(wire::read_triple());
  }
  accept_all();
  if (woken_root_ != 0 && now - woken_looked_ > kLookForDormantNs) (void)wake_new();
  take_samples();
  take_metrics();
  read_all();
}

void Session::accept_all() {
  for (;;) {
    Result<Listener::Connection> connection = listener_.accept();
    if (!connection) {
      if (connection.error().code == ErrorCode::kNotFound) return;
      ++refused_;
      messages_.push_back({wire::MessageKind::kInfo, 0, connection.error().message()});
      continue;
    }
    take_in(std::move(*connection), false);
  }
}

void Session::take_in(Listener::Connection connection, bool was_dormant) {
  const SegmentReader::Facts facts = connection.segment.facts();
  // The kernel's word before the target's, which may sit in another pid namespace.
  const std::uint32_t pid = connection.pid != 0 ? connection.pid : facts.pid;
  for (const auto& process : processes_)  // exec: same process, new collector
    if (!process->is_finished && process->decoder.identity().pid == pid) finish(*process);
  if (processes_.size() >= kMostProcesses) {
    ++refused_;
    return;
  }
  const bool takes_steps = options_.step_every == 0;
  ProcessDecoder::Identity identity{pid, static_cast<std::uint32_t>(processes_.size()), facts.clock, facts.start,
                                    facts.process_name};
  if (sampler_ != nullptr && pid != 0) sampler_->watch(pid);
  processes_.push_back(
      std::make_unique<Process>(std::move(connection), std::move(identity), clocks_, sink_, messages_));
  processes_.back()->decoder.set_steps(takes_steps, options_.step_range);
  processes_.back()->was_dormant = was_dormant;
}

bool Session::has_ended(const Process& process) {
  if (char byte = 0; process.was_dormant && recv(process.socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
    return true;  // another program by exec, or it has closed all that it does not know
  if (process.descriptor.is_open()) return is_readable(process.descriptor.get());
  char byte = 0;  // without a pidfd: end of file, and nobody of that pid left
  return recv(process.socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 &&
         (process.decoder.identity().pid == 0 ||
          (kill(static_cast<pid_t>(process.decoder.identity().pid), 0) != 0 && errno == ESRCH));
}

void Session::read_all() {
  const Nanos before = now();
  for (const auto& process : processes_) {
    if (process->is_finished) continue;
    const bool was_running = !has_ended(*process);  // asked first: what it wrote before is then all there is
    read(*process);
    if (!was_running) finish(*process);
  }
  if (gate_ && gate_->is_waiting()) {
    for_each_open([&](std::uint32_t, std::uint32_t, const OpenRange& range, std::string_view name) {
      gate_->see_open(name, range.start);
    });
    gate_->settle(before);
  }
  if (!filter_) return;
  if (options_.step_every > 0) {
    // Time begins to count when something is captured.
    if (!step_time_ && !processes_.empty() && (!gate_ || gate_->has_begun(before))) step_time_ = before;
    for (; step_time_ && *step_time_ + options_.step_every <= before; ++steps_) {
      *step_time_ += options_.step_every;
      filter_->step_ended(*step_time_);
    }
  }
  filter_->settle(before);
}

void Session::read(Process& process) {
  SegmentReader& segment = process.segment;
  // Names last into the control ring's head: whatever a record published so far refers to is in there.
  const std::uint64_t rings = segment.ring_count();
  heads_.resize(rings);
  for (std::uint64_t ring = wire::kGpuRing; ring < rings; ++ring) heads_[ring] = segment.head(ring);
  heads_[wire::kControlRing] = segment.head(wire::kControlRing);
  const bool by_tid = segment.api_thread_is_tid();
  // Threads before the GPU: they say which pthread is which thread.
  const auto read_ring = [&](std::uint64_t ring) {
    segment.take(ring, heads_[ring], slots_);
    process.decoder.read(ring, slots_, by_tid);
  };
  read_ring(wire::kControlRing);
  for (std::uint64_t ring = wire::kFirstThreadRing; ring < rings; ++ring) read_ring(ring);
  read_ring(wire::kGpuRing);
  process.decoder.end_round();
  if (step_process_ && skips_operators_of(process)) segment.say_steps_count();
  for (const ProcessDecoder::Step& step : process.decoder.take_steps()) {
    if (!step_process_) step_process_ = process.decoder.identity().index;  // all are cut by the steps of one
    if (*step_process_ != process.decoder.identity().index) continue;
    ++steps_;
    if (filter_ && !(gate_ && !gate_->has_begun(step.end))) filter_->step_ended(step.end);
  }
}

bool Session::skips_operators_of(const Process& process) const {
  if (!skips_operators(options_)) return false;
  const ProcessDecoder& counted = processes_[*step_process_]->decoder;
  // The ranks of a job are never more than a step apart.
  return &process.decoder == &counted || (process.decoder.rank().rank >= 0 && counted.rank().rank >= 0);
}

void Session::finish(Process& process) {
  if (process.is_finished) return;
  read(process);
  process.decoder.finish();
  process.is_finished = true;
  (void)process.socket.close();
  (void)process.descriptor.close();
}

void Session::finish() {
  if (is_finished_) return;
  accept_all();
  put_to_sleep();
  if (sampler_ != nullptr) sampler_->stop();
  if (metrics_ != nullptr) metrics_->stop();
  take_samples();
  take_metrics();
  for (const auto& process : processes_) finish(*process);
  if (gate_) gate_->finish();
  if (filter_) filter_->finish();
  for (const auto& process : processes_) process->segment.say_done();
  is_finished_ = true;
}

Nanos Session::now() const {
  return clocks_.trace_time(wire::monotonic_ns());
}

std::vector<std::uint32_t> Session::pids() const {
  std::vector<std::uint32_t> pids;
  for (const auto& process : processes_) pids.push_back(process->decoder.identity().pid);
  return pids;
}

std::string Session::distributed_info() const {
  std::map<std::int32_t, const RankFacts*> ranks;  // of each the process that says the most
  for (const auto& process : processes_) {
    const RankFacts& rank = process->decoder.rank();
    if (rank.rank < 0) continue;
    const RankFacts*& known = ranks[rank.rank];
    if (known == nullptr || (known->facts.empty() && !rank.facts.empty())) known = &rank;
  }
  if (ranks.empty()) return {};
  const auto best = std::ranges::find_if(ranks, [](const auto& r) { return !r.second->facts.empty(); });
  const RankFacts& first = best == ranks.end() ? *ranks.begin()->second : *best->second;
  JsonArgs members;
  members.members(first.facts);
  if (ranks.size() == 1) {
    members.integer("rank", first.rank);
    if (first.local_rank >= 0) members.integer("local_rank", first.local_rank);
  } else {
    std::string list, local;
    for (const auto& rank : ranks) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", rank.first);
      local += fmt::format("{}{}", local.empty() ? "" : ", ", rank.second->local_rank);
    }
    members.raw("ranks", "[" + list + "]");
    members.raw("local_ranks", "[" + local + "]");  // -1: not said
  }
  if (first.world_size > 0) members.integer("world_size", first.world_size);
  return fmt::format("{{{}}}", members.text());
}

std::vector<CaptureMessage> Session::take_messages() {
  return std::exchange(messages_, {});
}

std::vector<std::string> Session::other_ranges() const {
  std::vector<std::string> names;
  for (const auto& process : processes_) {
    const std::vector<std::string>& its = process->decoder.other_ranges();
    names.insert(names.end(), its.begin(), its.end());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

CaptureStatus Session::status() const {
  CaptureStatus status;
  status.processes = processes_.size();
  status.corrupt = refused_;
  for (const auto& process : processes_) {
    const ProcessDecoder::Counts& decoded = process->decoder.counts();
    const SegmentReader::Counts written = process->segment.counts();
    status.running += process->is_finished ? 0 : 1;
    status.records += decoded.records;
    status.slices += decoded.slices;
    status.marks += decoded.marks;
    status.dropped += written.dropped + written.gpu_records_lost;
    status.incomplete_gpu += decoded.incomplete_gpu;
    status.corrupt += decoded.corrupt + written.broken_rings;
    status.lost_ends += decoded.lost_ends;
    status.unmatched_pops += decoded.unmatched_pops;
    status.names_lost += written.names_lost + written.names_cut;
  }
  status.steps = steps_;
  status.states = states_;
  if (sampler_ != nullptr) {
    const ProgramSampler::Counts seen = sampler_->counts();
    status.processes = std::max(status.processes, seen.processes);
    status.slices += seen.slices;
    status.dropped += seen.lost;
    status.samples = seen.samples;
    status.samples_missed = seen.missed + seen.broken;
    status.switches_unseen = seen.unseen_switches;
  }
  if (gate_) {
    status.left_out = gate_->left_out();
    status.slices = gate_->slices();
    status.states = gate_->states();
  }
  if (filter_) {
    status.left_out += filter_->left_out();
    status.slices = filter_->slices();
    status.states = filter_->states();
  }
  return status;
}

}  // namespace lacuna
