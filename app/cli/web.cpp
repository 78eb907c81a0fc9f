#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/on_host.h"
#include "app/cli/option_values.h"
#include "app/cli/record_options.h"
#include "app/remote_plan.h"
#include "model/import/trace_files.h"

namespace lacuna {
namespace {

constexpr const char* kWebHelp =
    "For a laptop on which Lacuna does not run: run it where the traces lie, and open the address that it prints, on\n"
    "any machine with a browser. It listens on 127.0.0.1 alone: ssh -L 8730:127.0.0.1:8730 HOST brings the port to\n"
    "you, VS Code's remote terminal does so by itself. The address holds a token, without which nobody gets in; each\n"
    "page is a window of its own, reloading one brings its view back. Nothing is rasterised here: the page draws, and\n"
    "no graphics package is needed. It ends with its terminal, or with Ctrl+C.\n"
    "\n"
    "  lacuna web live -- CMD    runs a command and shows it while it runs (options: lacuna live --help)\n"
    "  lacuna --on HOST web T    shows traces of another machine, as lacuna --on HOST T does in a window\n"
    "\n"
    "Keys that browsers keep for themselves: Alt+W is Ctrl+W here; in full screen (F11) Chromium leaves them all.";

struct WebCommand : WebOptions {
  std::string idle_exit_text;
  RecordOptions record;
  CLI::App* live = nullptr;

  void add_to(CLI::App& app) {
    app.add_option("--port", port, "The port to listen on (default: the first free one from 8730)")
        ->check(CLI::Range(1, 65535))
        ->type_name("N");
    app.add_flag("--open", opens, "Open the page in a browser of this machine");
    app.add_option("--idle-exit", idle_exit_text, "End after so long without a page (30s, 10m, 8h)")
        ->type_name("TIME")
        ->check([](const std::string& text) {
          return parse_duration(text) ? std::string{} : "'" + text + "' is no time, like 30s, 10m or 8h";
        });
    app.add_option("--bind", address, "Listen on this address: others on the network reach it then, with the token")
        ->type_name("ADDRESS");
    app.add_option("--allow-origin", origins,
                   "A page of this origin may show it (a notebook's proxy); *: any with the token")
        ->allow_extra_args(false)
        ->type_name("ORIGIN");
    live = app.add_subcommand("live", "Runs a command and shows it while it runs");
    record.add_live_to(*live);
  }

  Result<void> check(const CommandContext& context) const {
    if (!context.graphics.run_web)
      return fail(ErrorCode::kUnsupported, "this lacuna was built without a window (LACUNA_GUI=OFF)");
    return {};
  }

  Result<void> run(CommandContext& context, std::shared_ptr<RemotePlan> remote) {
    if (Result<void> possible = check(context); !possible) return possible;
    for (const std::string& path : context.load.paths)
      if (!may_be_traces(path)) return fail(ErrorCode::kNotFound, "no such file", path);
    if (!idle_exit_text.empty()) idle_exit = *parse_duration(idle_exit_text);
    window.paths = context.load.paths;
    window.import = context.load.import;
    window.remote = std::move(remote);
    if (live->parsed()) {
      Result<LivePlan> plan = record.live_plan({"400"});
      if (!plan) return tl::make_unexpected(plan.error());
      window.live = std::move(*plan);
    }
    return context.graphics.run_web(*this);
  }
};

}  // namespace

Command web_command(CommandContext& context) {
  const auto command = std::make_shared<WebCommand>();
  Command web{"web", "Shows the window in a browser, on any machine that reaches this one", kWebHelp,
              [&context, command](CLI::App& app) {
                context.load.add_to(app, false);
                command->add_to(app);
              },
              [&context, command] { return command->run(context, nullptr); }};
  web.run_there = [&context, command](const RemotePlace& place) -> Result<bool> {
    if (Result<void> possible = command->check(context); !possible) return tl::make_unexpected(possible.error());
    if (command->live->parsed())
      return fail(ErrorCode::kInvalidArgument, "run lacuna web live there, and forward its port", place.name());
    Result<std::shared_ptr<RemotePlan>> plan = context.plan_there(place);
    if (!plan) return tl::make_unexpected(plan.error());
    return command->run(context, std::move(*plan)).map([] { return true; });
  };
  web.keeps_files = [] { return true; };
  web.check = [command](const SplitWords& words) -> std::string {
    if (!command->live->parsed())
      return words.command ? "-- goes before a command to run: lacuna web live -- CMD" : std::string();
    std::string wrong = take_command(words, command->record);
    return wrong.empty() ? command->record.contradiction() : wrong;
  };
  return web;
}

}  // namespace lacuna
