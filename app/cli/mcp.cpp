// What serves agents is the Python package's: this starts it, with this program as the one that answers.

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "model/base/os/machine.h"
#include "model/base/os/process.h"

namespace lacuna {
namespace {

struct McpOptions {
  std::vector<std::string> folders;
  bool allow_record = false;
  unsigned characters = 20'000;
  double timeout = 300;
  std::string python = "python3";

  void add_to(CLI::App& app) {
    app.add_option("DIR", folders, "Folders whose traces may be read; links that lead out of them are refused")
        ->required()
        ->type_name("");
    app.add_flag("--allow-record", allow_record, "Let the agent run commands and record them");
    app.add_option("--characters", characters, "Most characters of an answer (default: 20000)")
        ->check(CLI::Range(1'000u, 10'000'000u))
        ->type_name("N");
    app.add_option("--timeout", timeout, "Seconds for an answer (default: 300)")
        ->check(CLI::Range(1.0, 86'400.0))
        ->type_name("S");
    app.add_option("--python", python, "Python that has the lacuna package (default: python3)")->type_name("PROGRAM");
  }
};

// The folder one stands in is not looked at: what lies there may be anybody's.
constexpr const char* kStart = R"py(import sys
sys.path[:] = [folder for folder in sys.path if folder]
try:
    from lacuna.__main__ import main
except ImportError as error:
    sys.exit(f"lacuna: lacuna mcp needs the lacuna package of Python: pip install 'lacuna[mcp]' ({error})")
sys.exit(main(sys.argv[1:])))py";

Result<void> start_python(const McpOptions& options) {
  std::vector<std::string> words{options.python, "-c", kStart, "mcp"};
  if (options.allow_record) words.emplace_back("--allow-record");
  words.push_back(fmt::format("--characters={}", options.characters));
  words.push_back(fmt::format("--timeout={}", options.timeout));
  words.emplace_back("--");
  words.insert(words.end(), options.folders.begin(), options.folders.end());
  std::error_code unknown;
  if (const std::string self = std::filesystem::read_symlink(own_program(), unknown).string(); !unknown)
    ::setenv("LACUNA_BIN", self.c_str(), 0);  // another one that the user named stays
  become_program(std::move(words));
  return fail(ErrorCode::kUnsupported,
              fmt::format("Python cannot be started: {}", std::generic_category().message(errno)), options.python);
}

constexpr const char* kMcpHelp =
    R"help(A server for agents by the Model Context Protocol, on standard input and output; nothing listens. Its tools: open,
brief, report, gaps, statistics, query (SQL), critical_path, what_if, compare, job, memory, picture, cut (writes a small
trace into one of the folders), and with --allow-record record. It needs the Python package: pip install 'lacuna[mcp]'.
docs/agents.md says how agents are told of it, as: claude mcp add lacuna -- lacuna mcp ~/traces)help";

}  // namespace

Command mcp_command(CommandContext&) {
  return make_command("mcp", "Answers for agents, by the Model Context Protocol", kMcpHelp,
                      std::make_shared<McpOptions>(), start_python);
}

}  // namespace lacuna
