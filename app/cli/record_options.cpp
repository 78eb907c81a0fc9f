#include "app/cli/record_options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "capture/session/installation.h"

namespace lacuna {

void RecordOptions::add_capture_to(CLI::App& app) {
  app.add_option("--cwd", directory, "Working directory of the command")->type_name("DIR");
  app.add_option("--env", variables, "Set a variable for the command; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        return text.find('=') > 0 && text.find('=') != std::string::npos ? std::string{} : "'" + text + "' is not NAME=VALUE";
      });
  app.add_flag("--no-nvtx", no_nvtx, "No NVTX ranges");
  app.add_flag("--no-cuda", no_cuda, "No GPU activity (leaves CUPTI to others)");
  app.add_flag("--memory", memory, "Allocations of CUDA memory, as \"[memory]\" events");
  app.add_flag("--whole-graphs", whole_graphs, "A launched CUDA graph as one slice, not its kernels: less overhead");
  app.add_flag("--no-torch", no_torch, "No PyTorch operators (no hook in PYTHONPATH)");
  app.add_flag("--shapes", shapes, "Input shapes of PyTorch operators");
  app.add_option("--wait", schedule.wait, "Training steps to skip, as in torch.profiler.schedule")->type_name("N");
  app.add_option("--warmup", schedule.warmup, "Steps to run without keeping them")->type_name("N");
  app.add_option("--active", schedule.active, "Steps to keep (default: everything)")->type_name("N");
  app.add_option("--repeat", schedule.repeat, "Rounds of wait, warmup, active; 0 = until the end")->type_name("N");
  app.add_option("--ring-kb", ring_kib, "Buffer of each thread in KiB (default: 4096)")->type_name("N");
  app.add_flag("--verbose", verbose, "The collector says what it does");
  app.add_option("COMMAND", command, "Program and its arguments, behind --; without one: the bundled demo")
      ->type_name("");
}

void RecordOptions::add_to(CLI::App& app) {
  app.add_option("-o,--output", output, "File to write; .gz or .zst by name (default: PROGRAM-TIME.trace.json.gz)")
      ->type_name("OUT");
  app.add_option("--limit", limit, "Rows of the table at the end (default: 12)")->type_name("N");
  app.add_option_function<std::vector<std::string>>(
         "--live",
         [this](const std::vector<std::string>& given) {
           is_shared = true;
           if (!given.empty()) live = given.front();
         },
         "A path or name (default: PROGRAM-PID): a window here may watch (lacuna attach)")
      ->type_name("SOCKET")
      ->expected(0, 1);
  add_capture_to(app);
}

void RecordOptions::add_keep_to(CLI::App& app) {
  const auto is_positive = CLI::PositiveNumber;
  app.add_option("--keep-seconds", keep_seconds, "Keep the last X seconds; the oldest goes, counted (default: everything)")
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
  keep.last_ns = static_cast<Nanos>(std::min(keep_seconds, 1e7) * 1e9);
  keep.memory_bytes = static_cast<std::uint64_t>(std::min(keep_gb, 1e6) * 1e9);
  return keep;
}

Result<LivePlan> RecordOptions::live_plan() const {
  LivePlan plan;
  plan.arguments = command;
  if (plan.arguments.empty()) {
    const std::string demo = find_installation().demo;
    if (demo.empty()) return fail(ErrorCode::kInvalidArgument, "no command to launch: lacuna live [OPTIONS] -- COMMAND...");
    plan.arguments = {demo, "400"};  // a quarter of a minute
  }
  plan.directory = directory;
  for (const std::string& variable : variables)
    plan.variables.emplace_back(variable.substr(0, variable.find('=')), variable.substr(variable.find('=') + 1));
  plan.nvtx = !no_nvtx;
  plan.cuda = !no_cuda;
  plan.torch = !no_torch;
  plan.shapes = shapes;
  plan.memory = memory;
  plan.whole_graphs = whole_graphs;
  plan.verbose = verbose;
  plan.ring_kib = ring_kib;
  plan.schedule = schedule;
  plan.keep = keep_limit();
  return plan;
}

}  // namespace lacuna
