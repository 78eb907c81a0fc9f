#include "app/cli/record.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "app/cli/command.h"
#include "app/cli/dormant.h"
#include "app/cli/load.h"
#include "app/cli/near_names.h"
#include "app/cli/on_host.h"
#include "app/cli/output.h"
#include "app/cli/output_name.h"
#include "app/cli/record_ranks.h"
#include "app/cli/record_signals.h"
#include "app/cli/stats.h"
#include "app/cli/status_line.h"
#include "app/cli/text_table.h"
#include "capture/remote/live_relay.h"
#include "capture/session/hook_watch.h"
#include "capture/session/launcher.h"
#include "capture/session/left_behind.h"
#include "capture/session/live_capture.h"
#include "capture/session/process_tree.h"
#include "capture/session/trace_recorder.h"
#include "capture/share/share_places.h"
#include "model/base/standard_error.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr int kPollMs = 5;

/// What a recording says on standard error, and to a window that watches. Quiet: only what is wrong.
class Speaker {
 public:
  Speaker(TraceRecorder& recorder, const RecordOptions& options)
      : recorder_(recorder), is_quiet_(options.quiet), status_(!options.quiet && !options.no_status) {}

  void say(const std::string& text) {
    if (is_quiet_) return;
    status_.clear();
    to_standard_error(fmt::format("lacuna: {}\n", text));
  }
  void warn(const std::string& text) {
    status_.clear();
    to_standard_error(fmt::format("lacuna: warning: {}\n", text));
  }
  /// What the collectors have to say.
  void pass_on_messages() {
    for (const CaptureMessage& message : recorder_.session().take_messages()) {
      if (message.kind == wire::MessageKind::kTorch && message.pid != 0) with_torch_.push_back(message.pid);
      const std::string text =
          (message.pid == 0 ? "" : fmt::format("process {}: ", message.pid)) + printable(message.text);
      say(text);
      if (recorder_.sharing() != nullptr) recorder_.sharing()->say(text);
    }
    if (recorder_.kept() == nullptr) return;
    for (const std::string& message : recorder_.kept()->take_messages()) say(printable(message));
  }
  StatusLine& status() { return status_; }
  const std::vector<std::uint32_t>& with_torch() const { return with_torch_; }

 private:
  TraceRecorder& recorder_;
  bool is_quiet_;
  StatusLine status_;
  std::vector<std::uint32_t> with_torch_;  // processes in which our hook was at work
};

void tell_losses(const CaptureStatus& s, Speaker& speaker) {
  const auto tell = [&](std::uint64_t count, std::string_view noun, std::string_view what) {
    if (count > 0) speaker.warn(counted(count, noun).append(" ").append(what));
  };
  tell(s.dropped, "record", "dropped: a ring was full (--ring-kb makes them larger)");
  tell(s.incomplete_gpu, "GPU record", "left out: without a start or end");
  tell(s.corrupt, "record", "left out: invalid");
  tell(s.lost_ends, "range", "closed where the next record came: the end is lost");
  tell(s.unmatched_pops, "end", "of a range without a start, or pop without a push");
  tell(s.names_lost, "name", "lost or cut");
  tell(s.switches_unseen, "context switch", "too short to be seen: thread states were looked up 100 times a second");
  constexpr std::uint64_t kWorthAWord = 50;  // one in so many
  if (s.samples_missed > s.samples / kWorthAWord)
    tell(
        s.samples_missed, "stack sample",
        fmt::format("missing, {:.0f} % of all: too late, as others had the CPUs or --stack-rate asks for too many, or "
                    "without a sense",
                    100.0 * static_cast<double>(s.samples_missed) / static_cast<double>(s.samples + s.samples_missed)));
}

/// At the socket asked for; one named after the program where none was.
Result<void> share(TraceRecorder& recorder, const RecordOptions& options, const std::vector<std::string>& command) {
  const std::string program = std::filesystem::path(command.front()).filename().string();
  const Result<std::string> path =
      share_path(options.live.empty() ? fmt::format("{}-{}", program.substr(0, 40), getpid()) : options.live);
  if (!path) return tl::make_unexpected(path.error());
  return recorder.share(*path, command, recordings_folder());
}

/// What may interrupt a recording, and what it is told of.
struct Watched {
  const RecordSignals& signals;
  Launcher& target;
  LeftBehind& left;
  HookWatch& hooks;
};

/// Stops the target a bit harder for each request that is new; `stops` of them were met before.
void meet_stop_requests(Watched& watched, int& stops, bool has_ended, Speaker& speaker) {
  for (; stops < watched.signals.stops(); ++stops) {
    if (has_ended) {
      speaker.say("the recording ends; what the command left behind goes on");
      continue;
    }
    const bool was_signalled = watched.signals.target_was_signalled();
    if (stops == 0 && was_signalled) {
      (void)watched.target.poll_exit();
      speaker.say("the target was interrupted and is ending (again: SIGTERM, then SIGKILL)");
      continue;
    }
    if (stops == 1 && was_signalled) (void)watched.target.stop_harder();  // SIGINT, which it has had
    speaker.say(fmt::format("stopping the target: {}", watched.target.stop_harder()));
  }
}

/// Runs rounds until the target, and what it started and is captured, have ended: returns how the target ended. Or
/// until the window of time is over: returns nothing then.
std::optional<Launcher::Exit> watch(Watched watched, TraceRecorder& recorder, Speaker& speaker) {
  const Session& session = recorder.session();
  const Nanos start = session.now();
  int stops = 0;
  int snapshots = 0;
  bool was_writing = true;
  bool was_waiting = session.gate() != nullptr && session.gate()->is_waiting();
  bool has_ended = false;
  for (;;) {
    recorder.poll(kPollMs);
    const Nanos now = session.now();
    speaker.pass_on_messages();
    if (!has_ended) watched.hooks.look(now - start);
    speaker.status().show(recorder, watched.target.pid(), now - start);
    if (was_writing && !recorder.can_write()) {
      was_writing = false;
      speaker.warn("the disk takes no more: the target runs on, but nothing more is recorded");
    }
    for (; snapshots < watched.signals.snapshots(); ++snapshots) {
      if (recorder.kept() != nullptr) {
        recorder.kept()->ask_to_save();
      } else {
        speaker.say("SIGUSR1 takes what --keep-seconds or --keep-gb keep; this recording is in its file at any time");
      }
    }
    meet_stop_requests(watched, stops, has_ended, speaker);
    if (was_waiting && !session.gate()->is_waiting()) {
      was_waiting = false;
      speaker.say("the range to start on has begun");
    }
    const auto exit = watched.target.poll_exit();
    if (session.gate() != nullptr && session.gate()->is_over(now)) return exit;
    if (!exit) continue;
    has_ended = true;
    const bool is_over = watched.left.is_over(now, session.status().running, stops > 0);
    for (const std::string& message : watched.left.take_messages()) speaker.say(printable(message));
    if (is_over) return *exit;
  }
}

/// Once the time is over: ends the target and what it started, or says that they go on.
void end_target(const Launcher& target, int signal, Nanos duration, Speaker& speaker) {
  if (signal == 0)
    return speaker.say(
        fmt::format("{} are recorded (--duration); the command goes on (--kill none)", format_duration(duration)));
  const std::vector<ProcessEntry> processes = with_descendants(all_processes(), target.pid());
  speaker.say(
      fmt::format("{} are recorded (--duration); {} gets SIG{} (--kill none lets it go on)", format_duration(duration),
                  processes.size() > 1 ? fmt::format("the command, {} processes,", processes.size()) : "the command",
                  sigabbrev_np(signal)));
  for (const ProcessEntry& process : processes) kill(process.pid, signal);
}

/// Nothing is recorded any more, but the exit code is the target's.
Launcher::Exit wait_for(Watched watched, Speaker& speaker) {
  int stops = watched.signals.stops();
  for (;;) {
    meet_stop_requests(watched, stops, false, speaker);
    if (const auto exit = watched.target.poll_exit()) return *exit;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  }
}

/// A name of ranges that none has, and what came near to it.
void tell_of_step_range(const std::string& name, const CaptureStatus& status, const Session& session,
                        Speaker& speaker) {
  constexpr std::size_t kMostNear = 5;
  if (name.empty() || status.steps > 0) return;
  std::vector<std::string> near = near_names(name, session.other_ranges(), kMostNear);
  for (std::string& each : near) each = fmt::format("'{}'", printable(each));
  speaker.warn(fmt::format("no range called '{}' ended, so that the recording has no steps{}", printable(name),
                           near.empty() ? "" : fmt::format("; there were {}", fmt::join(near, ", "))));
}

/// How a schedule of steps worked out where it did not as it was meant.
void tell_of_steps(const CaptureStatus& status, const StepSchedule& schedule, Speaker& speaker) {
  if (!schedule.is_set()) return;
  if (status.steps == 0 && status.slices > 0) {
    speaker.warn(fmt::format(
        "no training step came, so the schedule says nothing: kept {}{}. Steps are calls of "
        "prof.step() or of an optimizer's step(), ranges named by --step-range, or --step-every",
        counted(status.slices, "slice"),
        status.left_out > 0 ? fmt::format(", left out {} before them", counted(status.left_out, "event")) : ""));
  } else if (status.steps > 0 && status.slices == 0) {
    speaker.warn(fmt::format("nothing is kept: {} came, and the schedule begins after {}",
                             counted(status.steps, "step"),
                             format_count(std::uint64_t{schedule.wait} + schedule.warmup)));
  }
}

/// Why nothing came, or PyTorch's operators did not: what is known of it, and no more.
void tell_what_is_missing(const CaptureStatus& status, const HookWatch& hooks, const Session& session,
                          Speaker& speaker) {
  const std::vector<std::string> reasons = hooks.reasons(session.pids(), speaker.with_torch());
  if (!status.has_content() && status.left_out == 0) {
    speaker.warn(
        fmt::format("nothing was recorded{}: {}", status.states > 0 ? " but when threads ran and waited" : "",
                    !session.pids().empty()
                        ? std::string("no range ended while it was recorded")
                        : fmt::format("no NVTX range, CUDA call or PyTorch operator{} reached Lacuna{}",
                                      hooks.seen() == 0   ? std::string()
                                      : hooks.seen() == 1 ? std::string(" of the one process seen")
                                                          : fmt::format(" of the {} processes seen", hooks.seen()),
                                      reasons.empty() ? " (lacuna doctor says what works here)" : "")));
  }
  for (const std::string& reason : reasons) speaker.warn(printable(reason));
}

/// How the window of time worked out.
void tell_of_window(TraceRecorder& recorder, const RecordOptions& options, Speaker& speaker) {
  const RecordGate* gate = recorder.session().gate();
  if (gate != nullptr && gate->is_waiting()) {
    speaker.warn(fmt::format("nothing is kept: no NVTX range or operator called '{}' began{}",
                             printable(options.start_on), options.delay > 0 ? " after --delay" : ""));
  } else if (gate != nullptr && !gate->has_begun(recorder.session().now())) {
    speaker.warn("nothing is kept: the command ended before --delay had passed");
  }
  const KeptRecording* kept = recorder.kept();
  if (kept == nullptr) return;
  speaker.say(kept->forgotten() == 0
                  ? std::string("everything is kept: it stayed within the limit")
                  : fmt::format("the last {} are kept; {} older events were dropped",
                                format_duration(saturating_sub(recorder.session().now(), kept->kept_since())),
                                format_count(kept->forgotten())));
}

void print_recorded_table(const std::vector<std::string>& paths, const RecordOptions& options) {
  const Result<Trace> trace = load_traces(paths, {});
  if (!trace) return;  // nothing was recorded, which was said
  StatsOptions stats;
  stats.limit = options.limit;
  stats.steps_in_a_line = true;
  stats.width = terminal_width();
  Output out(stdout);
  print_stats(*trace, stats, out);
  (void)out.finish();
}

/// What became of the recording, once it is finished: what was lost, where it is, its table.
Result<void> tell_of_file(TraceRecorder& recorder, const Result<void>& saved, const LivePlan& plan,
                          const RecordOptions& options, const std::string& claimed, const HookWatch& hooks,
                          Speaker& speaker) {
  const CaptureStatus status = recorder.session().status();
  tell_losses(status, speaker);
  if (!saved && recorder.kept() != nullptr)
    speaker.warn(fmt::format("what was kept stays in {} (lacuna recordings)", recorder.kept()->folder()));
  if (!saved) return tl::make_unexpected(saved.error());
  tell_of_step_range(plan.step_range, status, recorder.session(), speaker);
  tell_of_steps(status, plan.schedule, speaker);
  tell_what_is_missing(status, hooks, recorder.session(), speaker);
  tell_of_window(recorder, options, speaker);
  if (!recorder.is_written()) {
    speaker.warn(recorder.replaces() ? printable(claimed) + " stays as it was" : "no file was written");
    return {};
  }
  const std::string& path = recorder.path();
  if (path != claimed)
    speaker.warn(printable(claimed) + " was taken by another program meanwhile; the recording has another name");
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const std::string content = recorder.kept() != nullptr ? format_count(recorder.events()) + " events"
                                                         : format_count(status.slices) + " slices";
  const bool is_from_outside = status.slices == 0 && recorder.kept() == nullptr;
  speaker.say(fmt::format("{} in {} ({:.1f} MB)",
                          is_from_outside ? std::string("what was seen from outside (stacks, states, metrics)")
                                          : fmt::format("{} of {} {}", content, format_count(status.processes),
                                                        status.processes == 1 ? "process" : "processes"),
                          printable(path), error ? 0.0 : static_cast<double>(size) / 1e6));
  std::vector<std::string> files = {path};
  if (options.per_rank && status.slices > 0) {
    const Result<RankFilesMade> made = split_recording(path, options.force);
    if (!made) return tl::make_unexpected(made.error());
    if (made->ranks.empty()) {
      speaker.say(
          "one trace of all: no process said that it is a rank (RANK and WORLD_SIZE, or what mpirun and srun set)");
    } else {
      files = made->ranks;
      speaker.say(fmt::format("a trace for each rank: {}", fmt::join(files, " ")));
      if (!made->rest.empty()) speaker.say(fmt::format("what belongs to no rank: {}", made->rest));
    }
  }
  if (status.slices > 0 && !options.quiet) print_recorded_table(files, options);
  return {};
}

}  // namespace

Result<int> record(const RecordOptions& options) {
  if (options.dormant) return run_dormant(options);
  const Result<LivePlan> plan = options.live_plan({});
  if (!plan) return tl::make_unexpected(plan.error());
  SessionOptions session = session_options(*plan);
  session.window = options.window();
  if (session.collector.empty())
    return fail(ErrorCode::kUnsupported, "liblacuna_collector.so is not where lacuna looks for it (reinstall Lacuna)");
  Result<ClaimedFile> output = claim_output(options.output, plan->arguments, options.force);
  if (!output) return tl::make_unexpected(output.error());
  const std::string claimed = output->path();
  auto started = plan->keep.is_set() ? TraceRecorder::start_keeping(std::move(*output), session, plan->keep,
                                                                    recordings_folder(), plan->arguments)
                                     : TraceRecorder::start(std::move(*output), session);
  if (!started) return tl::make_unexpected(started.error());
  TraceRecorder& recorder = **started;
  if (options.is_shared)
    if (Result<void> shared = share(recorder, options, plan->arguments); !shared)
      return tl::make_unexpected(shared.error());

  const RecordSignals signals;
  LaunchOptions launch;
  launch.arguments = plan->arguments;
  launch.directory = plan->directory;
  launch.inherited = own_environment();
  launch.set = recorder.session().environment(launch.inherited);
  launch.set.insert(launch.set.end(), plan->variables.begin(), plan->variables.end());
  Result<Launcher> target = recorder.session().launch(launch);
  if (!target) return tl::make_unexpected(target.error());
  Speaker speaker(recorder, options);
  speaker.say(
      fmt::format("recording {} (process {}); Ctrl+C stops it", printable_words(plan->arguments), target->pid()));
  if (ShareServer* sharing = recorder.sharing(); sharing != nullptr) {
    sharing->set_target(target->pid());
    speaker.say(fmt::format("watch it with: lacuna attach {}", printable_words({sharing->path()})));
  }
  LeftBehind left(recorder.session().socket(), plan->waits_for_all);
  HookWatch hooks(target->pid(), recorder.session().socket(), session.python_hook);
  const Watched watched{signals, *target, left, hooks};
  std::optional<Launcher::Exit> exit = watch(watched, recorder, speaker);
  if (exit) recorder.set_exit(*exit);
  const std::string last_words = exit ? left.last_words(recorder.session().status().running) : std::string();
  const Result<void> saved = recorder.finish();
  speaker.pass_on_messages();
  if (exit) {
    speaker.say(fmt::format("the target {}", exit->in_words()));
  } else {
    end_target(*target, options.kill_signal(), session.window.duration, speaker);
  }
  if (!last_words.empty()) speaker.warn(printable(last_words));
  const Result<void> announced = tell_of_file(recorder, saved, *plan, options, claimed, hooks, speaker);
  const bool is_ended_by_us = !exit && options.kill_signal() != 0;
  if (!exit) exit = wait_for(watched, speaker);
  if (!announced) return tl::make_unexpected(announced.error());
  const RecordGate* gate = recorder.session().gate();
  if (gate != nullptr && gate->is_waiting() && !options.exit_zero) return std::max(exit->shell_code(), 1);
  return options.exit_zero || is_ended_by_us ? 0 : exit->shell_code();
}

std::string_view live_help() {
  return "Opens the window and shows the command while it runs; the same can be had from the launch dialog\n"
         "(Ctrl+L). Closing the window asks before a recording is lost, and ends the command.";
}

std::string_view attach_help() {
  return "Shows a recording that `lacuna record --live` makes, in a window, while it is made. The recording goes\n"
         "on whatever the window does; it ends, and is saved, where it was started. One window at a time.\n"
         "Without SOCKET: the one recording under way, or a list of them. SOCKET is a path or a name.\n"
         "PID: a process of yours that runs already. A dormant one (lacuna jobs) is woken, with what it started, and\n"
         "shown live until the window closes, or recorded with -o OUT; then it sleeps again.\n"
         "Of any other process lacuna says what it can see from outside; with -o OUT it records the states of the\n"
         "threads (looked up 100 times a second) and the Python stacks. Nothing is put into the process, and it is\n"
         "never stopped. Its Python stacks need sysctl kernel.yama.ptrace_scope=0, or root.";
}

Result<std::string> recording_to_attach(const std::string& name) {
  if (!name.empty()) return share_path(name);
  const std::vector<std::string> found = shared_recordings();
  if (found.empty())
    return fail(ErrorCode::kNotFound,
                "no recording to watch is under way (one begins with: lacuna record --live -- COMMAND...)");
  if (found.size() == 1) return found.front();
  std::string list = "several recordings are under way; say which:";
  const Result<std::string> folder = share_folder();
  for (const std::string& path : found) {
    const std::filesystem::path file = path;
    const bool has_name = folder && file.parent_path() == *folder;
    list += "\n  lacuna attach " + printable_words({has_name ? file.stem().string() : path});
  }
  return fail(ErrorCode::kInvalidArgument, list);
}

std::string_view record_help() {
  return R"help(The command runs with Lacuna's collector inside, and so do its children; the recording goes on while any of them lives.
OUT is Kineto-like JSON that Lacuna, Perfetto and chrome://tracing open, even after a crash. In its name %r is the rank
(RANK, or what mpirun and srun set; else 0), %n the first number from 1 on that is free, %% a percent sign.
Steps, for --active, are ranges named by --step-range, else calls of prof.step(), else of an optimizer's step().
--keep-seconds and --keep-gb write the newest part at the end. Meanwhile SIGUSR1 to lacuna writes it to OUT-1, OUT-2 …,
and `lacuna recordings --save -o FILE` to FILE; the recording goes on.
--duration ends the command with SIGTERM; the exit code is 0 then. With --kill none lacuna waits for the command.
Ctrl+C stops the command with SIGINT, then SIGTERM, then SIGKILL; so does a terminal that closes, except under nohup.
What was recorded is written. The exit code is the command's (128 + signal where one killed it), 1 without a recording.)help";
}

namespace {

std::string what_is_wrong(const SplitWords& words, RecordOptions& options) {
  std::string wrong = take_command(words, options);
  return wrong.empty() ? options.contradiction() : wrong;
}

}  // namespace

Command record_command(CommandContext& context) {
  const auto options = std::make_shared<RecordOptions>();
  const auto run = [&context](const RecordOptions& asked) -> Result<void> {
    const Result<int> exit = record(asked);
    if (!exit) return tl::make_unexpected(exit.error());
    context.exit = *exit;
    return {};
  };
  Command command = make_command("record", "Runs a command and records what its CPU and GPU do",
                                 std::string(record_help()), options, run);
  command.run_there = [&context](const RemotePlace& place) {
    return check_input_for_host(place, context.remote.words).map([] { return false; });
  };
  command.check = [options](const SplitWords& words) { return what_is_wrong(words, *options); };
  return command;
}

Command live_command(CommandContext& context) {
  const auto options = std::make_shared<RecordOptions>();
  Command command{"live", "Runs a command and shows it in the window while it runs", std::string(live_help()),
                  [options](CLI::App& app) { options->add_live_to(app); },
                  [&context, options]() -> Result<void> {
                    const Result<LivePlan> plan = options->live_plan({"400"});  // a quarter of a minute
                    if (!plan) return tl::make_unexpected(plan.error());
                    return context.open_window(*plan);
                  }};
  command.run_there = [&context, options](const RemotePlace& place) -> Result<bool> {
    const std::vector<std::string>& words = context.remote.words;
    if (Result<void> possible = check_input_for_host(place, words); !possible)
      return tl::make_unexpected(possible.error());
    return context.show_live_in_window({place, record_words_of_live(words), {}, 0}, options->keep_limit());
  };
  command.check = [options](const SplitWords& words) { return what_is_wrong(words, *options); };
  return command;
}

}  // namespace lacuna
