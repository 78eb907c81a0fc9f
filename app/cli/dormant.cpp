#include "app/cli/dormant.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "app/cli/command.h"
#include "app/cli/json_writer.h"
#include "app/cli/text_table.h"
#include "capture/session/dormant.h"
#include "capture/session/installation.h"
#include "model/base/shell_words.h"
#include "model/base/standard_error.h"

namespace lacuna {
namespace {

Result<void> need_collector() {
  if (!find_installation().collector.empty()) return {};
  return fail(ErrorCode::kUnsupported, "liblacuna_collector.so is not where lacuna looks for it (reinstall Lacuna)");
}

}  // namespace

void EnvCommand::add_to(CLI::App& app) {
  app.add_flag("--json", json, "Write JSON to standard output");
  app.add_flag("--no-torch", no_torch, "No PyTorch operators (no hook in PYTHONPATH)");
  app.add_flag("--shapes", shapes, "Input shapes of PyTorch operators, while it is recorded");
  app.add_flag("--allocator", allocator, "Allocations and frees of PyTorch's allocators, while it is recorded");
}

Result<void> print_environment(const EnvCommand& command, Output& out) {
  if (Result<void> there = need_collector(); !there) return there;
  const auto variables = dormant_environment(!command.no_torch, command.shapes, command.allocator);
  if (command.json) {
    JsonWriter json(out);
    json.begin_list("variables");
    for (const DormantVariable& variable : variables)
      json.element({{"name", variable.name}, {"value", variable.value}, {"prepend", variable.goes_in_front}});
    json.end();
    json.finish();
    return {};
  }
  for (const DormantVariable& variable : variables)
    out.write(fmt::format("export {}={}{}\n", variable.name, join_words({variable.value}),
                          variable.goes_in_front ? fmt::format("\"${{{0}:+:${0}}}\"", variable.name) : std::string()));
  return {};
}

constexpr const char* kEnvHelp =
    "For Slurm scripts, containers and services: eval \"$(lacuna env)\" in front of the program, or the same "
    "names\n"
    "and values in its configuration. The program then records nothing and costs nothing measurable until\n"
    "lacuna attach PID -o OUT looks at it, as often as one likes; lacuna jobs lists such programs. In a "
    "container\n"
    "Lacuna's folder must be there under the same path, and lacuna attach runs in it (docker exec), since the\n"
    "two meet at a socket of its network namespace; it is private to the user, and nothing listens on a network.\n"
    "JSON: variables[] (name, value, prepend: true for a search path that it goes in front of).";

Result<int> run_dormant(const RecordOptions& options) {
  if (Result<void> there = need_collector(); !there) return tl::make_unexpected(there.error());
  const Result<LivePlan> plan = options.live_plan({});
  if (!plan) return tl::make_unexpected(plan.error());
  for (const DormantVariable& variable : dormant_environment(plan->torch, plan->shapes, plan->allocator)) {
    const char* before = std::getenv(variable.name.c_str());
    const bool is_joined = variable.goes_in_front && before != nullptr && *before != '\0';
    setenv(variable.name.c_str(), (is_joined ? variable.value + ":" + before : variable.value).c_str(), 1);
  }
  for (const auto& [name, value] : plan->variables) setenv(name.c_str(), value.c_str(), 1);
  unsetenv("LACUNA_SOCKET");  // of a recording that lacuna itself runs in
  if (!plan->directory.empty() && chdir(plan->directory.c_str()) != 0)
    return fail(ErrorCode::kNotFound, std::strerror(errno), plan->directory);
  if (!options.quiet)
    to_standard_error(fmt::format(
        "lacuna: dormant: lacuna attach {} -o OUT looks at it (lacuna jobs lists such programs)\n", getpid()));
  signal(SIGPIPE, SIG_DFL);  // ours alone
  std::vector<std::string> words = plan->arguments;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  return fail(ErrorCode::kNotFound, std::strerror(errno), plan->arguments.front());
}

Command env_command(CommandContext&) {
  const auto run = [](const EnvCommand& command) {
    return answer([&](Output& out) { return print_environment(command, out); });
  };
  return make_command("env", "Environment variables with which a program starts dormant, to be looked at later",
                      kEnvHelp, std::make_shared<EnvCommand>(), run);
}

}  // namespace lacuna
