#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/attach_process.h"
#include "app/cli/calls.h"
#include "app/cli/causes.h"
#include "app/cli/command_line.h"
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
#include "app/cli/kernel.h"
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
#include "capture/metrics/pm_worker.h"

namespace CLI {
class App;
}

namespace lacuna {

struct LiveRelayPlan;
struct RemotePlan;

/// Rows that text shows unless --limit says otherwise; JSON and CSV then show all.
inline constexpr std::size_t kTextStatsRows = 30;
inline constexpr std::size_t kTextGaps = 10;

/// One subcommand: its options are members of CommandLine; run() is called after parsing.
struct Subcommand {
  CLI::App* app = nullptr;
  std::string_view help;  ///< printed below CLI11's list of options
  std::function<Result<void>()> run;
};

/// The options of the whole command line and what to do with them. Lives for one call. Each part of it has its file:
/// command_options.cpp what each command takes, command_runs.cpp what it does, command_there.cpp what of that is done
/// on another machine, command_line.cpp the rest.
class CommandLine {
 public:
  explicit CommandLine(const Graphics& graphics);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  int run(int argc, const char* const* argv);

 private:
  // What each command takes.
  CLI::App* add_command(const std::string& name, const std::string& description, std::string_view help,
                        std::function<Result<void>()> run);
  void add_json_flag(CLI::App& command);
  void add_info();
  void add_stats();
  void add_gaps();
  void add_calls();
  void add_critical_path();
  void add_what_if();
  void add_report();
  void add_diff();
  void add_memory();
  void add_hang();
  void add_job();
  void add_query();
  void add_export();
  void add_screenshot();
  void add_record();
  /// Checks the words of those that run a command of the user's; empty, or what is wrong.
  std::string check_command(const Subcommand& command, const SplitWords& words);

  // What each command does.
  Result<void> run_info();
  Result<void> run_stats();
  Result<void> run_gaps();
  Result<void> run_calls();
  Result<void> run_critical_path();
  Result<void> run_what_if();
  Result<void> run_report();
  Result<void> run_diff();
  Result<void> run_memory();
  Result<void> take_request();
  Result<void> run_screenshot();
  /// Why no window can be opened here.
  Result<void> check_window() const;
  Result<void> open_window(std::optional<LivePlan> live = {}, std::optional<AttachPlan> attach = {},
                           std::shared_ptr<RemotePlan> remote = nullptr);

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

  // These run on another machine.
  Result<void> run_install_on(const RemoteWords& remote);
  /// What is drawn is drawn here, of files that are fetched; everything else runs there.
  Result<void> run_there(const Subcommand* command, const RemoteWords& remote);
  /// The window opens once the line is there, and the files: what is wrong with these is said here.
  Result<void> open_there(const RemotePlace& place, bool stays_there);
  /// The paths become those of fetched files.
  Result<void> fetch_traces(const RemotePlace& place);
  Result<void> show_live(const LiveRelayPlan& plan);

  // Answers.
  const Subcommand* chosen() const;
  static std::string help_of(const Subcommand& command);
  int print_help() const;
  static int usage_error(const std::string& cause);
  static int report(const Result<void>& result);

  const Graphics& graphics_;
  std::unique_ptr<CLI::App> app_;
  std::vector<Subcommand> commands_;

  LoadOptions load_;
  bool json_ = false;
  std::vector<std::string> kernel_names_;
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
  bool remote_stays_ = false;
  std::string install_host_;
  bool installs_unasked_ = false;
  bool serves_stdio_ = false;
  PmWorkerOptions pm_worker_;
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

}  // namespace lacuna
