#include "app/cli/command_line.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/attach_process.h"
#include "app/cli/calls.h"
#include "app/cli/causes.h"
#include "app/cli/critical_path.h"
#include "app/cli/diff.h"
#include "app/cli/doctor.h"
#include "app/cli/dormant.h"
#include "app/cli/export_tables.h"
#include "app/cli/gap_reasons.h"
#include "app/cli/gaps.h"
#include "app/cli/group_stats.h"
#include "app/cli/hang.h"
#include "app/cli/info.h"
#include "app/cli/install_on.h"
#include "app/cli/job.h"
#include "app/cli/jobs.h"
#include "app/cli/load.h"
#include "app/cli/load_options.h"
#include "app/cli/memory.h"
#include "app/cli/on_host.h"
#include "app/cli/option_values.h"
#include "app/cli/output.h"
#include "app/cli/query.h"
#include "app/cli/record.h"
#include "app/cli/recordings.h"
#include "app/cli/remote_words.h"
#include "app/cli/report.h"
#include "app/cli/request.h"
#include "app/cli/stats.h"
#include "app/cli/text_table.h"
#include "app/cli/torch_stats.h"
#include "app/cli/what_if.h"
#include "app/remote_plan.h"
#include "capture/remote/far_server.h"
#include "capture/remote/live_relay.h"
#include "model/import/trace_files.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// Rows that text shows unless --limit says otherwise; JSON and CSV then show all.
constexpr std::size_t kTextStatsRows = 30;
constexpr std::size_t kTextGaps = 10;

/// For CLI11: its own IsMember would repeat the list in the help.
auto one_of(std::vector<std::string> keys) {
  return [keys = std::move(keys)](const std::string& text) {
    if (std::ranges::find(keys, text) != keys.end()) return std::string{};
    return fmt::format("'{}' is not one of {}", text, fmt::join(keys, ", "));
  };
}

constexpr const char* kWithoutWindow =
    "Without one: lacuna info|stats|gaps|report TRACE, or lacuna screenshot TRACE -o OUT.png";

/// One subcommand: its options are members of CommandLine; run() is called after parsing.
struct Command {
  CLI::App* app = nullptr;
  std::string_view help;  ///< printed below CLI11's list of options
  std::function<Result<void>()> run;
};

/// The options of the whole command line and what to do with them. Lives for one call.
class CommandLine {
 public:
  explicit CommandLine(const Graphics& graphics) : graphics_(graphics) {
    app_.name("lacuna");
    app_.description(
        "Shows PyTorch and Chrome traces, and where the GPU idles.\n"
        "Without a command: opens the TRACE files (or an empty start screen) in a window.");
    app_.get_formatter()->column_width(30);
    app_.set_version_flag("--version", "lacuna " LACUNA_VERSION, "Print the version and exit");
    if (graphics_.list_keys)
      app_.add_flag("--list-keys", lists_keys_,
                    "List the window's commands with their keys, as your settings bind them, and exit");
    // Taken out of the words before these are parsed (take_remote_words); here for the help.
    app_.add_option("--on", remote_host_, "Do it on another machine, reached by your ssh: any command, or open TRACE")
        ->type_name("HOST");
    app_.add_option("--transport", remote_transport_, "Reach it by this command instead: 'docker exec -i POD'")
        ->type_name("CMD");
    app_.require_subcommand(0, 1);
    load_.add_to(app_, false);
    add_info();
    add_stats();
    add_gaps();
    add_calls();
    add_critical_path();
    add_what_if();
    add_report();
    add_diff();
    add_memory();
    add_hang();
    add_job();
    add_query();
    add_export();
    add_screenshot();
    add_record();
  }

  int run(int argc, const char* const* argv) {
    const RemoteWords remote = take_remote_words(argc, argv);
    if (!remote.problem.empty()) return usage_error(remote.problem);
    std::vector<const char*> arguments = {"lacuna"};
    for (const std::string& word : remote.words) arguments.push_back(word.c_str());
    const SplitWords words = split_words_of(static_cast<int>(arguments.size()), arguments.data());
    try {
      std::vector<std::string> reversed(words.ours.rbegin(), words.ours.rend());  // as CLI11 wants them
      app_.parse(reversed);
    } catch (const CLI::CallForHelp&) {
      return print_help();
    } catch (const CLI::CallForVersion& version) {
      fmt::print("{}\n", version.what());
      return kExitSuccess;
    } catch (const CLI::Success&) {  // --explain has answered
      return kExitSuccess;
    } catch (const CLI::ParseError& error) {
      return usage_error(error.what());
    }
    if (const Command* command = chosen()) {
      // CLI11 would silently take "lacuna A.json stats B.json" apart.
      if (command->app->count_all() > 0 && app_.count("TRACE") > 0)
        return usage_error("the command comes first: lacuna " + command->app->get_name() + " TRACE...");
      if (std::string wrong = check_command(*command, words); !wrong.empty()) return usage_error(wrong);
      const int status = report(remote.is_set() ? run_there(command, remote) : command->run());
      return status == kExitSuccess ? command_exit_ : status;
    }
    if (lists_keys_) {
      Output out(stdout);
      out.write(graphics_.list_keys());
      return report(out.finish());
    }
    return report(remote.is_set() ? run_there(nullptr, remote) : open_window());
  }

 private:
  // --- what each command takes -----------------------------------------------------------------

  CLI::App* add_command(const std::string& name, const std::string& description, std::string_view help,
                        std::function<Result<void>()> run) {
    CLI::App* command = app_.add_subcommand(name, description);
    load_.add_to(*command, true);
    commands_.push_back({command, help, std::move(run)});
    return command;
  }

  void add_json_flag(CLI::App& command) {
    command.add_flag("--json", json_, "Write JSON, with the keys below, to standard output");
  }

  void add_info() {
    CLI::App* command = add_command("info", "What is in a trace, and what its import had to repair", info_help(),
                                    [this] { return run_info(); });
    add_json_flag(*command);
  }

  void add_stats() {
    stats_help_ = fmt::format("{}\n{}\n{}", stats_help(), group_stats_help(), torch_stats_help());
    CLI::App* command = add_command("stats", "Statistics by name: count, total, self, avg, min, max", stats_help_,
                                    [this] { return run_stats(); });
    std::vector<std::string> keys;
    for (const auto& [key, column] : stats_sort_keys()) keys.push_back(key);
    command->add_option("--sort-by", sort_key_, fmt::format("{} (default: {})", fmt::join(keys, ", "), sort_key_))
        ->check(check_any_sort_key)
        ->type_name("KEY");
    torch_.add_to(*command);
    groups_.add_to(*command);
    command
        ->add_option("--limit", limit_,
                     fmt::format("Rows; 0 = all (default: {}; with --json or --csv all)", kTextStatsRows))
        ->check(is_count)
        ->type_name("N");
    add_json_flag(*command);
    command->add_flag("--csv", csv_, "Write CSV to standard output")->excludes("--json");
  }

  void add_gaps() {
    gaps_help_ = fmt::format("{}\n{}\n{}", gaps_help(), gap_reasons_help(), causes_help());
    CLI::App* command = add_command("gaps", "Per GPU stream: window, busy, idle, and why it idled", gaps_help_,
                                    [this] { return run_gaps(); });
    causes_.add_to(*command);
    command->add_option("--stream", streams_, "Only this stream, for instance 0:7; may be repeated")
        ->type_name("DEVICE:STREAM")
        ->allow_extra_args(false)
        ->check([](const std::string& text) {
          const auto colon = text.find(':');
          const bool valid = colon != std::string::npos && colon > 0 && colon + 1 < text.size();
          return valid ? std::string{} : "'" + text + "' is not DEVICE:STREAM";
        });
    command->add_option("--min-us", min_us_, "List only gaps of at least X microseconds")
        ->type_name("X")
        ->check([](const std::string& text) {
          const auto nanos = parse_microseconds(text);
          return nanos && *nanos >= 0 ? std::string{} : "'" + text + "' is not a number of microseconds";
        });
    command
        ->add_option("--limit", limit_,
                     fmt::format("Gaps per stream; 0 = all (default: {}; with --json all)", kTextGaps))
        ->check(is_count)
        ->type_name("N");
    command->add_flag("--kernels-only", kernels_only_, "Copies and sets count as idle");
    add_json_flag(*command);
  }

  void add_calls() {
    CLI::App* command = add_command("calls", "Call tree by CPU time, GPU time launched or idle time charged",
                                    calls_help(), [this] { return run_calls(); });
    calls_.add_to(*command);
  }

  void add_critical_path() {
    CLI::App* command = add_command("critical-path", "What the end of a step or range depended on, to the nanosecond",
                                    critical_path_help(), [this] { return run_critical_path(); });
    critical_path_.add_to(*command);
  }

  void add_what_if() {
    CLI::App* command = add_command("what-if", "What a change would gain, by replaying the trace with it",
                                    what_if_help(), [this] { return run_what_if(); });
    what_if_.add_to(*command);
  }

  void add_report() {
    CLI::App* command = add_command("report", "What limits the speed, why, and what to do about it", report_help(),
                                    [this] { return run_report(); });
    report_.add_to(*command);
  }

  void add_diff() {
    CLI::App* command = app_.add_subcommand("diff", "What differs between two traces, by name and by cause");
    command->add_option("A", diff_.name_a, "Trace to compare with")->required()->type_name("");
    command->add_option("B", diff_.name_b, "Trace to compare")->required()->type_name("");
    load_.add_options_to(*command);
    commands_.push_back({command, diff_help(), [this] { return run_diff(); }});
    diff_.add_to(*command);
  }

  void add_memory() {
    CLI::App* command = add_command("memory", "Who holds the memory, when it peaks, why it ran out", memory_help(),
                                    [this] { return run_memory(); });
    memory_.add_to(*command);
  }

  void add_hang() {
    CLI::App* command = app_.add_subcommand("hang", "Which collectives never completed, from flight recorder dumps");
    hang_.add_to(*command);
    commands_.push_back({command, hang_help(), [this]() -> Result<void> {
                           hang_.width = terminal_width();
                           Output out(stdout);
                           if (Result<void> written = print_hang(hang_, out); !written) return written;
                           return out.finish();
                         }});
  }

  void add_job() {
    CLI::App* command = add_command("job", "The ranks of a job: who is late, by how much, and why", job_help(),
                                    [this]() -> Result<void> {
                                      job_.width = terminal_width();
                                      return run_job(load_.paths, load_.import, job_);
                                    });
    job_.add_to(*command);
    command = app_.add_subcommand("digest", "Reduces a trace to what lacuna job needs of it");
    command->add_option("FILE", digest_, "Trace of one rank, or of several")->required()->type_name("");
    command->add_option("-o,--output", digest_output_, "File to write")->required()->type_name("FILE.digest");
    load_.add_options_to(*command);
    commands_.push_back({command, digest_help(), [this] { return run_digest(digest_, digest_output_, load_.import); }});
  }

  void add_query() {
    CLI::App* command =
        app_.add_subcommand("query", "SQL over traces: Perfetto's tables and dialect, and our own tables");
    query_.add_to(*command);
    commands_.push_back({command, query_help(), [this]() -> Result<void> {
                           Output out(stdout);
                           if (auto done = run_query(query_, terminal_width(), out); !done) return done;
                           return out.finish();
                         }});
  }

  void add_export() {
    CLI::App* command = add_command("export", "Tables of a trace for pandas, Polars, DuckDB: Arrow files",
                                    export_help(), [this]() -> Result<void> {
                                      Output out(stdout);
                                      if (auto done = run_export(load_.paths, load_.import, export_, out); !done)
                                        return done;
                                      return out.finish();
                                    });
    export_.add_to(*command);
  }

  void add_screenshot() {
    CLI::App* command =
        add_command("screenshot", "Draws the window into a PNG; needs no display server",
                    "The picture shows the same user interface as the window.", [this] { return run_screenshot(); });
    command->add_option("-o,--output", screenshot_.output, "PNG file to write")->required()->type_name("OUT.png");
    command->add_option("--size", size_, "Size in pixels (default: 1600x900)")
        ->type_name("WxH")
        ->check([](const std::string& text) {
          return parse_pixel_size(text) ? std::string{} : "'" + text + "' is not WxH, like 1600x900";
        });
    const auto is_time = [](const std::string& text) {
      return parse_microseconds(text) ? std::string{} : "'" + text + "' is not a number of microseconds";
    };
    CLI::Option* from = command->add_option("--from-us", from_us_,
                                            "Start of what is visible: a ts of the file, or time since its start");
    CLI::Option* to = command->add_option("--to-us", to_us_, "End of what is visible");
    from->type_name("A")->check(is_time)->needs(to);
    to->type_name("B")->check(is_time)->needs(from);
    command->add_option("--select", screenshot_.select, "Select the longest slice of this name")->type_name("NAME");
    command->add_option("--panel", screenshot_.panel, "What the drawer shows (default: statistics)")
        ->type_name("PANEL")
        ->check(one_of({kScreenshotPanels.begin(), kScreenshotPanels.end()}));
    command->add_option("--compare", screenshot_.compare, "A second trace, for a split timeline")->type_name("TRACE");
    command->add_option("--scale", screenshot_.scale, "Size of text and rows (default: 1)")
        ->check(CLI::Range(0.5, 4.0))
        ->type_name("X");
    command->add_flag("--light", screenshot_.light, "Light colours");
  }

  void add_record() {
    CLI::App* command = app_.add_subcommand("record", "Runs a command and records what its CPU and GPU do");
    record_.add_to(*command);
    commands_.push_back({command, record_help(), [this]() -> Result<void> {
                           const Result<int> exit = record(record_);
                           if (!exit) return tl::make_unexpected(exit.error());
                           command_exit_ = *exit;
                           return {};
                         }});
    if (graphics_.run_window) {
      command = app_.add_subcommand("live", "Runs a command and shows it in the window while it runs");
      live_.add_live_to(*command);
      commands_.push_back({command, live_help(), [this]() -> Result<void> {
                             const Result<LivePlan> plan = live_.live_plan({"400"});  // a quarter of a minute
                             if (!plan) return tl::make_unexpected(plan.error());
                             return open_window(*plan);
                           }});
    }
    command =
        app_.add_subcommand("attach", "Shows a recording that runs elsewhere, or looks at a process from outside");
    command->add_option("TARGET", attach_, "Socket of lacuna record --live, or PID of a process")->type_name("");
    live_.add_keep_to(*command);
    attach_process_.add_to(*command);
    commands_.push_back({command, attach_help(), [this]() -> Result<void> {
                           if (const int pid = process_named(attach_); pid > 0) {
                             if (attach_process_.output.empty() && check_window() && is_dormant_program(pid))
                               return open_window({}, AttachPlan{{}, live_.keep_limit(), pid});
                             return attach_process(pid, attach_process_);
                           }
                           if (!attach_process_.output.empty())
                             return fail(ErrorCode::kInvalidArgument, "-o is for a process (lacuna attach PID -o OUT)");
                           const Result<std::string> socket = recording_to_attach(attach_);
                           if (!socket) return tl::make_unexpected(socket.error());
                           return open_window({}, AttachPlan{*socket, live_.keep_limit()});
                         }});
    command =
        app_.add_subcommand("env", "Environment variables with which a program starts dormant, to be looked at later");
    env_.add_to(*command);
    commands_.push_back({command, env_help(), [this]() -> Result<void> {
                           Output out(stdout);
                           if (Result<void> written = print_environment(env_, out); !written) return written;
                           return out.finish();
                         }});
    command = app_.add_subcommand("jobs", "Programs that run and can be looked at: dormant ones, PyTorch's");
    jobs_.add_to(*command);
    commands_.push_back({command, jobs_help(), [this]() -> Result<void> {
                           jobs_.width = terminal_width();
                           Output out(stdout);
                           if (Result<void> written = run_jobs(jobs_, out); !written) return written;
                           return out.finish();
                         }});
    command = app_.add_subcommand("request", "Takes a window of programs that run already: dormant ones, PyTorch's");
    request_.add_to(*command);
    commands_.push_back({command, request_help(), [this] { return take_request(); }});
    command = app_.add_subcommand("recordings", "Recordings under way, or left behind unsaved: list, save, delete");
    recordings_.add_to(*command);
    commands_.push_back({command, recordings_help(), [this] { return run_recordings(recordings_); }});
    command = app_.add_subcommand("serve", "The other end of lacuna --on HOST");
    command->add_flag("--stdio", serves_stdio_, "On standard input and output")->required();
    commands_.push_back({command, serve_help(), [this]() -> Result<void> {
                           command_exit_ = serve_stdio(format_duration);
                           return {};
                         }});
    command = app_.add_subcommand("install-on", "Copies this program to another machine, for lacuna --on");
    command->add_option("HOST", install_host_, "As your ssh knows it")->type_name("");
    command->add_flag("--yes", installs_unasked_, "Do not ask");
    commands_.push_back({command, install_on_help(), [this] { return run_install_on({}); }});
    command = app_.add_subcommand("doctor", "What of live capture works on this machine, and what to do");
    commands_.push_back({command, doctor_help(), [] { return run_doctor(); }});
  }

  /// Of the commands that run a command.
  std::string check_command(const Command& command, const SplitWords& words) {
    for (RecordOptions* options : {&record_, &live_}) {
      if (command.app->get_name() != (options == &record_ ? "record" : "live")) continue;
      if (std::string wrong = take_command(words, *options); !wrong.empty()) return wrong;
      return options->contradiction();
    }
    return {};
  }

  // --- what each command does ------------------------------------------------------------------

  Result<void> run_info() {
    return with_trace(
        [this](const Trace& trace, Output& out) -> Result<void> {
          print_info(trace, {.json = json_, .width = terminal_width()}, out);
          return {};
        },
        false);
  }

  Result<void> run_stats() {
    return with_trace(
        [this](const Trace& trace, Output& out) -> Result<void> {
          StatsOptions options;
          options.format = json_ ? StatsFormat::kJson : csv_ ? StatsFormat::kCsv : StatsFormat::kText;
          if (torch_.is_chosen()) {
            const Result<TimeSpan> range = chosen_range(trace, groups_);
            if (!range) return tl::make_unexpected(range.error());
            torch_.grouping.range = *range;
            return print_torch_stats(trace, torch_, sort_key_, options.format, out);
          }
          for (const auto& [key, column] : stats_sort_keys())
            if (key == sort_key_) options.sort_by = column;
          options.limit = limit_.value_or(json_ || csv_ ? 0 : kTextStatsRows);
          options.width = terminal_width();
          if (groups_.is_used || !is_stats_sort_key(sort_key_))
            return print_group_stats(trace, groups_, sort_key_, options.format, options.limit, options.width, out);
          print_stats(trace, options, out);
          return {};
        },
        true);
  }

  Result<void> run_gaps() {
    return with_trace(
        [this](const Trace& trace, Output& out) -> Result<void> {
          GapsOptions options;
          options.json = json_;
          options.kernels_only = kernels_only_;
          options.streams = streams_;
          options.min_duration = parse_microseconds(min_us_).value_or(0);
          options.limit = limit_.value_or(json_ ? 0 : kTextGaps);
          options.width = terminal_width();
          return causes_.any() ? print_causes(trace, options, causes_, out) : print_gaps(trace, options, out);
        },
        true);
  }

  Result<void> run_calls() {
    return with_trace(
        [this](const Trace& trace, Output& out) -> Result<void> {
          calls_.width = terminal_width();
          return print_calls(trace, calls_, out);
        },
        true);
  }

  Result<void> run_critical_path() {
    return with_trace(
        [this](const Trace& trace, Output& out) -> Result<void> {
          critical_path_.width = terminal_width();
          return print_critical_path(trace, critical_path_, out);
        },
        true);
  }

  Result<void> run_what_if() {
    return with_trace(
        [this](const Trace& trace, Output& out) -> Result<void> {
          what_if_.width = terminal_width();
          return print_what_if(trace, what_if_, out);
        },
        true);
  }

  Result<void> run_report() {
    return with_trace(
        [this](const Trace& trace, Output& out) -> Result<void> {
          report_.width = terminal_width();
          return print_reports(trace, report_, out);
        },
        true);
  }

  Result<void> run_diff() {
    const Result<Trace> a = load_traces({diff_.name_a}, load_.import);
    if (!a) return tl::make_unexpected(a.error());
    const Result<Trace> b = load_traces({diff_.name_b}, load_.import);
    if (!b) return tl::make_unexpected(b.error());
    print_warnings(*a, stderr);
    print_warnings(*b, stderr);
    diff_.width = terminal_width();
    Output out(stdout);
    print_diff(*a, *b, diff_, out);
    return out.finish();
  }

  Result<void> run_memory() {
    memory_.width = terminal_width();
    Output out(stdout);
    if (Result<void> written = print_memory(load_.paths, load_.import, memory_, out); !written) return written;
    return out.finish();
  }

  Result<void> take_request() {
    const Result<RequestAnswer> answer = run_request(request_);
    if (!answer) return tl::make_unexpected(answer.error());
    if (!answer->is_whole) command_exit_ = kExitError;
    Output out(stdout);
    for (const std::string& file : answer->files) out.write(file + "\n");
    if (Result<void> written = out.finish(); !written || !request_.opens || answer->files.empty()) return written;
    load_.paths = answer->files;
    return open_window();
  }

  Result<void> run_screenshot() {
    if (!graphics_.take_screenshot)
      return fail(ErrorCode::kUnsupported,
                  "this lacuna was built without graphics (LACUNA_GUI=OFF), so it cannot take "
                  "screenshots; it has lacuna info|stats|gaps|report TRACE");
    screenshot_.paths = load_.paths;
    screenshot_.import = load_.import;
    if (const auto size = parse_pixel_size(size_)) {
      screenshot_.width = size->width;
      screenshot_.height = size->height;
    }
    screenshot_.from_ns = parse_microseconds(from_us_);
    screenshot_.to_ns = parse_microseconds(to_us_);
    return graphics_.take_screenshot(screenshot_);
  }

  /// Why no window can be opened here.
  Result<void> check_window() const {
    if (!graphics_.run_window)
      return fail(ErrorCode::kUnsupported,
                  "this lacuna was built without a window (LACUNA_GUI=OFF); it has "
                  "lacuna info|stats|gaps|report TRACE");
    const auto is_set = [](const char* name) {
      const char* value = std::getenv(name);
      return value != nullptr && *value != '\0';
    };
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
      return fail(ErrorCode::kUnsupported,
                  fmt::format("no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not "
                              "set). {}",
                              kWithoutWindow));
    return {};
  }

  Result<void> open_window(std::optional<LivePlan> live = {}, std::optional<AttachPlan> attach = {},
                           std::shared_ptr<RemotePlan> remote = nullptr) {
    // A misspelt file or command should not open a window first.
    for (const std::string& path : load_.paths) {
      if (!may_be_traces(path))
        return fail(ErrorCode::kNotFound, "no such file (nor a command; see lacuna --help)", path);
    }
    if (Result<void> possible = check_window(); !possible) return possible;
    Result<void> result = graphics_.run_window({.paths = load_.paths,
                                                .import = load_.import,
                                                .live = std::move(live),
                                                .attach = std::move(attach),
                                                .remote = std::move(remote)});
    if (!result && result.error().code == ErrorCode::kUnsupported)
      result.error().cause += fmt::format(". {}", kWithoutWindow);
    return result;
  }

  /// Loads the traces, warns of what is wrong with them, and writes one answer.
  template <class Write>
  Result<void> with_trace(Write&& write, bool warn) {
    const Result<Trace> trace = load_traces(load_.paths, load_.import);
    if (!trace) return tl::make_unexpected(trace.error());
    if (warn) print_warnings(*trace, stderr);
    Output out(stdout);
    if (Result<void> written = write(*trace, out); !written) return written;
    return out.finish();
  }

  // --- on another machine ----------------------------------------------------------------------

  Result<void> run_install_on(const RemoteWords& remote) {
    const Result<RemotePlace> place =
        make_remote_place(install_host_.empty() ? remote.host : install_host_, remote.transport);
    if (!place) return tl::make_unexpected(place.error());
    return install_on(*place, installs_unasked_);
  }

  /// What is drawn is drawn here, of files that are fetched; everything else runs there.
  Result<void> run_there(const Command* command, const RemoteWords& remote) {
    const std::string name = command != nullptr ? command->app->get_name() : std::string();
    if (name == "install-on") return run_install_on(remote);
    const Result<RemotePlace> place = make_remote_place(remote.host, remote.transport);
    if (!place) return tl::make_unexpected(place.error());
    if (name.empty() && load_.paths.empty())
      return fail(ErrorCode::kInvalidArgument, "say what to do there: a TRACE to open, or a command", place->name());
    const bool opens = name == "request" && request_.opens;
    const int process = name == "attach" ? process_named(attach_) : 0;
    const bool shows_process = process > 0 && attach_process_.output.empty() && check_window();
    const bool shows_live = name == "live" || shows_process || (name == "attach" && process == 0);
    if (name == "record" || name == "live")
      if (Result<void> possible = check_input_for_host(*place, remote.words); !possible) return possible;
    // Before anything is fetched or started there.
    if (name.empty() || opens || shows_live)
      if (Result<void> possible = check_window(); !possible) return possible;
    if (name.empty()) return open_there(*place);
    if (name == "screenshot") {
      if (Result<void> fetched = fetch_traces(*place); !fetched) return fetched;
      return command->run();
    }
    if (shows_live)
      return name == "live" ? show_live({*place, record_words_of_live(remote.words), {}, 0})
                            : show_live({*place, {}, shows_process ? std::string() : attach_, process});
    if (name == "serve") return fail(ErrorCode::kInvalidArgument, "lacuna --on HOST starts this by itself");
    if (name == "doctor") {
      const Result<std::string> line = describe_line(*place);
      if (!line) return tl::make_unexpected(line.error());
      Output out(stdout);
      out.write(*line);
      if (Result<void> written = out.finish(); !written) return written;
    }
    std::string output;
    const Result<int> exit =
        run_on_host(*place, opens ? without_flag(remote.words, "--open") : remote.words, opens ? &output : nullptr);
    if (!exit) return tl::make_unexpected(exit.error());
    command_exit_ = *exit;
    if (!opens || output.empty()) return {};
    for (std::size_t at = 0; at < output.size();) {
      const std::size_t end = std::min(output.find('\n', at), output.size());
      load_.paths.push_back(output.substr(at, end - at));
      at = end + 1;
    }
    return open_there(*place);
  }

  /// The window opens once the line is there, and the files: what is wrong with these is said here.
  Result<void> open_there(const RemotePlace& place) {
    auto plan = std::make_shared<RemotePlan>();
    plan->place = place;
    plan->paths = std::exchange(load_.paths, {});
    Result<std::unique_ptr<FarSide>> line = find_on_host(place, plan->paths);
    if (!line) return tl::make_unexpected(line.error());
    plan->line = std::move(*line);
    return open_window({}, {}, std::move(plan));
  }

  /// The paths become those of fetched files.
  Result<void> fetch_traces(const RemotePlace& place) {
    if (!load_.paths.empty()) {
      Result<std::vector<std::string>> paths = fetch_from_host(place, load_.paths);
      if (!paths) return tl::make_unexpected(paths.error());
      load_.paths = std::move(*paths);
    }
    if (!screenshot_.compare.empty()) {
      const Result<std::vector<std::string>> paths = fetch_from_host(place, {screenshot_.compare});
      if (!paths) return tl::make_unexpected(paths.error());
      screenshot_.compare = paths->front();
    }
    return {};
  }

  Result<void> show_live(const LiveRelayPlan& plan) {
    const auto relay = LiveRelay::start(plan);
    if (!relay) return tl::make_unexpected(relay.error());
    Result<void> shown = open_window({}, AttachPlan{(*relay)->socket(), live_.keep_limit()});
    const std::string path = printable(plan.place.name() + ":" + (*relay)->output());
    const bool is_over = (*relay)->is_over() || plan.process > 0;  // which sleeps again
    fmt::print(stderr, "lacuna: {} {}\n", is_over ? "the trace is" : "the recording goes on there, into", path);
    return shown;
  }

  // --- answers ---------------------------------------------------------------------------------

  const Command* chosen() const {
    for (const Command& command : commands_)
      if (command.app->parsed()) return &command;
    return nullptr;
  }

  static std::string help_of(const Command& command) {
    return fmt::format("{}\n{}\n", command.app->help("lacuna"), command.help);
  }

  int print_help() const {
    Output out(stdout);
    if (const Command* one = chosen()) {
      out.write(help_of(*one));
    } else {
      out.write(app_.help());
      out.write(
          "\nTRACE may be a folder or a quoted pattern (\"DIR/*.gz\"). Several files, such as one per rank,\n"
          "share one time axis: by baseTimeNanoseconds, else by absolute times, else by their starts;\n"
          "info says which. Their processes carry the rank, else the file's name.\n"
          "\n--on HOST reaches another machine by your own ssh (keys, jump hosts and known_hosts as they are), on\n"
          "which lacuna must be: lacuna install-on HOST. Commands run there, with the files there and their output\n"
          "here. What is drawn is drawn here: lacuna --on HOST TRACE and screenshot fetch the files, packed, into\n"
          "~/.cache/lacuna/remote, once; the window shows them from there meanwhile. --on HOST live -- CMD and\n"
          "attach show a recording while it is made there.\n"
          "--transport 'docker exec -i NAME' or 'kubectl exec -i POD --' takes the place of ssh.\n"
          "\nExit codes: 0 done; 1 error, with \"lacuna: FILE: byte OFFSET: cause\" on standard\n"
          "error; 2 wrong usage. Damaged files are read as far as possible, with warnings on\n"
          "standard error; byte offsets are those of the decompressed JSON.\n");
      for (const Command& command : commands_)
        out.write(fmt::format("\n{:-<80}\n{}", "lacuna " + command.app->get_name() + " ", help_of(command)));
    }
    return report(out.finish());
  }

  static int usage_error(const std::string& cause) {
    fmt::print(stderr, "lacuna: {}\nTry lacuna --help\n", printable(cause));
    return kExitUsage;
  }

  static int report(const Result<void>& result) {
    if (result) return kExitSuccess;
    print_error(result.error(), stderr);
    return kExitError;
  }

  const Graphics& graphics_;
  CLI::App app_;
  std::vector<Command> commands_;

  LoadOptions load_;
  bool json_ = false;
  bool lists_keys_ = false;
  bool csv_ = false;
  bool kernels_only_ = false;
  std::string sort_key_ = "share";
  std::optional<std::size_t> limit_;
  std::vector<std::string> streams_;
  std::string min_us_;
  std::string size_;
  std::string from_us_;
  std::string to_us_;
  int command_exit_ = kExitSuccess;
  std::string remote_host_, remote_transport_;
  std::string install_host_;
  bool installs_unasked_ = false;
  bool serves_stdio_ = false;
  RecordOptions record_;
  RecordOptions live_;
  std::string attach_;
  AttachProcess attach_process_;
  RecordingsOptions recordings_;
  JobsCommand jobs_;
  EnvCommand env_;
  RequestCommand request_;
  ScreenshotOptions screenshot_;
  CausesOptions causes_;
  TorchStatsOptions torch_;
  GroupStatsOptions groups_;
  CallsOptions calls_;
  CriticalPathOptions critical_path_;
  WhatIfOptions what_if_;
  ReportCommand report_;
  DiffCommand diff_;
  MemoryCommand memory_;
  HangCommand hang_;
  JobCommand job_;
  std::string digest_, digest_output_;
  QueryCommand query_;
  ExportCommand export_;
  std::string stats_help_;
  std::string gaps_help_;
};

}  // namespace

int run_command_line(int argc, const char* const* argv, const Graphics& graphics) {
  // A reader that goes away then shows as EPIPE (see Output), not as death.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // and a limit on files as EFBIG
  try {
    return CommandLine(graphics).run(argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "lacuna: not enough memory\n");
    return kExitError;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lacuna: {}\n", error.what());
    return kExitError;
  }
}

}  // namespace lacuna
