#include "app/cli/command_line.h"

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/command_examples.h"
#include "app/cli/split_words.h"
#include "model/base/standard_error.h"
#include "model/formats/file_names.h"

namespace lacuna {
namespace {

/// The options of the whole command line: parses, and has the command chosen do the rest. Lives for one call.
class CommandLine {
 public:
  explicit CommandLine(const Graphics& graphics);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  int run(int argc, const char* const* argv);

 private:
  const Command* chosen() const;
  static std::string help_of(const Command& command, bool with_keys);
  std::string overview() const;
  std::string all_help() const;
  int print_help(bool all) const;
  static int usage_error(const std::string& cause);
  static int report(const Result<void>& result);

  CommandContext context_;
  CLI::App app_;
  std::vector<Command> commands_;
  bool lists_keys_ = false;
  // Taken out of the words before these are parsed (take_remote_words); here for the help.
  std::string remote_host_, remote_transport_;
  bool remote_stays_ = false;
};

CommandLine::CommandLine(const Graphics& graphics) : context_{graphics, {}, {}}, commands_(all_commands(context_)) {
  app_.name("lacuna");
  app_.description(
      "Shows PyTorch and Chrome traces, and where the GPU idles.\n"
      "Without a command: opens the TRACE files (or an empty start screen) in a window.");
  app_.get_formatter()->column_width(30);
  app_.set_help_all_flag("--help-all", "Print the help of every command and exit");
  app_.set_version_flag("--version", "lacuna " LACUNA_VERSION, "Print the version and exit");
  if (context_.graphics.list_keys)
    app_.add_flag("--list-keys", lists_keys_,
                  "List the window's commands with their keys, as your settings bind them, and exit");
  if (reaches_machines()) {
    app_.add_option("--on", remote_host_, "Do it on another machine, reached by your ssh: any command, or open TRACE")
        ->type_name("HOST");
    app_.add_option("--transport", remote_transport_, "Reach it by this command instead: 'docker exec -i POD'")
        ->type_name("CMD");
    app_.add_flag("--no-fetch", remote_stays_, "With --on HOST TRACE: look at it there, do not fetch it");
  }
  app_.require_subcommand(0, 1);
  context_.load.add_to(app_, false);
  for (Command& command : commands_) {
    command.app = app_.add_subcommand(command.name, command.summary);
    command.add_options(*command.app);
  }
}

int CommandLine::run(int argc, const char* const* argv) {
  RemoteWords& remote = context_.remote = take_remote_words(argc, argv);
  if (!remote.problem.empty()) return usage_error(remote.problem);
  std::vector<const char*> arguments = {"lacuna"};
  for (const std::string& word : remote.words) arguments.push_back(word.c_str());
  const SplitWords words = split_words_of(static_cast<int>(arguments.size()), arguments.data());
  try {
    std::vector<std::string> reversed(words.ours.rbegin(), words.ours.rend());  // as CLI11 wants them
    app_.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return print_help(false);
  } catch (const CLI::CallForAllHelp&) {
    return print_help(true);
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return kExitSuccess;
  } catch (const CLI::Success&) {  // --explain has answered
    return kExitSuccess;
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  // All before a "--" were taken out; CLI11 reads on behind it.
  for (const char* option : {"--on", "--transport", "--no-fetch"})
    if (reaches_machines() && app_.count(option) > 0) return usage_error(fmt::format("{} goes before the --", option));
  if (const Command* command = chosen()) {
    if (app_.count("TRACE") > 0 && command->app->get_option_no_throw("TRACE") == nullptr)
      return usage_error(fmt::format("lacuna {} takes no '{}'", command->name, context_.load.paths.front()));
    // CLI11 would silently take "lacuna A.json stats B.json" apart.
    if (command->app->count_all() > 0 && app_.count("TRACE") > 0)
      return usage_error("the command comes first: lacuna " + command->name + " TRACE...");
    if (std::string wrong = command->check ? command->check(words) : std::string(); !wrong.empty())
      return usage_error(wrong);
    const int status = report(remote.is_set() ? run_there(context_, command) : command->run());
    return status == kExitSuccess ? context_.exit : status;
  }
  if (lists_keys_) {
    Output out(stdout);
    out.write(context_.graphics.list_keys());
    return report(out.finish());
  }
  return report(remote.is_set() ? run_there(context_, nullptr) : context_.open_window());
}

const Command* CommandLine::chosen() const {
  for (const Command& command : commands_)
    if (command.app->parsed()) return &command;
  return nullptr;
}

namespace {

/// The endings of names, some on each line.
std::string endings_in_lines() {
  constexpr std::size_t kLineWidth = 100;
  std::string text;
  std::size_t width = 0;
  for (const std::string_view ending : file_endings()) {
    const bool is_full = width + ending.size() > kLineWidth;
    text += text.empty() ? "" : is_full ? ",\n" : ", ";
    width = (is_full ? 0 : width) + ending.size() + 2;
    text += ending;
  }
  return text;
}

constexpr const char* kReading =
    "\nTRACE is a file whose content says what it is; names mostly end with\n{}.\n"
    "It may be a folder, a zip or tar archive, or a quoted pattern (\"DIR/*.gz\"); a path may lead into an archive\n"
    "(run.zip/rank0.json). Several files, such as one per rank, share one time axis: by baseTimeNanoseconds, else by\n"
    "absolute times, else by their starts; info says which. Their processes carry the rank, else the file's name.\n";
constexpr const char* kReaching =
    "\n--on HOST reaches another machine by your own ssh (keys, jump hosts and known_hosts as they are), on\n"
    "which lacuna must be: lacuna install-on HOST. Commands run there, with the files there and their output\n"
    "here. What is drawn is drawn here: lacuna --on HOST TRACE and screenshot fetch the files, packed, into\n"
    "~/.cache/lacuna/remote, once; the window shows them from there meanwhile, with their numbers;\n"
    "--no-fetch leaves them there. --on HOST live -- CMD and attach show a recording while it is made there.\n"
    "--transport 'docker exec -i NAME' or 'kubectl exec -i POD --' takes the place of ssh.\n";
constexpr const char* kEnding =
    "\nExit codes: 0 done; 1 error, with \"lacuna: FILE: byte OFFSET: cause\" on standard\n"
    "error; 2 wrong usage. Damaged files are read as far as possible, with warnings on\n"
    "standard error; byte offsets are those of the decompressed JSON.\n";

}  // namespace

std::string CommandLine::help_of(const Command& command, bool with_keys) {
  std::string text = command.app->help("lacuna");
  for (const std::string_view said_by_all : {"\n  -h,--help ", "\n  --help-all "})
    if (const std::size_t line = text.find(said_by_all); line != std::string::npos)
      text.erase(line, text.find('\n', line + 1) - line);
  while (text.ends_with("\n\n")) text.pop_back();
  text.append("\n").append(with_keys ? command.help : command.prose());
  if (!text.ends_with('\n')) text += '\n';
  if (!with_keys && !command.json_keys().empty())
    text += fmt::format("What is in the JSON: lacuna schema {} --explain\n", command.name);
  if (const std::string_view lines = command_examples(command.name); !lines.empty())
    text.append("\nExamples:\n").append(lines);
  return text;
}

std::string CommandLine::overview() const {
  std::string text =
      "Lacuna shows why a GPU is idle and which operation is to blame, in traces of PyTorch and other programs.\n\n"
      "Usage: lacuna [TRACE...]              opens files, folders, archives or quoted patterns in a window\n"
      "       lacuna COMMAND [TRACE...]      answers here; lacuna COMMAND --help has its options\n";
  if (reaches_machines())
    text += "       lacuna --on HOST ...           does it on another machine, reached by your ssh\n";
  std::string_view task;
  for (const Command& command : commands_) {
    if (command.help.empty()) continue;  // only lacuna itself starts it
    if (task != command.task) text += fmt::format("\n{}:\n", task = command.task);
    text += fmt::format("  {:<14} {}\n", command.name, command.summary);
  }
  text += fmt::format(
      "\nOptions:\n"
      "  --help-all     The options of all of these, how files are read, and exit codes\n"
      "  --version      The version\n{}",
      context_.graphics.list_keys
          ? "  --list-keys    The window's commands with their keys, as your settings bind them\n"
          : "");
  return text;
}

std::string CommandLine::all_help() const {
  std::string text =
      app_.help() + fmt::format(kReading, endings_in_lines()) + (reaches_machines() ? kReaching : "") + kEnding;
  for (const Command& command : commands_)
    if (!command.help.empty())
      text += fmt::format("\n{:-<80}\n{}", "lacuna " + command.name + " ", help_of(command, true));
  return text;
}

int CommandLine::print_help(bool all) const {
  Output out(stdout);
  const Command* one = chosen();
  out.write(one != nullptr ? help_of(*one, false) : all ? all_help() : overview());
  return report(out.finish());
}

int CommandLine::usage_error(const std::string& cause) {
  to_standard_error(fmt::format("lacuna: {}\nTry lacuna --help\n", printable(cause)));
  return kExitUsage;
}

int CommandLine::report(const Result<void>& result) {
  if (result) return kExitSuccess;
  print_error(result.error(), stderr);
  return kExitError;
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const Graphics& graphics) {
#if defined(SIGPIPE)
  // A reader that goes away then shows as EPIPE (see Output), not as death.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // and a limit on files as EFBIG
#endif
  try {
    return CommandLine(graphics).run(argc, argv);
  } catch (const std::bad_alloc&) {
    to_standard_error("lacuna: not enough memory\n");
    return kExitError;
  } catch (const std::exception& error) {
    to_standard_error(fmt::format("lacuna: {}\n", error.what()));
    return kExitError;
  }
}

}  // namespace lacuna
