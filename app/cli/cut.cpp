// A part of a trace as a trace of its own.

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/group_stats.h"
#include "app/cli/json_writer.h"
#include "app/cut/range_export.h"
#include "model/steps/measured_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

struct CutOptions {
  std::string output;
  GroupStatsOptions range;
  bool force = false;
  bool json = false;

  void add_to(CLI::App& app) {
    app.add_option("-o,--output", output, "Trace to write; compressed where it ends in .gz or .zst")
        ->required()
        ->type_name("OUT");
    range.add_range_to(app);
    app.add_flag("--force", force, "Replace OUT whatever it is; without: only a trace that Lacuna wrote");
    add_json_flag(app, json);
  }
};

Result<void> print_cut(const Trace& trace, const CutOptions& options, Output& out) {
  RangeExportOptions wanted;
  wanted.path = options.output;
  wanted.existing = options.force ? Existing::kReplace : Existing::kReplaceOurs;
  const Result<TimeSpan> range = chosen_range(trace, options.range, find_step_windows);
  if (!range) return tl::make_unexpected(range.error());
  wanted.range = *range;
  Result<std::vector<TrackId>> tracks = chosen_tracks(trace, options.range);
  if (!tracks) return tl::make_unexpected(tracks.error());
  wanted.tracks = std::move(*tracks);
  const Result<ExportedRange> done = export_range(trace, wanted);
  if (!done) return tl::make_unexpected(done.error());
  if (options.json) {
    JsonWriter json(out);
    json.member("files", done->paths);
    const TimeSpan written = range->intersect(trace.span());
    json.member("startNs", written.begin);
    json.member("endNs", written.end);
    json.member("events", done->events);
    json.member("withoutArgs", done->without_args);
    json.finish();
    return {};
  }
  for (const std::string& path : done->paths) out.write(printable(path) + "\n");
  out.write(fmt::format("{} of {}\n", counted(done->events, "event"),
                        format_duration(range->intersect(trace.span()).duration())));
  if (done->without_args > 0)
    out.write(
        fmt::format("{} of them without their args, which could not be read back\n", format_count(done->without_args)));
  return {};
}

constexpr const char* kCutHelp =
    R"help(Writes what overlaps a range as a trace of its own, small enough to be sent: slices whole and as they are in the file,
with counters, flows whose both ends are in it, and names. Times stay those of the file, so that both can be compared.
Several ranks become a file each, with their labels in the name. Without a range it is all of the trace.
JSON keys of --json: files, startNs, endNs, events, withoutArgs (events whose args could not be read back).)help";

}  // namespace

Command cut_command(CommandContext& context) {
  return trace_command(context, "cut", "A part of a trace as a trace of its own", kCutHelp, print_cut);
}

}  // namespace lacuna
