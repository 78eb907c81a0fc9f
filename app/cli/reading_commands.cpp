// What takes the place of all_commands.cpp and command_there.cpp where there is no capture (Windows).
#include <string_view>
#include <utility>

#include "app/cli/command.h"

namespace lacuna {

std::vector<Command> all_commands(CommandContext& context) {
  using Make = Command (*)(CommandContext&);
  const std::pair<std::string_view, std::vector<Make>> tasks[] = {
      {"Look at a trace",
       {report_command, gaps_command, stats_command, calls_command, critical_path_command, what_if_command,
        roofline_command, requests_command, memory_command, info_command, kernel_command, query_command}},
      {"Compare runs, or the ranks of a job", {diff_command, check_command, job_command, digest_command, hang_command}},
      {"Hand something on", {bundle_command, notes_command, export_command, cut_command, schema_command}},
  };
  std::vector<Command> all;
  for (const auto& [task, makes] : tasks)
    for (const Make make : makes) all.emplace_back(make(context)).task = task;
  return all;
}

bool reaches_machines() {
  return false;
}

Result<void> run_there(CommandContext& context, const Command*) {
  return fail(ErrorCode::kUnsupported, "this lacuna reads what is on this machine alone", context.remote.host);
}

}  // namespace lacuna
