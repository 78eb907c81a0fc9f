#include "app/cli/command_line_parts.h"

// What each command does.

#include <cstdlib>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/remote_plan.h"
#include "model/import/trace_files.h"

namespace lacuna {
namespace {

constexpr const char* kWithoutWindow =
    "Without one: lacuna info|stats|gaps|report TRACE, or lacuna screenshot TRACE -o OUT.png";

}  // namespace

Result<void> CommandLine::run_info() {
  return with_trace(
      [this](const Trace& trace, Output& out) -> Result<void> {
        print_info(trace, {.json = json_, .width = terminal_width()}, out);
        return {};
      },
      false);
}

Result<void> CommandLine::run_stats() {
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

Result<void> CommandLine::run_gaps() {
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

Result<void> CommandLine::run_calls() {
  return with_trace(
      [this](const Trace& trace, Output& out) -> Result<void> {
        calls_.width = terminal_width();
        return print_calls(trace, calls_, out);
      },
      true);
}

Result<void> CommandLine::run_critical_path() {
  return with_trace(
      [this](const Trace& trace, Output& out) -> Result<void> {
        critical_path_.width = terminal_width();
        return print_critical_path(trace, critical_path_, out);
      },
      true);
}

Result<void> CommandLine::run_what_if() {
  return with_trace(
      [this](const Trace& trace, Output& out) -> Result<void> {
        what_if_.width = terminal_width();
        return print_what_if(trace, what_if_, out);
      },
      true);
}

Result<void> CommandLine::run_report() {
  return with_trace(
      [this](const Trace& trace, Output& out) -> Result<void> {
        report_.width = terminal_width();
        return print_reports(trace, report_, out);
      },
      true);
}

Result<void> CommandLine::run_diff() {
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

Result<void> CommandLine::run_memory() {
  memory_.width = terminal_width();
  Output out(stdout);
  if (Result<void> written = print_memory(load_.paths, load_.import, memory_, out); !written) return written;
  return out.finish();
}

Result<void> CommandLine::take_request() {
  const Result<RequestAnswer> answer = run_request(request_);
  if (!answer) return tl::make_unexpected(answer.error());
  if (!answer->is_whole) command_exit_ = kExitError;
  Output out(stdout);
  for (const std::string& file : answer->files) out.write(file + "\n");
  if (Result<void> written = out.finish(); !written || !request_.opens || answer->files.empty()) return written;
  load_.paths = answer->files;
  return open_window();
}

Result<void> CommandLine::run_screenshot() {
  if (!graphics_.take_screenshot)
    return fail(ErrorCode::kUnsupported,
                "this lacuna was built without graphics (LACUNA_GUI=OFF), so it cannot take "
                "screenshots; it has lacuna info|stats|gaps|report TRACE");
  std::vector<std::string> inputs = load_.paths;
  if (!screenshot_.compare.empty()) inputs.push_back(screenshot_.compare);
  if (Result<void> safe = check_is_no_input(screenshot_.output, inputs); !safe) return safe;
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

Result<void> CommandLine::check_window() const {
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

Result<void> CommandLine::open_window(std::optional<LivePlan> live, std::optional<AttachPlan> attach,
                                      std::shared_ptr<RemotePlan> remote) {
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

}  // namespace lacuna
