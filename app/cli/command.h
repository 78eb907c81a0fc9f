#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/load.h"
#include "app/cli/load_options.h"
#include "app/cli/output.h"
#include "app/cli/remote_words.h"
#include "app/cli/text_table.h"

namespace lacuna {

struct LiveRelayPlan;
struct RemotePlace;
struct SplitWords;

/// What commands share: the program around them, and the traces that are named. Lives for one call.
struct CommandContext {
  const Graphics& graphics;
  LoadOptions load;
  RemoteWords remote;
  int exit = kExitSuccess;  ///< of a command that did what it was asked to

  /// An error that says why no window can be opened here.
  Result<void> check_window() const;
  Result<void> open_window(std::optional<LivePlan> live = {}, std::optional<AttachPlan> attach = {},
                           std::shared_ptr<RemotePlan> remote_plan = nullptr);

  // With --on HOST: windows open here, on fetched files; every other command runs on HOST.
  /// The connection and the files that `load` names on HOST. Errors: those of connecting, and of the files.
  Result<std::shared_ptr<RemotePlan>> plan_there(const RemotePlace& place);
  /// Opens those files in a window.
  Result<void> open_there(const RemotePlace& place);
  /// Attaches to a recording that HOST is making; `show` returns when the watching window is closed.
  Result<bool> show_live(const LiveRelayPlan& plan, KeepLimit keep,
                         const std::function<Result<void>(const AttachPlan&)>& show);
  Result<bool> show_live_in_window(const LiveRelayPlan& plan, KeepLimit keep);
};

/// One command, defined in the file of its name. The functions own its options.
struct Command {
  std::string name;
  std::string summary;
  /// Printed below CLI11's list of options; empty: only lacuna itself starts the command. From its first line that
  /// begins with "JSON" on it says what the keys of --json mean: `lacuna schema NAME --explain` and --help-all print
  /// that.
  std::string help;
  std::function<void(CLI::App&)> add_options;
  std::function<Result<void>()> run;  ///< once the options are parsed
  /// With --on HOST: returns true when it did the work here, false when the command is to run on HOST. Empty: on HOST.
  std::function<Result<bool>(const RemotePlace&)> run_there{};
  std::function<bool()> keeps_files{};  ///< whether --no-fetch is allowed; empty: no
  /// For commands that run a user's command: says what is wrong with the words after "--"; empty: nothing.
  std::function<std::string(const SplitWords&)> check{};
  CLI::App* app = nullptr;  ///< set once it is added
  std::string_view task{};  ///< the heading under which lacuna --help lists it

  /// The two parts of the help.
  std::string_view prose() const { return std::string_view(help).substr(0, json_begin()); }
  std::string_view json_keys() const { return std::string_view(help).substr(json_begin()); }

 private:
  std::size_t json_begin() const {
    const std::size_t line = help.find("\nJSON");
    return help.starts_with("JSON") ? 0 : line == std::string::npos ? help.size() : line + 1;
  }
};

/// Writes an answer to standard output.
Result<void> answer(const std::function<Result<void>(Output&)>& write);
/// Writes an answer about the traces that were named. `warns`: also prints what the import had to repair.
Result<void> answer_about_traces(const CommandContext& context,
                                 const std::function<Result<void>(const Trace&, Output&)>& write, bool warns = true);
/// "Write JSON, with the keys below".
void add_json_flag(CLI::App& app, bool& json);

/// A command whose options have add_to(), and get the width of text where they have one. `load`: it takes traces.
template <class Options, class Run>
Command make_command(std::string name, std::string summary, std::string help, std::shared_ptr<Options> options, Run run,
                     LoadOptions* load = nullptr) {
  return {std::move(name), std::move(summary), std::move(help),
          [options, load](CLI::App& app) {
            if (load != nullptr) load->add_to(app, true);
            options->add_to(app);
          },
          [options, run]() -> Result<void> {
            if constexpr (requires {
                            { options->width } -> std::same_as<std::size_t&>;
                          })
              options->width = terminal_width();
            return run(*options);
          }};
}

/// A command that answers about the traces that were named.
template <class Options>
Command trace_command(CommandContext& context, std::string name, std::string summary, std::string help,
                      Result<void> (*print)(const Trace&, const Options&, Output&)) {
  return make_command(
      std::move(name), std::move(summary), std::move(help), std::make_shared<Options>(),
      [&context, print](const Options& options) {
        return answer_about_traces(context,
                                   [&](const Trace& trace, Output& out) { return print(trace, options, out); });
      },
      &context.load);
}

/// All commands, in the order of the help.
std::vector<Command> all_commands(CommandContext& context);
/// Whether commands can be run on other machines (--on HOST).
bool reaches_machines();
/// Does on the machine of `context.remote` what `command` asks; null: opens the traces that are there.
Result<void> run_there(CommandContext& context, const Command* command);

Command info_command(CommandContext&);
Command stats_command(CommandContext&);
Command gaps_command(CommandContext&);
Command roofline_command(CommandContext&);
Command requests_command(CommandContext&);
Command calls_command(CommandContext&);
Command critical_path_command(CommandContext&);
Command what_if_command(CommandContext&);
Command report_command(CommandContext&);
Command diff_command(CommandContext&);
Command check_command(CommandContext&);
Command memory_command(CommandContext&);
Command hang_command(CommandContext&);
Command job_command(CommandContext&);
Command digest_command(CommandContext&);
Command query_command(CommandContext&);
Command export_command(CommandContext&);
Command cut_command(CommandContext&);
Command notes_command(CommandContext&);
Command bundle_command(CommandContext&);
Command screenshot_command(CommandContext&);
Command web_command(CommandContext&);
Command record_command(CommandContext&);
Command live_command(CommandContext&);
Command attach_command(CommandContext&);
Command env_command(CommandContext&);
Command jobs_command(CommandContext&);
Command request_command(CommandContext&);
Command recordings_command(CommandContext&);
Command serve_command(CommandContext&);
Command sample_gpu_command(CommandContext&);
Command install_on_command(CommandContext&);
Command kernel_command(CommandContext&);
Command doctor_command(CommandContext&);
Command mcp_command(CommandContext&);
Command schema_command(CommandContext&);

}  // namespace lacuna
