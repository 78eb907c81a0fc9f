#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "capture/metrics/metrics_options.h"
#include "capture/metrics/pm_worker.h"

namespace lacuna {

std::vector<Command> all_commands(CommandContext& context) {
  using Make = Command (*)(CommandContext&);
  const std::pair<std::string_view, std::vector<Make>> tasks[] = {
      {"Look at a trace",
       {report_command, gaps_command, stats_command, calls_command, critical_path_command, what_if_command,
        roofline_command, requests_command, memory_command, info_command, kernel_command, query_command, web_command}},
      {"Compare runs, or the ranks of a job", {diff_command, check_command, job_command, digest_command, hang_command}},
      {"Record a program",
       {live_command, record_command, attach_command, jobs_command, request_command, env_command, recordings_command}},
      {"Hand something on",
       {bundle_command, notes_command, export_command, cut_command, screenshot_command, schema_command, mcp_command}},
      {"This machine and others", {doctor_command, install_on_command, serve_command, sample_gpu_command}},
  };
  std::vector<Command> all;
  for (const auto& [task, makes] : tasks)
    for (const Make make : makes)
      if (make != live_command || context.graphics.run_window) all.emplace_back(make(context)).task = task;
  return all;
}

Command sample_gpu_command(CommandContext& context) {
  const auto options = std::make_shared<PmWorkerOptions>();
  return {std::string(kSampleGpuCommand),
          "Samples a GPU for a recording, which starts this",
          {},
          [options](CLI::App& app) {
            app.group("");
            app.add_option("--rate", options->per_second, "A second")->check(CLI::Range(1u, kMostCounters));
            app.add_flag("--ask", options->only_asks, "Whether it would work");
          },
          [&context, options]() -> Result<void> {
            context.exit = run_pm_worker(*options);
            return {};
          }};
}

}  // namespace lacuna
