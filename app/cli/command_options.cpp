#include "app/cli/command_line_parts.h"

// What each command takes.

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/option_values.h"
#include "capture/metrics/metrics_options.h"
#include "capture/metrics/pm_worker.h"
#include "capture/remote/far_server.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// For CLI11: its own IsMember would repeat the list in the help.
auto one_of(std::vector<std::string> keys) {
  return [keys = std::move(keys)](const std::string& text) {
    if (std::ranges::find(keys, text) != keys.end()) return std::string{};
    return fmt::format("'{}' is not one of {}", text, fmt::join(keys, ", "));
  };
}

}  // namespace

CLI::App* CommandLine::add_command(const std::string& name, const std::string& description, std::string_view help,
                                   std::function<Result<void>()> run) {
  CLI::App* command = app_->add_subcommand(name, description);
  load_.add_to(*command, true);
  commands_.push_back({command, help, std::move(run)});
  return command;
}

void CommandLine::add_json_flag(CLI::App& command) {
  command.add_flag("--json", json_, "Write JSON, with the keys below, to standard output");
}

void CommandLine::add_info() {
  CLI::App* command = add_command("info", "What is in a trace, and what its import had to repair", info_help(),
                                  [this] { return run_info(); });
  add_json_flag(*command);
}

void CommandLine::add_stats() {
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

void CommandLine::add_gaps() {
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
      ->add_option("--limit", limit_, fmt::format("Gaps per stream; 0 = all (default: {}; with --json all)", kTextGaps))
      ->check(is_count)
      ->type_name("N");
  command->add_flag("--kernels-only", kernels_only_, "Copies and sets count as idle");
  add_json_flag(*command);
}

void CommandLine::add_calls() {
  CLI::App* command = add_command("calls", "Call tree by CPU time, GPU time launched or idle time charged",
                                  calls_help(), [this] { return run_calls(); });
  calls_.add_to(*command);
}

void CommandLine::add_critical_path() {
  CLI::App* command = add_command("critical-path", "What the end of a step or range depended on, to the nanosecond",
                                  critical_path_help(), [this] { return run_critical_path(); });
  critical_path_.add_to(*command);
}

void CommandLine::add_what_if() {
  CLI::App* command = add_command("what-if", "What a change would gain, by replaying the trace with it", what_if_help(),
                                  [this] { return run_what_if(); });
  what_if_.add_to(*command);
}

void CommandLine::add_report() {
  CLI::App* command = add_command("report", "What limits the speed, why, and what to do about it", report_help(),
                                  [this] { return run_report(); });
  report_.add_to(*command);
}

void CommandLine::add_diff() {
  CLI::App* command = app_->add_subcommand("diff", "What differs between two traces, by name and by cause");
  command->add_option("A", diff_.name_a, "Trace to compare with")->required()->type_name("");
  command->add_option("B", diff_.name_b, "Trace to compare")->required()->type_name("");
  load_.add_options_to(*command);
  commands_.push_back({command, diff_help(), [this] { return run_diff(); }});
  diff_.add_to(*command);
}

void CommandLine::add_memory() {
  CLI::App* command = add_command("memory", "Who holds the memory, when it peaks, why it ran out", memory_help(),
                                  [this] { return run_memory(); });
  memory_.add_to(*command);
}

void CommandLine::add_hang() {
  CLI::App* command = app_->add_subcommand("hang", "Which collectives never completed, from flight recorder dumps");
  hang_.add_to(*command);
  commands_.push_back({command, hang_help(), [this]() -> Result<void> {
                         hang_.width = terminal_width();
                         Output out(stdout);
                         if (Result<void> written = print_hang(hang_, out); !written) return written;
                         return out.finish();
                       }});
}

void CommandLine::add_job() {
  CLI::App* command =
      add_command("job", "The ranks of a job: who is late, by how much, and why", job_help(), [this]() -> Result<void> {
        job_.width = terminal_width();
        return run_job(load_.paths, load_.import, job_);
      });
  job_.add_to(*command);
  command = app_->add_subcommand("digest", "Reduces a trace to what lacuna job needs of it");
  command->add_option("FILE", digest_, "Trace of one rank, or of several")->required()->type_name("");
  command->add_option("-o,--output", digest_output_, "File to write")->required()->type_name("FILE.digest");
  load_.add_options_to(*command);
  commands_.push_back({command, digest_help(), [this] { return run_digest(digest_, digest_output_, load_.import); }});
}

void CommandLine::add_query() {
  CLI::App* command =
      app_->add_subcommand("query", "SQL over traces: Perfetto's tables and dialect, and our own tables");
  query_.add_to(*command);
  commands_.push_back({command, query_help(), [this]() -> Result<void> {
                         Output out(stdout);
                         if (auto done = run_query(query_, terminal_width(), out); !done) return done;
                         return out.finish();
                       }});
}

void CommandLine::add_export() {
  CLI::App* command = add_command("export", "Tables of a trace for pandas, Polars, DuckDB: Arrow files", export_help(),
                                  [this]() -> Result<void> {
                                    Output out(stdout);
                                    if (auto done = run_export(load_.paths, load_.import, export_, out); !done)
                                      return done;
                                    return out.finish();
                                  });
  export_.add_to(*command);
}

void CommandLine::add_screenshot() {
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
  CLI::Option* from =
      command->add_option("--from-us", from_us_, "Start of what is visible: a ts of the file, or time since its start");
  CLI::Option* to = command->add_option("--to-us", to_us_, "End of what is visible");
  from->type_name("A")->check(is_time)->needs(to);
  to->type_name("B")->check(is_time)->needs(from);
  command->add_option("--select", screenshot_.select, "Select the longest slice of this name")->type_name("NAME");
  command->add_option("--panel", screenshot_.panel, "What the drawer shows (default: statistics)")
      ->type_name("PANEL")
      ->check(one_of({kScreenshotPanels.begin(), kScreenshotPanels.end()}));
  command->add_option("--compare", screenshot_.compare, "A second trace, for a split timeline")->type_name("TRACE");
  command->add_option("--scale", screenshot_.scale, "Size of text and rows (default: 1)")
      ->check(is_finite)
      ->check(CLI::Range(0.5, 4.0))
      ->type_name("X");
  command->add_flag("--light", screenshot_.light, "Light colours");
  command->add_flag("--by-class", screenshot_.by_class,
                    "Colour GPU work by class (GEMM, attention, copy ...), not by name");
}

void CommandLine::add_record() {
  CLI::App* command = app_->add_subcommand("record", "Runs a command and records what its CPU and GPU do");
  record_.add_to(*command);
  commands_.push_back({command, record_help(), [this]() -> Result<void> {
                         const Result<int> exit = record(record_);
                         if (!exit) return tl::make_unexpected(exit.error());
                         command_exit_ = *exit;
                         return {};
                       }});
  if (graphics_.run_window) {
    command = app_->add_subcommand("live", "Runs a command and shows it in the window while it runs");
    live_.add_live_to(*command);
    commands_.push_back({command, live_help(), [this]() -> Result<void> {
                           const Result<LivePlan> plan = live_.live_plan({"400"});  // a quarter of a minute
                           if (!plan) return tl::make_unexpected(plan.error());
                           return open_window(*plan);
                         }});
  }
  command = app_->add_subcommand("attach", "Shows a recording that runs elsewhere, or looks at a process from outside");
  command->add_option("TARGET", attach_, "Socket of lacuna record --live, or PID of a process")->type_name("");
  live_.add_keep_to(*command);
  attach_process_.add_to(*command);
  commands_.push_back({command, attach_help(), [this]() -> Result<void> {
                         if (const int pid = process_named(attach_); pid > 0) {
                           if (attach_process_.output.empty() && check_window() && is_dormant_program(pid))
                             return open_window({}, AttachPlan{{}, live_.keep_limit(), pid});
                           return attach_process(pid, attach_process_);
                         }
                         if (is_like_a_process(attach_) && !attach_process_.output.empty())
                           return fail(ErrorCode::kNotFound, "there is no such process", attach_);
                         if (!attach_process_.output.empty())
                           return fail(ErrorCode::kInvalidArgument, "-o is for a process (lacuna attach PID -o OUT)");
                         const Result<std::string> socket = recording_to_attach(attach_);
                         if (!socket) return tl::make_unexpected(socket.error());
                         if (is_like_a_process(attach_) && access(socket->c_str(), F_OK) != 0)
                           return fail(ErrorCode::kNotFound, "neither a process nor a recording", attach_);
                         return open_window({}, AttachPlan{*socket, live_.keep_limit()});
                       }});
  command =
      app_->add_subcommand("env", "Environment variables with which a program starts dormant, to be looked at later");
  env_.add_to(*command);
  commands_.push_back({command, env_help(), [this]() -> Result<void> {
                         Output out(stdout);
                         if (Result<void> written = print_environment(env_, out); !written) return written;
                         return out.finish();
                       }});
  command = app_->add_subcommand("jobs", "Programs that run and can be looked at: dormant ones, PyTorch's");
  jobs_.add_to(*command);
  commands_.push_back({command, jobs_help(), [this]() -> Result<void> {
                         jobs_.width = terminal_width();
                         Output out(stdout);
                         if (Result<void> written = run_jobs(jobs_, out); !written) return written;
                         return out.finish();
                       }});
  command = app_->add_subcommand("request", "Takes a window of programs that run already: dormant ones, PyTorch's");
  request_.add_to(*command);
  commands_.push_back({command, request_help(), [this] { return take_request(); }});
  command = app_->add_subcommand("recordings", "Recordings under way, or left behind unsaved: list, save, delete");
  recordings_.add_to(*command);
  commands_.push_back({command, recordings_help(), [this] { return run_recordings(recordings_); }});
  command = app_->add_subcommand("serve", "The other end of lacuna --on HOST");
  command->add_flag("--stdio", serves_stdio_, "On standard input and output")->required();
  commands_.push_back({command, serve_help(), [this]() -> Result<void> {
                         command_exit_ = serve_stdio(format_duration);
                         return {};
                       }});
  command = app_->add_subcommand(std::string(kSampleGpuCommand), "Samples a GPU for a recording, which starts this");
  command->group("");
  command->add_option("--rate", pm_worker_.per_second, "A second")->check(CLI::Range(1u, kMostCounters));
  command->add_flag("--ask", pm_worker_.only_asks, "Whether it would work");
  commands_.push_back({command, "", [this]() -> Result<void> {
                         command_exit_ = run_pm_worker(pm_worker_);
                         return {};
                       }});
  command = app_->add_subcommand("install-on", "Copies this program to another machine, for lacuna --on");
  command->add_option("HOST", install_host_, "As your ssh knows it")->type_name("");
  command->add_flag("--yes", installs_unasked_, "Do not ask");
  commands_.push_back({command, install_on_help(), [this] { return run_install_on({}); }});
  command = app_->add_subcommand("kernel", "What the name of a kernel means");
  command->add_option("NAME", kernel_names_, "As the trace has it; put it into quotes")->type_name("")->required();
  add_json_flag(*command);
  commands_.push_back({command, kernel_help(), [this]() -> Result<void> {
                         Output out(stdout);
                         print_kernels(kernel_names_, json_, out);
                         return out.finish();
                       }});
  command = app_->add_subcommand("doctor", "What of live recording works on this machine, and what to do");
  commands_.push_back({command, doctor_help(), [] { return run_doctor(); }});
}

std::string CommandLine::check_command(const Subcommand& command, const SplitWords& words) {
  for (RecordOptions* options : {&record_, &live_}) {
    if (command.app->get_name() != (options == &record_ ? "record" : "live")) continue;
    if (std::string wrong = take_command(words, *options); !wrong.empty()) return wrong;
    return options->contradiction();
  }
  return {};
}

}  // namespace lacuna
