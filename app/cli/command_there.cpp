#include "app/cli/command_line_parts.h"

// What of the commands is done on another machine.

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/record_signals.h"
#include "app/remote_plan.h"
#include "capture/remote/live_relay.h"
#include "model/base/standard_error.h"

namespace lacuna {

Result<void> CommandLine::run_install_on(const RemoteWords& remote) {
  if (!install_host_.empty() && !remote.host.empty() && install_host_ != remote.host)
    return fail(ErrorCode::kInvalidArgument, "two hosts: say one", install_host_ + ", " + remote.host);
  const Result<RemotePlace> place =
      make_remote_place(install_host_.empty() ? remote.host : install_host_, remote.transport);
  if (!place) return tl::make_unexpected(place.error());
  return install_on(*place, installs_unasked_);
}

Result<void> CommandLine::run_there(const Subcommand* command, const RemoteWords& remote) {
  const std::string name = command != nullptr ? command->app->get_name() : std::string();
  if (name == "install-on") return run_install_on(remote);
  const Result<RemotePlace> place = make_remote_place(remote.host, remote.transport);
  if (!place) return tl::make_unexpected(place.error());
  if (name.empty() && load_.paths.empty())
    return fail(ErrorCode::kInvalidArgument, "say what to do there: a TRACE to open, or a command", place->name());
  const bool opens = name == "request" && request_.opens;
  if (remote.stays_there && !name.empty() && !opens)
    return fail(ErrorCode::kInvalidArgument, "--no-fetch is for a TRACE that the window opens", name);
  const int process = name == "attach" ? process_named(attach_) : 0;
  const bool shows_process = process > 0 && attach_process_.output.empty() && check_window();
  const bool names_recording = name == "attach" && process == 0 && attach_process_.output.empty();
  const bool shows_live = name == "live" || shows_process || names_recording;
  if (name == "record" || name == "live")
    if (Result<void> possible = check_input_for_host(*place, remote.words); !possible) return possible;
  // Before anything is fetched or started there.
  if (name.empty() || opens || shows_live)
    if (Result<void> possible = check_window(); !possible) return possible;
  if (name.empty()) return open_there(*place, remote.stays_there);
  if (name == "screenshot") {
    if (Result<void> fetched = fetch_traces(*place); !fetched) return fetched;
    return command->run();
  }
  if (shows_live)
    return name == "live" ? show_live({*place, record_words_of_live(remote.words), {}, 0})
                          : show_live({*place, {}, shows_process ? std::string() : attach_, process});
  if (name == "serve") return fail(ErrorCode::kInvalidArgument, "lacuna --on HOST starts this by itself");
  std::string output;
  const Result<int> exit = run_on_host(*place, opens ? without_flag(remote.words, "--open") : remote.words,
                                       opens ? &output : nullptr, name == "doctor");
  if (!exit) return tl::make_unexpected(exit.error());
  command_exit_ = *exit;
  if (!opens || output.empty()) return {};
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    load_.paths.push_back(output.substr(at, end - at));
    at = end + 1;
  }
  return open_there(*place, remote.stays_there);
}

Result<void> CommandLine::open_there(const RemotePlace& place, bool stays_there) {
  auto plan = std::make_shared<RemotePlan>();
  plan->place = place;
  plan->stays_there = stays_there;
  plan->paths = std::exchange(load_.paths, {});
  Result<std::unique_ptr<FarSide>> line = find_on_host(place, plan->paths);
  if (!line) return tl::make_unexpected(line.error());
  plan->line = std::move(*line);
  return open_window({}, {}, std::move(plan));
}

Result<void> CommandLine::fetch_traces(const RemotePlace& place) {
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

Result<void> CommandLine::show_live(const LiveRelayPlan& plan) {
  const auto relay = [&plan] {
    const RecordSignals signals;
    return LiveRelay::start(plan, {}, signals.stop_flag());
  }();
  if (!relay) return tl::make_unexpected(relay.error());
  Result<void> shown = open_window({}, AttachPlan{(*relay)->socket(), live_.keep_limit()});
  const std::string path = printable(plan.place.name() + ":" + (*relay)->output());
  const bool is_over = (*relay)->is_over() || plan.process > 0;  // which sleeps again
  to_standard_error(
      fmt::format("lacuna: {} {}\n", is_over ? "the trace is" : "the recording goes on there, into", path));
  return shown;
}

}  // namespace lacuna
