#include "app/cli/command.h"

#include <cstdlib>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/remote_plan.h"
#include "model/import/trace_files.h"

namespace lacuna {
namespace {

constexpr const char* kWithoutWindow =
    "Without one: lacuna web TRACE or lacuna web live -- CMD (in a browser), lacuna report|gaps|stats|info TRACE, or "
    "lacuna screenshot TRACE -o OUT.png";

}  // namespace

Result<void> answer(const std::function<Result<void>(Output&)>& write) {
  Output out(stdout);
  if (Result<void> written = write(out); !written) return written;
  return out.finish();
}

Result<void> answer_about_traces(const CommandContext& context,
                                 const std::function<Result<void>(const Trace&, Output&)>& write, bool warns) {
  const Result<Trace> trace = load_traces(context.load.paths, context.load.import);
  if (!trace) return tl::make_unexpected(trace.error());
  if (warns) print_warnings(*trace, stderr);
  return answer([&](Output& out) { return write(*trace, out); });
}

void add_json_flag(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "Write JSON to standard output");
}

Result<void> CommandContext::check_window() const {
  if (!graphics.run_window)
    return fail(ErrorCode::kUnsupported,
                "this lacuna was built without a window (LACUNA_GUI=OFF); it has "
                "lacuna report|gaps|stats|info TRACE");
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

Result<void> CommandContext::open_window(std::optional<LivePlan> live, std::optional<AttachPlan> attach,
                                         std::shared_ptr<RemotePlan> remote_plan) {
  // A misspelt file or command should not open a window first.
  for (const std::string& path : load.paths) {
    if (const auto found = is_url(path) ? find_trace_files(std::span(&path, 1)) : Result<std::vector<TraceFile>>();
        !found)
      return tl::make_unexpected(found.error());
    if (!may_be_traces(path))
      return fail(ErrorCode::kNotFound, "no such file (nor a command; see lacuna --help)", path);
  }
  if (Result<void> possible = check_window(); !possible) return possible;
  Result<void> result = graphics.run_window({.paths = load.paths,
                                             .import = load.import,
                                             .live = std::move(live),
                                             .attach = std::move(attach),
                                             .remote = std::move(remote_plan)});
  if (!result && result.error().code == ErrorCode::kUnsupported)
    result.error().cause += fmt::format(". {}", kWithoutWindow);
  return result;
}

}  // namespace lacuna
