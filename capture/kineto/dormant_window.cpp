#include "capture/kineto/dormant_window.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "capture/session/dormant.h"
#include "capture/session/process_tree.h"
#include "capture/session/trace_recorder.h"
#include "capture/wire/clock.h"
#include "model/base/guarded.h"
#include "model/base/plural.h"
#include "model/base/start_thread.h"

namespace lacuna {
namespace {

constexpr int kWindowPollMs = 5;

bool was_started_with(int pid, std::string_view name) {
  const auto environment = environment_of(pid);
  const std::string set = fmt::format("{}=1", name);
  return environment && std::ranges::find(*environment, set) != environment->end();
}

/// Our hook is in its PYTHONPATH, as its own files are.
bool has_torch_hook(const RunningJob& job) {
  const auto environment = environment_of(job.pid);
  if (!environment) return false;
  constexpr std::string_view kName = "PYTHONPATH=";
  for (const std::string& variable : *environment) {
    if (!variable.starts_with(kName)) continue;
    const std::string_view folders = std::string_view(variable).substr(kName.size());
    for (std::size_t at = 0; at <= folders.size();) {
      const std::size_t end = std::min(folders.find(':', at), folders.size());
      const std::string folder = job.root + std::string(folders.substr(at, end - at));
      std::error_code error;
      if (end > at && std::filesystem::exists(folder + "/lacuna_torch.py", error)) return true;
      at = end + 1;
    }
  }
  return false;
}

}  // namespace

DormantWindow::DormantWindow(RunningJob job, const KinetoRequest& request, ClaimedFile claim,
                             std::chrono::milliseconds patience)
    : job_(std::move(job)), request_(request), patience_(patience) {
  progress_.file = claim.path();
  thread_ = start_thread([this, claimed = std::move(claim)]() mutable {
    std::string words;
    const auto tell = [&](std::string_view what) { words = what; };
    if (run_guarded([&] { run(std::move(claimed)); }, tell)) return;
    change([&](Progress& progress) {
      progress.state = JobProgress::State::kFailed;
      progress.words = std::move(words);
    });
  });
  if (thread_.joinable()) return;
  progress_.state = JobProgress::State::kFailed;
  progress_.words = kNoMoreThreads;
}

DormantWindow::~DormantWindow() {
  is_abandoned_ = true;
}

DormantWindow::Progress DormantWindow::progress() const {
  const std::scoped_lock lock(mutex_);
  return progress_;
}

void DormantWindow::run(ClaimedFile claim) {
  SessionOptions options;
  options.memory = request_.memory;
  options.sampling = {};
  options.metrics = {};
  if (request_.iterations > 0) {
    // It wakes in the middle of a step.
    options.schedule = {.wait = 1, .warmup = 0, .active = static_cast<std::uint32_t>(request_.iterations), .repeat = 1};
  } else {
    options.window.on_word = true;
    options.window.duration = request_.duration;
  }
  const auto fail_with = [this](std::string words) {
    change([&](Progress& progress) {
      progress.state = JobProgress::State::kFailed;
      progress.words = std::move(words);
    });
  };
  auto started = TraceRecorder::start(std::move(claim), options);
  if (!started) return fail_with(started.error().message());
  TraceRecorder& recorder = **started;
  const auto fail_halfway = [&](std::string words) {
    if (recorder.is_written()) words += fmt::format("; {} has what came before, and no end", recorder.path());
    started->reset();  // it sleeps before that is told
    fail_with(std::move(words));
  };
  if (std::string wrong = record(recorder); !wrong.empty()) return fail_halfway(std::move(wrong));
  const Result<void> saved = recorder.finish();
  if (!saved) return fail_halfway(saved.error().message());
  if (!recorder.is_written()) return fail_with("nothing was seen of it in that time");
  std::string words = remarks(recorder);
  const std::string path = recorder.path();
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  started->reset();
  change([&](Progress& progress) {
    progress.state = JobProgress::State::kDone;
    progress.words = std::move(words);
    progress.file = path;
    progress.bytes = unknown ? 0 : bytes;
  });
}

/// Its hook tells how operators are captured each time it wakes.
bool DormantWindow::waits_for_operators() const {
  return job_.has_torch && has_torch_hook(job_);
}

std::string DormantWindow::record(TraceRecorder& recorder) {
  Session& session = recorder.session();
  recorder.poll(0);  // the file begins before its first event
  const Result<std::size_t> woken = session.wake(static_cast<std::uint32_t>(job_.pid));
  if (!woken) return woken.error().message();
  if (*woken == 0) return "it is not dormant any more";
  session.look_at(static_cast<std::uint32_t>(job_.pid));
  const std::uint64_t woke_ns = wire::monotonic_ns();
  const auto waited = [&] { return std::chrono::nanoseconds(wire::monotonic_ns() - woke_ns); };
  bool is_awaiting_operators = waits_for_operators();
  bool is_ready = false;
  bool is_begin_reported = false;
  bool has_begun = false;
  for (;;) {
    recorder.poll(kWindowPollMs);
    for (const CaptureMessage& message : session.take_messages())
      if (message.kind == wire::MessageKind::kTorch) is_awaiting_operators = false;
    if (is_abandoned_) return "the request was cancelled";
    if (!is_ready && (!is_awaiting_operators || waited() > patience_)) {
      is_ready = true;
      change([&](Progress& progress) {
        progress.is_ready = true;
        progress.state = request_.iterations > 0 ? JobProgress::State::kAsked : JobProgress::State::kWaking;
      });
    }
    const std::uint64_t begin = begin_ns_;
    const Nanos now = session.now();
    if (is_ready && begin > 0 && !std::exchange(is_begin_reported, true)) session.begin_window(begin);
    const bool begins = session.gate() != nullptr ? session.gate()->has_begun(now) : session.status().steps > 0;
    if (begins && !std::exchange(has_begun, true))
      change([](Progress& progress) { progress.state = JobProgress::State::kRecording; });
    if (has_begun) change([&](Progress& progress) { progress.bytes = recorder.bytes(); });
    if (session.gate() != nullptr && session.gate()->is_over(now)) return {};
    if (request_.iterations > 0) {
      if (session.status().steps > static_cast<std::uint64_t>(request_.iterations)) return {};
      if (!has_begun && waited() > patience_)
        return fmt::format(
            "no step of an optimizer came within {} s: it does not train (yet), or was started without PyTorch's hook; "
            "ask for a duration",
            patience_.count() / 1000);
    }
    if (is_stopped_) return has_begun ? std::string() : "it was stopped before its window began";
    if (!recorder.can_write()) return {};  // finish() says why
    if (!is_alive(job_) && session.status().running == 0)
      return has_begun ? std::string() : "it ended before its window began";
  }
}

std::string DormantWindow::remarks(const TraceRecorder& recorder) const {
  std::vector<std::string> remarks;
  const CaptureStatus status = recorder.session().status();
  if (is_stopped_) remarks.emplace_back("it was stopped before its end");
  if (!is_alive(job_)) remarks.emplace_back("it ended within its window");
  if (!status.has_content())
    remarks.emplace_back("no range, operator or kernel is in it, only what is seen from outside");
  if (status.dropped > 0)
    remarks.push_back(
        fmt::format("{} {} dropped: a buffer was full", status.dropped, noun_after(status.dropped, "record")));
  if (request_.shapes && !was_started_with(job_.pid, "LACUNA_TORCH_SHAPES"))
    remarks.emplace_back("without input shapes, for which it must be started with lacuna env --shapes");
  return fmt::format("{}", fmt::join(remarks, "; "));
}

}  // namespace lacuna
