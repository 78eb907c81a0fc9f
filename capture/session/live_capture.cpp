#include "capture/session/live_capture.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/session/exit_words.h"
#include "capture/session/installation.h"
#include "capture/session/left_behind.h"
#include "capture/session/process_tree.h"
#include "capture/wire/clock.h"
#include "model/base/guarded.h"
#include "model/base/os/user_folders.h"
#include "model/base/shell_words.h"
#include "model/base/start_thread.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr int kPollMs = 3;
constexpr Nanos kPatienceNs = 2'000'000'000;      // from one signal to the next
constexpr Nanos kLittlePatienceNs = 250'000'000;  // when nobody waits for the recording any more
constexpr std::uint64_t kMostInBatch = 50'000;

/// Everything that can be read now, `most` bytes and a block at most.
void drain(TargetOutput& output, ConsoleBuffer::Stream stream, ConsoleBuffer& console, std::uint64_t most) {
  char block[16384];
  for (std::uint64_t done = 0; done < most;) {
    const std::size_t got = output.read(block);
    if (const std::uint64_t passed = output.take_passed_over(); passed > 0)
      console.say(fmt::format("{} bytes of output are not shown: the program wrote too fast", passed));
    if (got == 0) return;
    console.add(stream, {block, got});
    done += got;
  }
}

std::string losses(const LiveSource::Status& now) {
  return losses_json(now.capture, now.forgotten, now.not_written);
}

/// Ours and the plan's: what PYTHONPATH is put in front of.
std::vector<std::string> inherited_by(const LivePlan& plan) {
  std::vector<std::string> inherited = own_environment();
  for (const auto& [name, value] : plan.variables) inherited.push_back(name + "=" + value);
  return inherited;
}

/// The session's variables and those of the plan that it does not build on.
std::vector<std::pair<std::string, std::string>> set_variables(const LivePlan& plan,
                                                               std::vector<std::pair<std::string, std::string>> set) {
  for (const auto& variable : plan.variables)
    if (std::ranges::none_of(set, [&](const auto& s) { return s.first == variable.first; })) set.push_back(variable);
  return set;
}

}  // namespace

SessionOptions session_options(const LivePlan& plan) {
  const Installation installation = find_installation();
  SessionOptions options;
  options.collector = installation.collector;
  if (plan.torch) options.python_hook = installation.python_hook;
  options.nvtx = plan.nvtx;
  options.cuda = plan.cuda;
  options.shapes = plan.shapes;
  options.allocator = plan.allocator;
  options.memory = plan.memory;
  options.whole_graphs = plan.whole_graphs;
  options.verbose = plan.verbose;
  options.ring_kib = plan.ring_kib;
  options.schedule = plan.schedule;
  options.step_range = plan.step_range;
  options.step_every = plan.step_every;
  options.sampling = plan.sampling;
  options.metrics = plan.metrics;
  return options;
}

std::vector<std::pair<std::string, std::string>> planned_environment(const LivePlan& plan) {
  return set_variables(plan, collector_environment(session_options(plan), "(made at the start)", inherited_by(plan)));
}

std::string recordings_folder() {
  const std::string cache = user_cache_folder();
  return (cache.empty() ? temporary_folder() : cache) + "/lacuna";
}

Result<std::unique_ptr<LiveCapture>> LiveCapture::start(const LivePlan& plan, std::function<void()> on_news) {
  std::unique_ptr<LiveCapture> capture(new LiveCapture(plan, std::move(on_news)));
  if (Result<void> opened = capture->open(); !opened) return tl::make_unexpected(opened.error());
  capture->thread_ = start_thread([raw = capture.get()] { raw->run_to_the_end(); });
  if (!capture->thread_.joinable()) return fail(ErrorCode::kLimit, std::string(kNoMoreThreads));
  return capture;
}

Result<void> LiveCapture::open() {
  if (find_installation().collector.empty())
    return fail(ErrorCode::kUnsupported, "liblacuna_collector.so is not where lacuna looks for it (reinstall Lacuna)");
  if (plan_.process > 0 && plan_.arguments.empty()) plan_.arguments = arguments_of(plan_.process);
  if (plan_.process > 0 && plan_.arguments.empty()) plan_.arguments = {fmt::format("process {}", plan_.process)};
  if (plan_.arguments.empty() || plan_.arguments.front().empty())
    return fail(ErrorCode::kInvalidArgument, "no command to launch");
  auto spool = RecordingSpool::create(recordings_folder(), &batches_);
  if (!spool) return tl::make_unexpected(spool.error());
  spool_ = std::move(*spool);
  auto session = Session::start(session_options(plan_), *spool_);
  if (!session) return tl::make_unexpected(session.error());
  session_ = std::move(*session);
  base_time_ns_ = session_->base_time_ns();
  clock_offset_ = saturating_sub(session_->now(), static_cast<Nanos>(wire::monotonic_ns()));
  started_at_ = session_->now();
  spool_->begin(base_time_ns_);
  spool_->describe(join_words(plan_.arguments));
  return plan_.process > 0 ? look_at() : launch();
}

Result<void> LiveCapture::look_at() {
  looked_at_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, plan_.process, 0)));
  if (!looked_at_.is_open())
    return fail(ErrorCode::kNotFound, fmt::format("process {}: {}", plan_.process, std::strerror(errno)));
  const Result<std::size_t> woken = session_->wake(static_cast<std::uint32_t>(plan_.process));
  if (!woken) return fail(ErrorCode::kNotFound, woken.error().message());
  if (*woken == 0)
    return fail(ErrorCode::kNotFound, fmt::format("process {} is not dormant, nor is what it started", plan_.process));
  session_->look_at(static_cast<std::uint32_t>(plan_.process));
  box_.start(plan_.process);
  console_.say(fmt::format("Process {}: {}", plan_.process, join_words(plan_.arguments)));
  console_.say(fmt::format("{} woken; {} again when this ends. What the program writes goes where it went before.",
                           *woken == 1 ? std::string("It was") : fmt::format("{} processes were", *woken),
                           *woken == 1 ? "it sleeps" : "they sleep"));
  return {};
}

Result<void> LiveCapture::launch() {
  LaunchOptions launch;
  launch.arguments = plan_.arguments;
  launch.directory = plan_.directory;
  launch.inherited = own_environment();
  launch.set = set_variables(plan_, session_->environment(inherited_by(plan_)));
  for (auto* made : {&output_, &errors_}) {
    Result<TargetOutput> output = TargetOutput::create(spool_->folder());
    if (!output) return tl::make_unexpected(output.error());
    made->emplace(std::move(*output));
  }
  launch.output = output_->descriptor();
  launch.errors = errors_->descriptor();
  launch.own_group = true;
  Result<Launcher> target = session_->launch(launch);
  if (!target) return tl::make_unexpected(target.error());
  target_.emplace(std::move(*target));
  box_.start(target_->pid());
  console_.say(fmt::format("$ {}", join_words(plan_.arguments)));
  return {};
}

LiveCapture::~LiveCapture() {
  is_abandoned_ = true;
  if (thread_.joinable()) thread_.join();
}

Nanos LiveCapture::now() const {
  return saturating_add(static_cast<Nanos>(wire::monotonic_ns()), clock_offset_);
}

void LiveCapture::run_to_the_end() {
  const auto tell = [this](std::string_view what) {
    console_.say(fmt::format("The recording has ended: {}. What it had until then can be saved.", what));
  };
  if (run_guarded([this] { run(); }, tell)) return;
  // The target runs on as if nobody had recorded it; whoever waits for the end gets one. What was being added when it
  // happened is in no state to be added to, so what was handed over and written before is all.
  const auto nothing = [](std::string_view) {};
  (void)run_guarded([this] { spool_->flush(); }, nothing);
  box_.put([&](LiveDelivery& next, Status& status) {
    next.is_last = true;
    status.is_over = true;
    status.ended_at = session_->now();
  });
  if (on_news_) (void)run_guarded(on_news_, nothing);
}

void LiveCapture::run() {
  handed_over_ = session_->now();
  kept_.emplace(*spool_, plan_.keep, handed_over_);
  saver_.emplace(*spool_, spool_->folder());
  LeftBehind left(session_->socket(), plan_.waits_for_all);
  for (;;) {
    session_->poll(kPollMs);
    const Nanos now = session_->now();
    read_output(false);
    say_messages();
    if (!reported_disk_full_ && spool_->lost() > 0) {
      reported_disk_full_ = true;
      console_.say("Writing to the disk fails: the target continues, but recording has stopped.");
    }
    advance_stop(now);
    if (is_over(left, now)) break;
    if (now - handed_over_ >= kHandOverNs || batches_.event_count() >= kMostInBatch) hand_over(now, false);
  }
  const std::string last = last_words(left);
  session_->finish();
  read_output(true);
  console_.finish();
  say_messages();
  if (target_) console_.say(fmt::format("The target {}.", exit_in_words(*target_->poll_exit(), signal_)));
  if (const std::uint64_t unseen = session_->status().switches_unseen; unseen > 0)
    console_.say(fmt::format(
        "{} context switches were too short to be seen: thread states were looked up 100 times a second.", unseen));
  if (!last.empty()) console_.say(last);
  hand_over(session_->now(), true);
}

bool LiveCapture::is_over(LeftBehind& left, Nanos now) {
  if (!target_) {
    pollfd ended{looked_at_.get(), POLLIN, 0};
    const bool has_ended = ::poll(&ended, 1, 0) == 1 && session_->status().running == 0;
    return has_ended || stop_requests_ > 0 || is_abandoned_;
  }
  if (!target_->poll_exit().has_value()) return false;
  const bool is_all_over = left.is_over(now, session_->status().running, stop_requests_ > 0);
  for (const std::string& message : left.take_messages()) console_.say(message);
  return is_all_over || is_abandoned_;
}

std::string LiveCapture::last_words(const LeftBehind& left) const {
  if (target_) return left.last_words(session_->status().running);
  return session_->status().running == 0 ? "The process has ended." : "The process goes on, and sleeps again.";
}

void LiveCapture::read_output(bool is_last) {
  if (!output_) return;
  const std::uint64_t most = is_last ? 2 * TargetOutput::kMostBehind : std::uint64_t{1} << 18;
  drain(*output_, ConsoleBuffer::Stream::kOutput, console_, most);
  drain(*errors_, ConsoleBuffer::Stream::kErrors, console_, most);
}

void LiveCapture::say_messages() {
  for (const CaptureMessage& message : session_->take_messages())
    console_.say(message.pid == 0 ? message.text : fmt::format("Process {}: {}", message.pid, message.text));
}

void LiveCapture::advance_stop(Nanos now) {
  const int asked = is_abandoned_ ? 1 : stop_requests_.load();
  if (asked == 0 || !target_ || target_->poll_exit()) return;
  const Nanos patience = is_abandoned_ ? kLittlePatienceNs : kPatienceNs;
  const bool is_due = stops_done_ > 0 && now - signalled_ > patience;
  if (stops_done_ >= asked && !is_due) return;
  signal_ = target_->stop_harder();
  signalled_ = now;
  ++stops_done_;
  // What was asked for and what time brought count alike: the next request is one more than this.
  if (stop_requests_ < stops_done_) stop_requests_ = stops_done_;
  console_.say(fmt::format("Stopping the target: {}", signal_));
}

void LiveCapture::hand_over(Nanos now, bool is_last) {
  handed_over_ = now;
  spool_->flush();
  const bool has_events = batches_.event_count() > 0;
  EventBatch batch = batches_.take();
  if (kept_) kept_->advance(now);  // none: memory ran out before anything was kept
  if (!is_last) {
    saver_->look(now, *session_, [this] { return TraceJsonWriter::Members{{"lacuna", losses(status())}}; });
    for (const std::string& message : saver_->take_messages()) console_.say(message);
  }
  EventBatch running;
  if (!is_last && !plan_.schedule.is_set()) {  // with a schedule nobody knows yet whether they are kept
    batches_.set_offset(RecordingSpool::kRunning);
    session_->add_open(batches_, now);
    running = uncounted(batches_.take());
  }
  if (has_events) box_.add(std::move(batch));
  box_.put([&](LiveDelivery& next, Status& status) {
    next.running = std::move(running);
    next.now = now;
    if (kept_) next.forget_below = kept_->forget_below();
    next.is_last = next.is_last || is_last;
    status.capture = session_->status();
    status.events = spool_->events();
    if (kept_) status.forgotten = kept_->forgotten();
    status.not_written = spool_->lost();
    status.spool_bytes = spool_->bytes_written();
    if (target_) status.exit = target_->poll_exit();
    status.signal = signal_;
    status.is_over = is_last;
    if (is_last) status.ended_at = now;
  });
  if (on_news_) on_news_();
}

Result<void> LiveCapture::save(const std::string& path, Existing existing) const {
  const Status now = status();
  Result<void> saved = spool_->save(path, existing, {{"lacuna", losses(now)}});
  if (saved && now.is_over) spool_->mark_saved(path);
  return saved;
}

}  // namespace lacuna
