#include "app/cli/record.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/cli/load.h"
#include "app/cli/output.h"
#include "app/cli/stats.h"
#include "app/cli/text_table.h"
#include "capture/session/installation.h"
#include "capture/session/launcher.h"
#include "capture/session/shell_words.h"
#include "capture/session/live_capture.h"
#include "capture/session/trace_recorder.h"
#include "capture/share/share_places.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr int kPollMs = 5;
constexpr Nanos kSecond = 1'000'000'000;
/// How long processes that the command left behind may still finish.
constexpr Nanos kStragglers = kSecond / 2;

// Ctrl+C, or a kill: how often so far, and whether the terminal told the target as well.
std::atomic<int> stop_requests{0};
std::atomic<bool> target_was_told{false};

void on_stop(int, siginfo_t* info, void*) {
  target_was_told = info != nullptr && info->si_code > 0;  // by the kernel: a terminal tells its whole group
  stop_requests.fetch_add(1);
}

/// Catches SIGINT and SIGTERM while it lives.
class StopSignals {
 public:
  StopSignals() {
    stop_requests = 0;
    struct sigaction action {};
    action.sa_sigaction = on_stop;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  ~StopSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

std::string default_output(const std::vector<std::string>& command) {
  const std::string program = std::filesystem::path(command.front()).filename().string();
  return fmt::format("{}-{:%Y%m%d-%H%M%S}.trace.json.gz", program, fmt::localtime(std::time(nullptr)));
}

/// One line on a terminal that is written over; nothing elsewhere.
class Progress {
 public:
  void show(const TraceRecorder& recorder, Nanos elapsed) {
    if (!is_terminal_ || elapsed - shown_ < kSecond / 4) return;
    shown_ = elapsed;
    const Session::Status status = recorder.session().status();
    std::string line = fmt::format("{:>7} | {} events | {} of {} processes | {:.1f} MB", format_duration(elapsed),
                                   format_count(recorder.events()), format_count(status.running),
                                   format_count(status.processes), static_cast<double>(recorder.bytes()) / 1e6);
    if (status.dropped > 0) line += fmt::format(" | {} DROPPED", format_count(status.dropped));
    if (status.steps > 0) line += fmt::format(" | step {}", status.steps);
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
  }
  void clear() const {
    if (is_terminal_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  bool is_terminal_ = isatty(STDERR_FILENO) == 1;
  Nanos shown_ = -kSecond;
};

void print_messages(TraceRecorder& recorder, const Progress& progress) {
  for (const CaptureMessage& message : recorder.session().take_messages()) {
    progress.clear();
    const std::string text = (message.pid == 0 ? "" : fmt::format("process {}: ", message.pid)) + printable(message.text);
    fmt::print(stderr, "lacuna: {}\n", text);
    if (recorder.sharing() != nullptr) recorder.sharing()->say(text);
  }
}

void print_losses(const Session::Status& s) {
  const auto tell = [](std::uint64_t count, const char* what) {
    if (count > 0) fmt::print(stderr, "lacuna: warning: {} {}\n", format_count(count), what);
  };
  tell(s.dropped, "records were dropped: a ring was full (--ring-kb makes them larger)");
  tell(s.incomplete_gpu, "GPU records had no start or end; they are not in the trace");
  tell(s.corrupt, "records made no sense; they are not in the trace");
  tell(s.lost_ends, "ranges lost their end and were closed where the next record came");
  tell(s.unmatched_pops, "pops or ends without a push or start");
  tell(s.names_lost, "names were lost or cut");
}

/// At the socket asked for; one named after the program where none was.
Result<void> share(TraceRecorder& recorder, const RecordOptions& options) {
  const std::string program = std::filesystem::path(options.command.front()).filename().string();
  const Result<std::string> path = share_path(options.live.empty() ? fmt::format("{}-{}", program.substr(0, 40), getpid()) : options.live);
  if (!path) return tl::make_unexpected(path.error());
  return recorder.share(*path, options.command, recordings_folder());
}

/// Runs rounds until the target and what it started have ended. Returns how the target ended.
Launcher::Exit watch(Launcher& target, TraceRecorder& recorder, Progress& progress) {
  const Nanos start = recorder.session().now();
  std::optional<Nanos> ended;
  int stops = 0;
  bool was_writing = true;
  for (;;) {
    recorder.poll(kPollMs);
    const Nanos now = recorder.session().now();
    print_messages(recorder, progress);
    progress.show(recorder, now - start);
    if (was_writing && !recorder.can_write()) {
      was_writing = false;
      progress.clear();
      fmt::print(stderr, "lacuna: the disk takes no more: the target runs on, but nothing more is recorded\n");
    }
    for (; stops < stop_requests.load(); ++stops) {
      progress.clear();
      if (stops == 0 && target_was_told) {
        (void)target.poll_exit();
        fmt::print(stderr, "lacuna: the target was interrupted and is ending (again: SIGTERM, then SIGKILL)\n");
        continue;
      }
      if (stops == 1 && target_was_told) (void)target.stop_harder();  // SIGINT, which it has had
      fmt::print(stderr, "lacuna: stopping the target: {}\n", target.stop_harder());
    }
    const auto exit = target.poll_exit();
    if (!exit) continue;
    if (!ended) ended = now;
    if (recorder.session().status().running == 0 || now - *ended > kStragglers) return *exit;
  }
}

void print_table(const std::string& path, const RecordOptions& options) {
  const Result<Trace> trace = load_traces({path}, {});
  if (!trace) return;  // nothing was captured, which was said
  StatsOptions stats;
  stats.limit = options.limit;
  stats.steps_in_a_line = true;
  stats.width = terminal_width();
  Output out(stdout);
  print_stats(*trace, stats, out);
  (void)out.finish();
}

}  // namespace

Result<void> record(const RecordOptions& given) {
  RecordOptions options = given;
  const Installation installation = find_installation();
  if (installation.collector.empty())
    return fail(ErrorCode::kUnsupported, "liblacuna_collector.so is not where lacuna looks for it (reinstall Lacuna)");
  if (options.command.empty()) {
    if (installation.demo.empty())
      return fail(ErrorCode::kInvalidArgument, "no command to record: lacuna record [OPTIONS] -- COMMAND...");
    options.command = {installation.demo};
  }
  if (options.output.empty()) options.output = default_output(options.command);

  SessionOptions session;
  session.collector = installation.collector;
  if (!options.no_torch) session.python_hook = installation.python_hook;
  session.nvtx = !options.no_nvtx;
  session.cuda = !options.no_cuda;
  session.memory = options.memory;
  session.whole_graphs = options.whole_graphs;
  session.shapes = options.shapes;
  session.verbose = options.verbose;
  session.ring_kib = options.ring_kib;
  session.schedule = options.schedule;
  auto recorder = TraceRecorder::start(options.output, session);
  if (!recorder) return tl::make_unexpected(recorder.error());

  if (options.is_shared) {
    if (Result<void> shared = share(**recorder, options); !shared) {
      (void)(*recorder)->finish();
      std::error_code error;
      std::filesystem::remove(options.output, error);
      return shared;
    }
  }

  const StopSignals signals;
  LaunchOptions launch;
  launch.arguments = options.command;
  launch.directory = options.directory;
  launch.inherited = own_environment();
  launch.set = (*recorder)->session().environment(launch.inherited);
  for (const std::string& variable : options.variables)
    launch.set.emplace_back(variable.substr(0, variable.find('=')), variable.substr(variable.find('=') + 1));
  Result<Launcher> target = Launcher::start(launch);
  if (!target) {
    (void)(*recorder)->finish();
    std::error_code error;
    std::filesystem::remove(options.output, error);
    return tl::make_unexpected(target.error());
  }
  fmt::print(stderr, "lacuna: recording {} (process {}); Ctrl+C stops it\n", printable(join_words(options.command)),
             target->pid());
  if (ShareServer* sharing = (*recorder)->sharing(); sharing != nullptr) {
    sharing->set_target(target->pid());
    fmt::print(stderr, "lacuna: watch it with: lacuna attach {}\n", printable(join_words({sharing->path()})));
  }
  Progress progress;
  const Launcher::Exit exit = watch(*target, **recorder, progress);
  (*recorder)->set_exit(exit);
  const std::uint64_t left_running = (*recorder)->session().status().running;
  const Nanos duration = (*recorder)->session().now();
  Result<void> saved = (*recorder)->finish();
  progress.clear();
  print_messages(**recorder, progress);
  const Session::Status status = (*recorder)->session().status();
  fmt::print(stderr, "lacuna: the target {}\n", exit.in_words());
  if (left_running > 0)
    fmt::print(stderr, "lacuna: {} captured processes still run; what they do now is not recorded\n", left_running);
  print_losses(status);
  if (!saved) return saved;
  (void)duration;
  if (status.slices == 0)
    fmt::print(stderr, "lacuna: nothing was captured: {} (lacuna doctor says more)\n",
               status.processes == 0 ? "the command used neither NVTX, nor CUDA, nor PyTorch"
                                     : "no range ended while it was captured");
  std::error_code error;
  const auto size = std::filesystem::file_size(options.output, error);
  fmt::print(stderr, "lacuna: {} slices of {} processes in {} ({:.1f} MB)\n", format_count(status.slices),
             format_count(status.processes), options.output, error ? 0.0 : static_cast<double>(size) / 1e6);
  if (status.slices > 0) print_table(options.output, options);
  return {};
}

std::string_view live_help() {
  return "Opens the window and shows the command while it runs; the same can be had from the launch dialog\n"
         "(Ctrl+L). Closing the window asks before a recording is lost, and ends the command.";
}

std::string_view attach_help() {
  return "Shows a recording that `lacuna record --live` makes, in a window, while it is made. The recording goes\n"
         "on whatever the window does; it ends, and is saved, where it was started. One window at a time.\n"
         "Without SOCKET: the one recording under way, or a list of them. SOCKET is a path or a name.";
}

Result<std::string> recording_to_attach(const std::string& name) {
  if (!name.empty()) return share_path(name);
  const std::vector<std::string> found = shared_recordings();
  if (found.empty())
    return fail(ErrorCode::kNotFound, "no recording to watch is under way (one begins with: lacuna record --live -- COMMAND...)");
  if (found.size() == 1) return found.front();
  std::string list = "several recordings are under way; say which:";
  const Result<std::string> folder = share_folder();
  for (const std::string& path : found) {
    const std::filesystem::path file = path;
    const bool has_name = folder && file.parent_path() == *folder;
    list += "\n  lacuna attach " + join_words({has_name ? file.stem().string() : path});
  }
  return fail(ErrorCode::kInvalidArgument, list);
}

std::string_view record_help() {
  return "The command runs with Lacuna's collector inside: NVTX ranges, CUDA activity through CUPTI (CUDA\n"
         "12 and 13), PyTorch operators through a hook in PYTHONPATH. Child processes are captured too.\n"
         "The trace is Kineto-like JSON: lacuna OUT, Perfetto and chrome://tracing open it, even\n"
         "after a crash. Steps are calls of an optimizer's step(). Ctrl+C stops the target: SIGINT, then\n"
         "SIGTERM, then SIGKILL. How the target ended is told in words; the exit code is that of the recording.";
}

}  // namespace lacuna
