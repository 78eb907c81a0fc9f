#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/attach_process.h"
#include "app/cli/command.h"
#include "app/cli/on_host.h"
#include "app/cli/option_values.h"
#include "app/cli/record_options.h"
#include "app/remote_plan.h"
#include "capture/remote/live_relay.h"
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
    "  lacuna web attach NAME    shows a recording that runs elsewhere (lacuna attach --help)\n"
    "  lacuna --on HOST web T    shows traces of another machine, as lacuna --on HOST T does in a window; live and\n"
    "                            attach do so as well\n"
    "\n"
    "Keys that browsers keep for themselves: Alt+W is Ctrl+W here; in full screen (F11) Chromium leaves them all.";

struct WebCommand : WebOptions {
  std::string idle_exit_text;
  std::string target;  ///< of attach
  RecordOptions record;
  CLI::App* live = nullptr;
  CLI::App* attach = nullptr;

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
    attach = app.add_subcommand("attach", "Shows a recording that runs elsewhere, or a dormant program");
    attach->add_option("TARGET", target, "Socket of lacuna record --live, or PID of a dormant program")->type_name("");
    record.add_keep_to(*attach);
    app.require_subcommand(0, 1);
  }

  Result<void> check(const CommandContext& context) const {
    if (!context.graphics.run_web)
      return fail(ErrorCode::kUnsupported, "this lacuna was built without a window (LACUNA_GUI=OFF)");
    return {};
  }

  Result<void> serve(const CommandContext& context) {
    if (!idle_exit_text.empty()) idle_exit = *parse_duration(idle_exit_text);
    return context.graphics.run_web(*this);
  }

  Result<void> run(const CommandContext& context) {
    if (Result<void> possible = check(context); !possible) return possible;
    for (const std::string& path : context.load.paths)
      if (!may_be_traces(path)) return fail(ErrorCode::kNotFound, "no such file", path);
    window.paths = context.load.paths;
    window.import = context.load.import;
    if (live->parsed()) {
      Result<LivePlan> plan = record.live_plan({"400"});
      if (!plan) return tl::make_unexpected(plan.error());
      window.live = std::move(*plan);
    }
    if (attach->parsed()) {
      Result<AttachPlan> plan = plan_to_attach(target, record.keep_limit());
      if (!plan) return tl::make_unexpected(plan.error());
      window.attach = std::move(*plan);
    }
    return serve(context);
  }

  Result<bool> run_there(CommandContext& context, const RemotePlace& place) {
    if (Result<void> possible = check(context); !possible) return tl::make_unexpected(possible.error());
    if (live->parsed() || attach->parsed()) {
      const std::vector<std::string>& words = context.remote.words;
      LiveRelayPlan plan{place, {}, {}, 0};
      if (live->parsed()) {
        if (Result<void> input = check_input_for_host(place, words); !input) return tl::make_unexpected(input.error());
        plan.words = record_words_of_live({std::ranges::find(words, "live"), words.end()});
      } else if (plan.process = process_named(target); plan.process == 0) {
        plan.name = target;
      }
      return context.show_live(plan, record.keep_limit(), [&](const AttachPlan& shown) {
        window.attach = shown;
        return serve(context);
      });
    }
    Result<std::shared_ptr<RemotePlan>> plan = context.plan_there(place);
    if (!plan) return tl::make_unexpected(plan.error());
    window.import = context.load.import;
    window.remote = std::move(*plan);
    return serve(context).map([] { return true; });
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
              [&context, command] { return command->run(context); }};
  web.run_there = [&context, command](const RemotePlace& place) { return command->run_there(context, place); };
  web.keeps_files = [command] { return !command->live->parsed() && !command->attach->parsed(); };
  web.check = [command](const SplitWords& words) -> std::string {
    if (!command->live->parsed())
      return words.command ? "-- goes before a command to run: lacuna web live -- CMD" : std::string();
    std::string wrong = take_command(words, command->record);
    return wrong.empty() ? command->record.contradiction() : wrong;
  };
  return web;
}

}  // namespace lacuna
