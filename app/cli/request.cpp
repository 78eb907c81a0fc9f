#include "app/cli/request.h"

#include <cstdio>
#include <ctime>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/on_host.h"
#include "app/cli/option_values.h"
#include "app/cli/record_signals.h"
#include "app/cli/text_table.h"
#include "capture/kineto/job_request.h"
#include "model/base/standard_error.h"
#include "render/format.h"

namespace lacuna {
namespace {

using RequestState = JobProgress::State;

std::string job_name(const RunningJob& job) {
  return job.rank < 0 ? fmt::format("process {}", job.pid) : fmt::format("rank {} (process {})", job.rank, job.pid);
}

std::string state_line(const JobProgress& progress) {
  switch (progress.state) {
    case RequestState::kWaking:
      return "is woken";
    case RequestState::kAwaited:
      return "waiting until it asks";
    case RequestState::kBusy:
      return progress.words;
    case RequestState::kAsked:
      return "has the request";
    case RequestState::kRecording:
      return "records";
    case RequestState::kDone:
      return fmt::format("{} in {}{}{}", format_bytes(progress.bytes), progress.file,
                         progress.words.empty() ? "" : "; ", progress.words);
    case RequestState::kFailed:
      return "failed: " + progress.words;
  }
  return {};
}

/// Tells each change once.
class RequestTeller {
 public:
  void tell(const JobRequest& request) {
    if (request.start_ms() > 0 && !is_start_reported_) {
      is_start_reported_ = true;
      to_standard_error(fmt::format("lacuna: all begin at {:%H:%M:%S}.{:03}\n",
                                    fmt::localtime(request.start_ms() / 1000), request.start_ms() % 1000));
    }
    shown_.resize(request.jobs().size(), -1);
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const JobProgress& progress = request.jobs()[i];
      const int state = static_cast<int>(progress.state);
      if (shown_[i] == state) continue;
      shown_[i] = state;
      to_standard_error(fmt::format("lacuna: {}: {}\n", job_name(progress.job), printable(state_line(progress))));
    }
  }

 private:
  std::vector<int> shown_;
  bool is_start_reported_ = false;
};

Result<RequestPlan> plan_of(const RequestCommand& command) {
  RequestPlan plan;
  const Result<JobChoice> choice = parse_job_choice(command.jobs);
  if (!choice) return tl::make_unexpected(choice.error());
  plan.choice = *choice;
  const std::string duration = command.duration.empty() && command.iterations == 0 ? "2s" : command.duration;
  if (!duration.empty()) plan.request.duration = parse_duration(duration).value_or(0);
  plan.request.iterations = command.iterations;
  plan.request.multiple_of = command.multiple_of;
  plan.request.shapes = command.shapes;
  plan.request.stacks = command.stacks;
  plan.request.memory = command.memory;
  plan.request.modules = command.modules;
  plan.request.snapshot = command.snapshot;
  plan.folder = command.folder.empty() ? fmt::format("lacuna-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)))
                                       : command.folder;
  plan.replaces = command.force;
  plan.patience = std::chrono::milliseconds(static_cast<std::int64_t>(command.wait * 1000));
  return plan;
}

}  // namespace

void RequestCommand::add_to(CLI::App& app) {
  app.add_option("JOBS", jobs, "Processes (1234,1240), \"ranks 0-3,7\" or \"all\": lacuna jobs lists them")
      ->required()
      ->type_name("");
  CLI::Option* time = app.add_option("--duration", duration, "Length of the window: 500ms, 2s, 1m (default: 2s)")
                          ->type_name("TIME")
                          ->check([](const std::string& text) {
                            return parse_duration(text) ? std::string{} : "'" + text + "' is not a time such as 2s";
                          });
  CLI::Option* steps = app.add_option("--iterations", iterations, "Steps of the optimizer, in place of a duration")
                           ->type_name("N")
                           ->check(CLI::Range(1, 1'000'000))
                           ->excludes(time);
  app.add_option("--multiple-of", multiple_of,
                 "Begin at an iteration that is a multiple of N, so that ranks take the same ones")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000'000))
      ->needs(steps);
  app.add_flag("--shapes", shapes, "Shapes of the operators' inputs");
  app.add_flag("--stack", stacks, "Python's frames");
  CLI::Option* allocations = app.add_flag("--memory", memory, "Allocations");
  app.add_flag("--modules", modules, "Module hierarchy (of TorchScript)");
  app.add_flag("--memory-snapshot", snapshot,
               "In place of a trace the snapshot of CUDA's allocator, as lacuna memory reads it")
      ->excludes(steps)
      ->excludes(allocations);
  app.add_option("-o,--output", folder, "Folder for rankN.json, pidN.pickle … (default: a new one here)")
      ->type_name("DIR");
  app.add_flag("--force", force, "Replace what lies there; else new files get a number: rank3-2.json");
  app.add_option("--wait", wait, "Seconds after which a job that is busy or takes no step is given up (default: 60)")
      ->type_name("SECONDS")
      ->check(is_finite)
      ->check(CLI::Range(1.0, 86'400.0));
  app.add_flag("--open", opens, "Show the traces in the window");
}

Result<RequestAnswer> run_request(const RequestCommand& command) {
  Result<RequestPlan> plan = plan_of(command);
  if (!plan) return tl::make_unexpected(plan.error());
  const RecordSignals signals;
  const Result<std::unique_ptr<JobRequest>> request = JobRequest::start(std::move(*plan));
  if (!request) return tl::make_unexpected(request.error());
  JobRequest& running = **request;
  for (const std::string& problem : running.problems())
    to_standard_error(fmt::format("lacuna: {}\n", printable(problem)));
  RequestTeller teller;
  teller.tell(running);
  bool goes_on = true;
  while (goes_on && signals.stops() == 0) {
    goes_on = running.step(std::chrono::milliseconds(50));
    teller.tell(running);
  }
  running.stop();
  while (running.has_windows() && signals.stops() < 2) {  // they sleep again, and what came is written
    running.step(std::chrono::milliseconds(20));
    teller.tell(running);
  }
  RequestAnswer answer;
  answer.is_whole = running.problems().empty();
  for (std::size_t i = 0; i < running.jobs().size(); ++i) {
    const JobProgress& progress = running.jobs()[i];
    answer.is_whole = answer.is_whole && progress.state == RequestState::kDone;
    if (progress.state == RequestState::kDone) answer.files.push_back(progress.file);
    if (goes_on && (progress.state == RequestState::kAsked || progress.state == RequestState::kRecording) &&
        !progress.job.is_dormant)
      to_standard_error(fmt::format("lacuna: {}: it has the request all the same, and writes {}\n",
                                    job_name(progress.job), printable(running.path_of(i))));
  }
  return answer;
}

constexpr const char* kRequestHelp =
    "Records programs that run already (lacuna jobs lists them) for a window of time.\n"
    "Dormant ones (lacuna record --dormant, lacuna env) are woken, with what they started, recorded as lacuna "
    "record\n"
    "does, and sleep again. Several begin at one moment, once all are awake and PyTorch's operators are hooked "
    "(the\n"
    "first time on a machine that takes some 20 s). --iterations skips the step in which they wake. Ctrl+C ends "
    "the\n"
    "window; what came until then is kept. Python's stacks are sampled; --shapes needs lacuna env --shapes.\n"
    "Of other PyTorch programs torch.profiler's own Kineto takes the trace, which listens where the program has\n"
    "KINETO_USE_DAEMON=1 in its environment when it starts. Such programs ask every 5 s, so the window begins 3 "
    "to 8 s\n"
    "from now; of several jobs it begins at one moment, by the clock. Iterations are counted by the optimizers' "
    "step().\n"
    "The trace is what torch.profiler would write. A first trace of a process may lack operators, while PyTorch "
    "loads its\n"
    "profiler. One of several jobs may miss the moment on a busy machine (Kineto looks at the clock once a "
    "second). Lacuna\n"
    "says so in both cases; ask again then.\n"
    "A program that is dormant and Kineto's is woken, but for --memory-snapshot, --modules and --multiple-of, "
    "which Kineto\n"
    "does. The files are printed, one a line; the exit code is 1 where a job gave none. After Ctrl+C no further "
    "job is\n"
    "asked; a job that has the request goes on, and lacuna says where it writes. Nothing is overwritten: where a "
    "file is\n"
    "there already, those of this request are rankN-2.json and so on. Traces pass through /tmp, or\n"
    "KINETO_ONDEMAND_TRACE_DIR where the job has it.\n"
    "--memory-snapshot has PyTorch note allocations with their stacks for the window, then write what\n"
    "torch.cuda.memory._dump_snapshot() writes (lacuna memory FILE): who holds the memory of a job that runs.\n"
    "What was allocated before the window has a stack only where the program records its history itself; that\n"
    "recording ends with the window.";

Command request_command(CommandContext& context) {
  const auto command = std::make_shared<RequestCommand>();
  const auto run = [&context](const RequestCommand& asked) -> Result<void> {
    const Result<RequestAnswer> got = run_request(asked);
    if (!got) return tl::make_unexpected(got.error());
    if (!got->is_whole) context.exit = kExitError;
    Output out(stdout);
    for (const std::string& file : got->files) out.write(file + "\n");
    if (Result<void> written = out.finish(); !written || !asked.opens || got->files.empty()) return written;
    context.load.paths = got->files;
    return context.open_window();
  };
  Command request = make_command("request", "Takes a window of programs that run already: dormant ones, PyTorch's",
                                 kRequestHelp, command, run);
  request.run_there = [&context, command](const RemotePlace& place) -> Result<bool> {
    if (!command->opens) return false;
    if (Result<void> possible = context.check_window(); !possible) return tl::make_unexpected(possible.error());
    std::string output;
    const Result<int> exit = run_on_host(place, without_flag(context.remote.words, "--open"), &output, false);
    if (!exit) return tl::make_unexpected(exit.error());
    context.exit = *exit;
    for (std::size_t at = 0; at < output.size();) {
      const std::size_t end = std::min(output.find('\n', at), output.size());
      context.load.paths.push_back(output.substr(at, end - at));
      at = end + 1;
    }
    if (output.empty()) return true;
    return context.open_there(place).map([] { return true; });
  };
  request.keeps_files = [command] { return command->opens; };
  return request;
}

}  // namespace lacuna
