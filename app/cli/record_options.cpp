#include "app/cli/record_options.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

#include "app/cli/option_values.h"
#include "capture/session/installation.h"

namespace lacuna {
namespace {

std::optional<int> kill_signal_of(std::string_view how) {
  if (how == "none") return 0;
  if (how == "term") return SIGTERM;
  if (how == "int") return SIGINT;
  if (how == "kill") return SIGKILL;
  return std::nullopt;
}

/// "5s", "10m", "500ms" as elsewhere; a number alone is seconds.
std::string time_to_seconds(std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") == text.npos) return {};
  const std::optional<Nanos> time = parse_duration(text);
  if (!time) return is_finite(text).empty() ? "'" + text + "' is not a time such as 5s" : is_finite(text);
  text = fmt::format("{:.9f}", static_cast<double>(*time) / 1e9);
  return {};
}

Nanos from_seconds(double seconds) {
  return static_cast<Nanos>(std::min(seconds, 1e7) * 1e9);
}

}  // namespace

CLI::Option* add_gpu_counters_to(CLI::App& app, unsigned& per_second) {
  return app
      .add_flag(fmt::format("--gpu-counters{{{}}}", kUsualCounters), per_second,
                "SM activity, occupancy, DRAM traffic, 200 or N (to 5000) times a second; locks out others")
      ->type_name("[=N]")
      ->check(CLI::Range(0u, kMostCounters).description(""));
}

void RecordOptions::add_capture_to(CLI::App& app) {
  app.add_option("--cwd", directory, "Working directory of the command")->type_name("DIR");
  app.add_option("--env", variables, "Set a variable for the command; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        return text.find('=') > 0 && text.find('=') != std::string::npos ? std::string{}
                                                                         : "'" + text + "' is not NAME=VALUE";
      });
  app.add_flag("--no-nvtx", no_nvtx, "No NVTX ranges");
  app.add_flag("--no-cuda", no_cuda, "No GPU activity (leaves CUPTI to others)");
  app.add_flag("--memory", memory, "Allocations of CUDA memory, as \"[memory]\" events");
  app.add_flag("--whole-graphs", whole_graphs, "A launched CUDA graph as one slice, not its kernels: less overhead");
  app.add_flag("--no-torch", no_torch, "No PyTorch operators (no hook in PYTHONPATH)");
  app.add_flag("--shapes", shapes, "Input shapes of PyTorch operators");
  app.add_flag("--allocator", allocator, "Allocations and frees of PyTorch's allocators, as \"[memory]\" events");
  app.add_flag("!--no-stacks", sampling.stacks, "No stacks of Python and native code by sampling");
  app.add_option("--stack-rate", sampling.stacks_per_second, "Stacks a second, 1 to 1000 (default: 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  app.add_flag("!--no-states", sampling.switches, "Not when threads ran, waited, were preempted");
  app.add_flag("--no-metrics", no_metrics, "No GPU clocks, power, memory and the like, nor CPU load, beside it");
  app.add_option("--metrics-rate", metrics_per_second, "Readings of the GPUs a second, 1 to 100 (default: 20)")
      ->type_name("N")
      ->check(CLI::Range(1, 100).description(""));
  add_gpu_counters_to(app, gpu_counters);
  app.add_option("--wait", schedule.wait, "Training steps to skip, as in torch.profiler.schedule")->type_name("N");
  app.add_option("--warmup", schedule.warmup, "Steps to run without keeping them")->type_name("N");
  app.add_option("--active", schedule.active, "Steps to keep (default: everything)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_option("--repeat", schedule.repeat, "Rounds of wait, warmup, active; 0 = until the end")->type_name("N");
  app.add_option("--step-range", step_range, "Ranges of this name are the steps (NVTX or record_function)")
      ->type_name("NAME");
  app.add_option("--step-every", step_every, "Steps are X seconds long")
      ->type_name("X")
      ->check(is_finite)
      ->check(CLI::PositiveNumber);
  app.add_option("--wait-for", wait_for,
                 "Ends with the command (child) or with the last recorded process (all, the default)")
      ->type_name("WHOM")
      ->check([](const std::string& text) {
        return text == "child" || text == "all" ? std::string{} : "'" + text + "' is neither child nor all";
      });
  app.add_option("--ring-kb", ring_kib, "Buffer of each thread in KiB (default: 4096)")->type_name("N");
  app.add_flag("--verbose", verbose, "The collector says what it does");
  app.add_option("COMMAND", command, "Program and its arguments, behind --; without one: the bundled demo")
      ->type_name("");
}

void RecordOptions::add_to(CLI::App& app) {
  app.add_option("-o,--output", output,
                 "File; .gz, .zst by name; %p pid, %r rank, %h host, %n number (default: PROGRAM-TIME…)")
      ->type_name("OUT");
  app.add_flag("--force", force, "Replace OUT whatever it is; without: only a trace that Lacuna wrote");
  app.add_flag("--no-status", no_status, "No status line on the terminal");
  app.add_flag("-q,--quiet", quiet, "Print errors and warnings only: no status line, no table");
  app.add_flag("--exit-zero", exit_zero, "Exit with 0 however the command ended");
  app.add_flag("--per-rank", per_rank,
               "A trace for each rank (torchrun, accelerate, mpirun, srun): OUT-rank0 and so on");
  app.add_flag("--dormant", dormant,
               "Only start the command: lacuna attach PID -o OUT looks at it, any number of times");
  app.add_option("--limit", limit, "Rows of the table at the end (default: 12)")->type_name("N");
  app.add_option_function<std::vector<std::string>>(
         "--live",
         [this](const std::vector<std::string>& given) {
           is_shared = true;
           if (!given.empty()) live = given.front();
         },
         "A path or name (default: PROGRAM-PID): a window here may watch (lacuna attach)")
      ->type_name("SOCKET")
      ->expected(0, 1)
      ->allow_extra_args(false);  // else it takes all the words that follow
  add_window_to(app);
  add_keep_to(app);
  add_capture_to(app);
}

void RecordOptions::add_window_to(CLI::App& app) {
  app.add_option("--delay", delay, "Record from X seconds after the start on (or 500ms, 5s, 10m)")
      ->type_name("X")
      ->transform(CLI::Validator(time_to_seconds, ""))
      ->check(is_finite)
      ->check(CLI::NonNegativeNumber);
  app.add_option("--start-on", start_on, "Record from the first NVTX range or PyTorch operator of this name on")
      ->type_name("NAME");
  app.add_option("--duration", duration, "Record X seconds (or 5s, 10m), then end the command")
      ->type_name("X")
      ->transform(CLI::Validator(time_to_seconds, ""))
      ->check(is_finite)
      ->check(CLI::PositiveNumber);
  app.add_option("--kill", kill, "How --duration ends it: term (SIGTERM, the default), int, kill, or none: it goes on")
      ->type_name("HOW")
      ->check([](const std::string& text) {
        return kill_signal_of(text) ? std::string{} : "'" + text + "' is none of term, int, kill, none";
      });
}

void RecordOptions::add_keep_to(CLI::App& app) {
  const auto is_positive = [](const std::string& text) {
    const std::string wrong = is_finite(text);
    return wrong.empty() ? CLI::PositiveNumber(text) : wrong;
  };
  app.add_option("--keep-seconds", keep_seconds,
                 "Keep the last X seconds; the oldest goes, counted (default: everything)")
      ->type_name("X")
      ->check(is_positive);
  app.add_option("--keep-gb", keep_gb, "Keep what takes X GB of memory")->type_name("X")->check(is_positive);
}

void RecordOptions::add_live_to(CLI::App& app) {
  add_keep_to(app);
  add_capture_to(app);
}

KeepLimit RecordOptions::keep_limit() const {
  KeepLimit keep;
  keep.last_ns = from_seconds(keep_seconds);
  keep.memory_bytes = static_cast<std::uint64_t>(std::min(keep_gb, 1e6) * 1e9);
  return keep;
}

RecordWindow RecordOptions::window() const {
  return {from_seconds(delay), start_on, from_seconds(duration)};
}
int RecordOptions::kill_signal() const {
  return kill_signal_of(kill).value_or(SIGTERM);
}

std::string RecordOptions::contradiction() const {
  const bool has_steps = schedule.wait > 0 || schedule.warmup > 0 || schedule.repeat > 0;
  if (has_steps && schedule.active == 0)
    return "--wait, --warmup and --repeat need --active: how many steps are to be kept?";
  if (!step_range.empty() && step_every > 0)
    return "--step-range and --step-every exclude each other: steps are one or the other";
  if (step_every > 0 && schedule.active == 0) return "--step-every needs --active: how many steps are to be kept?";
  if (!step_range.empty() && no_nvtx && no_torch)
    return "--step-range names a range, and --no-nvtx and --no-torch leave none";
  if (dormant && (!output.empty() || is_shared || window().is_set() || keep_limit().is_set() || schedule.is_set() ||
                  gpu_counters > 0))
    return "--dormant records nothing by itself: lacuna attach PID says what to record, and where to";
  if (!start_on.empty() && no_nvtx && no_torch)
    return "--start-on names a range, and --no-nvtx and --no-torch leave none";
  if (!kill.empty() && duration == 0)
    return "--kill says how --duration ends the command: how long is it to be recorded?";
  if (is_shared && keep_limit().is_set())
    return "--live shows all that is recorded, --keep-seconds and --keep-gb keep the newest part: for a window that "
           "does, lacuna live";
  if (gpu_counters > 0 && no_metrics) return "--gpu-counters are metrics of the GPUs, which --no-metrics leaves out";
  if (shapes && no_torch) return "--shapes needs PyTorch's operators, which --no-torch leaves out";
  if (allocator && no_torch) return "--allocator needs PyTorch's hook, which --no-torch leaves out";
  if (memory && no_cuda) return "--memory needs CUDA's activity, which --no-cuda leaves out";
  if (whole_graphs && no_cuda) return "--whole-graphs needs CUDA's activity, which --no-cuda leaves out";
  return {};
}

Result<LivePlan> RecordOptions::live_plan(const std::vector<std::string>& demo_arguments) const {
  LivePlan plan;
  plan.arguments = command;
  if (plan.arguments.empty()) {
    const std::string demo = find_installation().demo;
    if (demo.empty()) return fail(ErrorCode::kInvalidArgument, "no command; it goes behind --");
    plan.arguments = {demo};
    plan.arguments.insert(plan.arguments.end(), demo_arguments.begin(), demo_arguments.end());
  }
  plan.directory = directory;
  for (const std::string& variable : variables)
    plan.variables.emplace_back(variable.substr(0, variable.find('=')), variable.substr(variable.find('=') + 1));
  plan.nvtx = !no_nvtx;
  plan.cuda = !no_cuda;
  plan.torch = !no_torch;
  plan.shapes = shapes;
  plan.allocator = allocator;
  plan.memory = memory;
  plan.whole_graphs = whole_graphs;
  plan.verbose = verbose;
  plan.ring_kib = ring_kib;
  plan.schedule = schedule;
  plan.step_range = step_range;
  plan.step_every = from_seconds(step_every);
  plan.waits_for_all = wait_for == "all";
  plan.sampling = sampling;
  plan.metrics = {
      .gpus = !no_metrics, .host = !no_metrics, .per_second = metrics_per_second, .counters_per_second = gpu_counters};
  plan.keep = keep_limit();
  return plan;
}

std::string take_command(const SplitWords& words, RecordOptions& options) {
  if (words.command) {
    if (!options.command.empty())
      return "the command goes behind --, and '" + options.command.front() + "' stands before it";
    options.command = *words.command;
  } else if (!options.live.empty() && !options.command.empty()) {
    return "'" + options.live + "' may be the socket of --live or the command: write the command behind --";
  }
  return {};
}

}  // namespace lacuna
