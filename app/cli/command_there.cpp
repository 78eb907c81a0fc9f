// What of the commands is done on another machine.

#include <utility>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/on_host.h"
#include "app/cli/record_signals.h"
#include "app/remote_plan.h"
#include "capture/remote/live_relay.h"
#include "model/base/standard_error.h"

namespace lacuna {

Result<std::shared_ptr<RemotePlan>> CommandContext::plan_there(const RemotePlace& place) {
  auto plan = std::make_shared<RemotePlan>();
  plan->place = place;
  plan->stays_there = remote.stays_there;
  plan->paths = std::exchange(load.paths, {});
  Result<std::unique_ptr<FarSide>> line = find_on_host(place, plan->paths);
  if (!line) return tl::make_unexpected(line.error());
  plan->line = std::move(*line);
  return plan;
}

Result<void> CommandContext::open_there(const RemotePlace& place) {
  Result<std::shared_ptr<RemotePlan>> plan = plan_there(place);
  if (!plan) return tl::make_unexpected(plan.error());
  return open_window({}, {}, std::move(*plan));
}

Result<bool> CommandContext::show_live_in_window(const LiveRelayPlan& plan, KeepLimit keep) {
  if (Result<void> possible = check_window(); !possible) return tl::make_unexpected(possible.error());
  return show_live(plan, keep, [this](const AttachPlan& attach) { return open_window({}, attach); });
}

Result<bool> CommandContext::show_live(const LiveRelayPlan& plan, KeepLimit keep,
                                       const std::function<Result<void>(const AttachPlan&)>& show) {
  const auto relay = [&plan] {
    const RecordSignals signals;
    return LiveRelay::start(plan, {}, signals.stop_flag());
  }();
  if (!relay) return tl::make_unexpected(relay.error());
  const Result<void> shown = show({(*relay)->socket(), keep});
  const std::string path = printable(plan.place.name() + ":" + (*relay)->output());
  const bool is_over = (*relay)->is_over() || plan.process > 0;  // which sleeps again
  to_standard_error(
      fmt::format("lacuna: {} {}\n", is_over ? "the trace is" : "the recording goes on there, into", path));
  return shown.map([] { return true; });
}

bool reaches_machines() {
  return true;
}

Result<void> run_there(CommandContext& context, const Command* command) {
  const RemoteWords& remote = context.remote;
  const Result<RemotePlace> place = make_remote_place(remote.host, remote.transport);
  if (!place) return tl::make_unexpected(place.error());
  if (command == nullptr) {
    if (context.load.paths.empty())
      return fail(ErrorCode::kInvalidArgument, "say what to do there: a TRACE to open, or a command", place->name());
    if (Result<void> possible = context.check_window(); !possible) return possible;
    return context.open_there(*place);
  }
  if (remote.stays_there && !(command->keeps_files && command->keeps_files()))
    return fail(ErrorCode::kInvalidArgument, "--no-fetch is for a TRACE that the window opens", command->name);
  if (command->run_there) {
    const Result<bool> done = command->run_there(*place);
    if (!done) return tl::make_unexpected(done.error());
    if (*done) return {};
  }
  const Result<int> exit = run_on_host(*place, remote.words, nullptr, false);
  if (!exit) return tl::make_unexpected(exit.error());
  context.exit = *exit;
  return {};
}

}  // namespace lacuna
