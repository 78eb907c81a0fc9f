#include "app/cli/attach_process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/option_values.h"
#include "app/cli/output_name.h"
#include "app/cli/record.h"
#include "app/cli/record_options.h"
#include "app/cli/record_signals.h"
#include "app/cli/text_table.h"
#include "capture/kineto/running_job.h"
#include "capture/remote/live_relay.h"
#include "capture/session/dormant.h"
#include "capture/session/live_capture.h"
#include "capture/session/process_tree.h"
#include "capture/session/trace_recorder.h"
#include "capture/share/share_places.h"
#include "capture/wire/clock.h"
#include "model/base/ascii.h"
#include "model/base/os/files.h"
#include "model/base/standard_error.h"

namespace lacuna {
namespace {

constexpr int kOutsidePollMs = 20;

/// Dormant programs among a process and what it started.
std::vector<DormantProgram> dormant_below(int pid) {
  std::vector<int> pids;
  for (const ProcessEntry& entry : with_descendants(all_processes(), pid)) pids.push_back(entry.pid);
  return find_dormant(pids);
}

/// Two sentences on what can be done.
std::string what_can_be_done(const RunningJob& process) {
  const std::string name = fmt::format("process {} ({})", process.pid, printable(process.command));
  const std::string outside = fmt::format("lacuna attach {} -o FILE", process.pid);
  if (!dormant_below(process.pid).empty())
    return fmt::format(
        "{} is dormant: lacuna attach {} -o FILE --duration 5s wakes it, records it as lacuna record does (ranges, "
        "operators, kernels, and what is seen from outside), and lets it sleep again. Where there is a display, lacuna "
        "attach {} shows it live",
        name, process.pid, process.pid);
  if (has_mapped(process.pid, "liblacuna_collector"))
    return fmt::format(
        "{} is recorded by another lacuna, which has its trace (lacuna recordings, or lacuna attach without PID where "
        "it "
        "records with --live). From outside its thread states and Python stacks can be had beside that: {}",
        name, outside);
  if (why_not_a_job(process.pid).empty())
    return fmt::format(
        "{} was started with KINETO_USE_DAEMON: lacuna request {} --duration 2s takes a trace of it, with operators "
        "and "
        "kernels, once it has imported torch. From outside its thread states and Python stacks can be had at any time: "
        "{}",
        name, process.pid, outside);
  if (const auto environment = environment_of(process.pid);
      environment && std::ranges::find(*environment, "LACUNA_DORMANT=1") != environment->end())
    return fmt::format(
        "{} was started to be dormant, and is not: it has used neither NVTX, CUDA nor torch yet, or lacuna doctor says "
        "what keeps it. From outside its thread states and Python stacks can be had now: {}",
        name, outside);
  return fmt::format(
      "{} has neither Lacuna's collector nor PyTorch's KINETO_USE_DAEMON=1, which a program gets when it starts: for "
      "operators and kernels start it again, under lacuna record, or with that variable for lacuna request. From "
      "outside "
      "its thread states and Python stacks can be had now: {}",
      name, outside);
}

void tell_messages(TraceRecorder& recorder) {
  for (const CaptureMessage& message : recorder.session().take_messages())
    to_standard_error(fmt::format("lacuna: {}\n", printable(message.text)));
}

}  // namespace

void AttachProcess::add_to(CLI::App& app) {
  CLI::Option* out = app.add_option("-o,--output", output,
                                    "With PID: write it to OUT: all of a dormant one, else what is seen from outside")
                         ->type_name("OUT");
  CLI::Option* shared = app.add_option_function<std::vector<std::string>>(
                               "--live",
                               [this](const std::vector<std::string>& given) {
                                 is_shared = true;
                                 if (!given.empty()) live = given.front();
                               },
                               "… and let a window here watch meanwhile (default: attach-PID)")
                            ->type_name("SOCKET")
                            ->expected(0, 1)
                            ->allow_extra_args(false)
                            ->needs(out);
  app.add_option("--unwatched", unwatched, "… and end when no window has watched for so long: 60s")
      ->type_name("TIME")
      ->needs(shared)
      ->check([](const std::string& text) {
        return parse_duration(text) ? std::string{} : "'" + text + "' is not a time such as 60s";
      });
  app.add_option("--duration", duration, "… for so long: 10s, 1m (default: until Ctrl+C or its end)")
      ->type_name("TIME")
      ->needs(out)
      ->check([](const std::string& text) {
        return parse_duration(text) ? std::string{} : "'" + text + "' is not a time such as 10s";
      });
  add_gpu_counters_to(app, gpu_counters)->needs(out);
  app.add_flag("--force", force, "Replace OUT whatever it is; without: only a trace that Lacuna wrote")->needs(out);
}

int process_named(const std::string& word) {
  const bool is_number = !word.empty() && word.size() < 10 && std::ranges::all_of(word, is_digit);
  return is_number ? std::atoi(word.c_str()) : 0;
}

bool is_like_a_process(const std::string& word) {
  const std::size_t digits = word.starts_with('-') ? 1 : 0;
  return word.size() > digits && std::all_of(word.begin() + static_cast<std::ptrdiff_t>(digits), word.end(), is_digit);
}

Result<AttachPlan> plan_to_attach(const std::string& target, const KeepLimit& keep) {
  if (const int pid = process_named(target); pid > 0) {
    if (!dormant_below(pid).empty()) return AttachPlan{{}, keep, pid};
    const Result<void> why_not = attach_process(pid, {});
    return tl::make_unexpected(why_not.error());
  }
  const Result<std::string> socket = recording_to_attach(target);
  if (!socket) return tl::make_unexpected(socket.error());
  if (is_like_a_process(target) && !facts_at(*socket))
    return fail(ErrorCode::kNotFound, "neither a process nor a recording", target);
  return AttachPlan{*socket, keep};
}

Result<void> attach_process(int pid, const AttachProcess& options) {
  const RunningJob process = describe_job(pid);
  if (process.pid == 0) {
    const std::string why = why_not_a_job(pid);
    return fail(ErrorCode::kNotFound, fmt::format("process {}: {}", pid, why.empty() ? "it has ended" : why));
  }
  if (options.output.empty()) return fail(ErrorCode::kUnsupported, what_can_be_done(process));
  const std::vector<std::string> words = arguments_of(pid);
  Result<ClaimedFile> output =
      claim_output(options.output, words.empty() ? std::vector<std::string>{process.command} : words, options.force);
  if (!output) return tl::make_unexpected(output.error());
  SessionOptions session;
  const bool is_dormant = !dormant_below(pid).empty();
  session.nvtx = session.cuda = is_dormant;
  session.sampling = {};
  session.metrics = {.counters_per_second = options.gpu_counters};
  auto started = TraceRecorder::start(std::move(*output), session);
  if (!started) return tl::make_unexpected(started.error());
  TraceRecorder& recorder = **started;
  const RecordSignals signals;
  const std::string name = options.live.empty() ? fmt::format("attach-{}", pid) : options.live;
  if (options.is_shared) {
    const Result<std::string> socket = share_path(name);
    if (!socket) return tl::make_unexpected(socket.error());
    if (Result<void> shared = recorder.share(*socket, words, recordings_folder()); !shared) return shared;
    recorder.sharing()->set_target(pid);
  }
  if (is_dormant) {
    recorder.poll(0);  // the file begins before its first event
    const Result<std::size_t> woken = recorder.session().wake(static_cast<std::uint32_t>(pid));
    if (!woken) return tl::make_unexpected(woken.error());
    to_standard_error(
        fmt::format("lacuna: woke {}\n", *woken == 1 ? "one process" : fmt::format("{} processes", *woken)));
  }
  recorder.session().look_at(static_cast<std::uint32_t>(pid));
  to_standard_error(fmt::format("lacuna: looking at {} (process {}); Ctrl+C ends that, not the process\n",
                                printable(process.command), pid));
  if (options.is_shared)
    to_standard_error(fmt::format("lacuna: watch it with: lacuna attach {}\n", printable_words({name})));
  const Nanos limit = parse_duration(options.duration).value_or(0);
  const Nanos unwatched = parse_duration(options.unwatched).value_or(0);
  const auto begin = wire::monotonic_ns();
  auto watched = begin;
  bool has_ended = false;
  while (signals.stops() == 0 && !has_ended && recorder.can_write()) {
    recorder.poll(kOutsidePollMs);
    tell_messages(recorder);
    if (limit > 0 && wire::monotonic_ns() - begin >= static_cast<std::uint64_t>(limit)) break;
    if (recorder.sharing() != nullptr && recorder.sharing()->has_viewer()) watched = wire::monotonic_ns();
    if (unwatched > 0 && wire::monotonic_ns() - watched >= static_cast<std::uint64_t>(unwatched)) break;
    has_ended = !is_alive(process);
  }
  const Result<void> saved = recorder.finish();
  tell_messages(recorder);
  if (has_ended) to_standard_error(fmt::format("lacuna: process {} has ended\n", pid));
  if (!saved) return saved;
  if (!recorder.is_written())
    return fail(ErrorCode::kNotFound, fmt::format("nothing was seen of process {}", pid), recorder.path());
  fmt::print("{}\n", recorder.path());
  return {};
}

Command attach_command(CommandContext& context) {
  struct Options {
    std::string target;
    RecordOptions keep;
    AttachProcess process;
  };
  const auto options = std::make_shared<Options>();
  Command attach{
      "attach", "Shows a recording that runs elsewhere, or looks at a process from outside", std::string(attach_help()),
      [options](CLI::App& app) {
        app.add_option("TARGET", options->target, "Socket of lacuna record --live, or PID of a process")->type_name("");
        options->keep.add_keep_to(app);
        options->process.add_to(app);
      },
      [&context, options]() -> Result<void> {
        const std::string& target = options->target;
        const bool has_output = !options->process.output.empty();
        if (const int pid = process_named(target); pid > 0 && (has_output || !context.check_window()))
          return attach_process(pid, options->process);
        if (is_like_a_process(target) && has_output)
          return fail(ErrorCode::kNotFound, "there is no such process", target);
        if (has_output) return fail(ErrorCode::kInvalidArgument, "-o is for a process (lacuna attach PID -o OUT)");
        const Result<AttachPlan> plan = plan_to_attach(target, options->keep.keep_limit());
        if (!plan) return tl::make_unexpected(plan.error());
        return context.open_window({}, *plan);
      }};
  attach.run_there = [&context, options](const RemotePlace& place) -> Result<bool> {
    const int process = process_named(options->target);
    if (!options->process.output.empty() || (process > 0 && !context.check_window())) return false;
    const std::string name = process > 0 ? std::string() : options->target;
    return context.show_live_in_window({place, {}, name, process}, options->keep.keep_limit());
  };
  return attach;
}

}  // namespace lacuna
