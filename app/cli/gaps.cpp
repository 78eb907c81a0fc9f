#include "app/cli/gaps.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/causes.h"
#include "app/cli/command.h"
#include "app/cli/gap_reasons.h"
#include "app/cli/json_writer.h"
#include "app/cli/option_values.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::string stream_label(const Trace& trace, const StreamActivity& stream) {
  return fmt::format("{}:{}", trace.text(stream.device), trace.text(stream.stream));
}

/// The gaps to list: long enough, longest first, then earliest first; at most the limit.
std::vector<Gap> choose_gaps(const StreamActivity& stream, const GapsOptions& options) {
  std::vector<Gap> gaps;
  std::ranges::copy_if(stream.gaps, std::back_inserter(gaps),
                       [&](const Gap& gap) { return gap.duration() >= options.min_duration; });
  std::ranges::stable_sort(gaps, std::ranges::greater{}, &Gap::duration);
  if (options.limit != 0 && gaps.size() > options.limit) gaps.resize(options.limit);
  return gaps;
}

std::uint32_t source_index(const Trace& trace, const StreamActivity& stream) {
  return trace.process(trace.track(stream.track).process).source.value;
}

/// "cudaLaunchKernel 3.21 us before the gap ends", or where it stood to the start of the gap.
std::string describe_launch(const Trace& trace, const Gap& gap) {
  if (!gap.launch.valid()) return "launch not in the file";
  const Nanos launched = trace.span(gap.launch).begin;
  const std::string_view name = trace.name(gap.launch);
  const Nanos lead = saturating_sub(launched, gap.start);
  return lead >= 0 ? fmt::format("{} +{}", name, format_duration(lead))
                   : fmt::format("{} -{}", name, format_duration(saturating_sub(0, lead)));
}

Table gaps_table(const Trace& trace, std::span<const Gap> gaps, const GapReasons& reasons) {
  TableOf<Gap> table(gaps);
  table.number({"Start", "startNs"}, &Gap::start,
               [&trace](const Gap& gap) { return format_duration(saturating_sub(gap.start, trace.span().begin)); });
  table.value("endNs", &Gap::end);
  table.duration({"Gap", "durationNs"}, &Gap::duration);
  table.add({"Cause"}, nullptr, [&reasons](const Gap& gap) { return reasons.cause(gap); });
  table.name({"Before", "before", 2}, [&trace](const Gap& gap) { return trace.name(gap.before); });
  table.name({"After", "after"}, [&trace](const Gap& gap) { return trace.name(gap.after); });
  const auto launch = [&trace](const Gap& gap) {
    return gap.launch.valid() ? Cell::of_text(trace.name(gap.launch)) : Cell::null();
  };
  const auto words = [&trace](const Gap& gap) { return describe_launch(trace, gap); };
  table.name({"Launch (from gap start)", "launch", 3}, launch, words);
  table.value("launchStartNs", [&trace](const Gap& gap) {
    return gap.launch.valid() ? Cell::of(trace.span(gap.launch).begin) : Cell::null();
  });
  return table;
}

void print_gaps_json(const Trace& trace, const std::vector<StreamActivity>& streams, const GapsOptions& options,
                     Output& out) {
  GapReasons reasons(trace);
  JsonWriter json(out);
  json.begin_list("streams");
  for (const StreamActivity& stream : streams) {
    json.begin_element_object();
    json.member("file", source_index(trace, stream));
    json.member("device", trace.text(stream.device));
    json.member("stream", trace.text(stream.stream));
    json.member("events", stream.events);
    json.member("firstStartNs", stream.first_start);
    json.member("lastEndNs", stream.last_end);
    json.member("windowNs", stream.window());
    json.member("busyNs", stream.busy);
    json.member("idleNs", stream.idle());
    json.member("sumDurationNs", stream.sum_duration);
    json.member("gapCount", stream.gaps.size());
    json.begin_list("gaps");
    const std::vector<Gap> gaps = choose_gaps(stream, options);
    const Table table = gaps_table(trace, gaps, reasons);
    for (std::size_t g = 0; g < gaps.size() && out.ok(); ++g) {
      Json object = json_row(table, g);
      reasons.add_to(object, stream, gaps[g]);
      json.element(object);
    }
    json.end();
    json.end();
  }
  json.end();
  const Links& links = trace.links();
  json.member("links",
              {{"gpuActivities", links.gpu_activities}, {"linked", links.linked}, {"unlinked", links.unlinked()}});
  json.finish();
}

/// What --min-us and --limit leave out, as the window's gaps page says it.
void print_left_out(const StreamActivity& stream, const std::vector<Gap>& listed, const GapsOptions& options,
                    Output& out) {
  Nanos shorter = 0, listed_time = 0;
  std::size_t shorter_count = 0;
  for (const Gap& gap : stream.gaps) {
    if (gap.duration() >= options.min_duration) continue;
    shorter = saturating_add(shorter, gap.duration());
    ++shorter_count;
  }
  for (const Gap& gap : listed) listed_time = saturating_add(listed_time, gap.duration());
  out.write(fmt::format("  listed: {} in {} of {}\n", format_duration(listed_time), format_count(listed.size()),
                        counted(stream.gaps.size(), "gap")));
  if (shorter_count > 0)
    out.write(fmt::format("  shorter than {}: {} in {}, left out\n", format_duration(options.min_duration),
                          format_duration(shorter), counted(shorter_count, "gap")));
  if (listed.size() + shorter_count < stream.gaps.size())
    out.write(fmt::format("  beyond --limit {}: {} in {}, left out\n", options.limit,
                          format_duration(saturating_sub(saturating_sub(stream.idle(), shorter), listed_time)),
                          counted(stream.gaps.size() - listed.size() - shorter_count, "gap")));
}

void print_stream(const Trace& trace, const StreamActivity& stream, GapReasons& reasons, const GapsOptions& options,
                  Output& out) {
  const Nanos window = stream.window();
  const double idle_part = window == 0 ? 0 : static_cast<double>(stream.idle()) / static_cast<double>(window);
  const TraceSource& source = trace.sources()[source_index(trace, stream)];
  out.write(printable(fmt::format("{}{}Device {}, stream {}", source.label, source.label.empty() ? "" : ": ",
                                  trace.text(stream.device), trace.text(stream.stream))));
  if (trace.sources().size() > 1) out.write("  " + printable(source.path));
  out.write(fmt::format("\n  {} {}: busy {} of {} first to last, idle {} ({}) in {} of any length\n",
                        format_count(stream.events), options.kernels_only ? "kernels" : "activities",
                        format_duration(stream.busy), format_duration(window), format_duration(stream.idle()),
                        format_percent(idle_part), counted(stream.gaps.size(), "gap")));
  if (stream.sum_duration > stream.busy)
    out.write(fmt::format("  overlap: the durations add up to {}\n", format_duration(stream.sum_duration)));
  const std::vector<Gap> gaps = choose_gaps(stream, options);
  if (!gaps.empty()) reasons.print(gaps_table(trace, gaps, reasons), gaps, options.width, out);
  if (gaps.size() < stream.gaps.size()) print_left_out(stream, gaps, options, out);
  out.write("\n");
}

void print_gaps_text(const Trace& trace, const std::vector<StreamActivity>& streams, const GapsOptions& options,
                     Output& out) {
  if (streams.empty()) {
    out.write(options.kernels_only ? "no GPU kernels in this trace\n" : "no GPU activity in this trace\n");
    return;
  }
  GapReasons reasons(trace);
  for (const StreamActivity& stream : streams) {
    if (!out.ok()) return;
    print_stream(trace, stream, reasons, options, out);
  }
  const Links& links = trace.links();
  out.write(fmt::format("{} GPU activities: {} with their launch, {} whose launch is not in the file\n",
                        format_count(links.gpu_activities), format_count(links.linked),
                        format_count(links.unlinked())));
}

}  // namespace

Result<std::vector<StreamActivity>> choose_streams(const Trace& trace, const GapsOptions& options) {
  std::vector<StreamActivity> streams = analyze_streams(trace, {.kernels_only = options.kernels_only});
  if (options.streams.empty()) return streams;
  std::vector<std::string> labels;
  for (const StreamActivity& stream : streams) labels.push_back(stream_label(trace, stream));
  for (const std::string& wanted : options.streams)
    if (std::ranges::find(labels, wanted) == labels.end())
      return fail(ErrorCode::kInvalidArgument,
                  labels.empty() ? fmt::format("no stream {}; there is no GPU activity", wanted)
                                 : fmt::format("no stream {}; there are {}", wanted, fmt::join(labels, ", ")),
                  trace.sources().empty() ? std::string{} : trace.sources().front().path);
  std::erase_if(streams, [&](const StreamActivity& stream) {
    return std::ranges::find(options.streams, stream_label(trace, stream)) == options.streams.end();
  });
  return streams;
}

Result<void> print_gaps(const Trace& trace, const GapsOptions& options, Output& out) {
  const Result<std::vector<StreamActivity>> streams = choose_streams(trace, options);
  if (!streams) return tl::make_unexpected(streams.error());
  if (options.json) {
    print_gaps_json(trace, *streams, options, out);
  } else {
    print_gaps_text(trace, *streams, options, out);
  }
  return {};
}

std::string_view gaps_help() {
  return R"help(One section per GPU stream. Kernels, copies and sets count as activity (with
--kernels-only: kernels); GPU annotations and profiler overhead do not.
  window  from the first start to the last end; `lacuna report` measures steps, or the whole
          recording, and counts what lies before the first and after the last activity as idle, too
  busy    length of the union of the activities: overlapping ones count once
  idle    window - busy = sum of all gaps, whatever --min-us and --limit hide
  launch  the runtime call with the correlation of the activity that ends the gap.
          "+" it started that long after the gap's start, "-" before it
`lacuna schema gaps --explain` says what each cause means, and how the other views count.
JSON keys of --json:
  streams[]     by file, device, stream
    file             index of the trace file (files[] of info --json), from 0
    device, stream   strings, from args.device and args.stream
    events           number of activities
    firstStartNs, lastEndNs, windowNs, busyNs, idleNs
    sumDurationNs    sum of durations; more than busyNs when activities overlap
    gapCount         all gaps, before --min-us and --limit
    gaps[]           longest first, then earliest first
      startNs, endNs, durationNs
      before, after  names of the activities around the gap
      launch         name of the launch of the activity that ends the gap, or null
      launchStartNs  when that launch started, or null
      id, cause, why …  see below
  links         whole trace
    gpuActivities, linked, unlinked   activities with and without a launch in the file
Times are integer nanoseconds, exactly 1000 times the ts of the file (of several files plus
shiftNs, see info); baseTimeNanoseconds is not added.)help";
}

namespace {

constexpr std::size_t kTextGaps = 10;

struct GapsCommand {
  GapsOptions gaps;
  CausesOptions causes;
  std::string min_us;
  std::optional<std::size_t> limit;
  std::size_t width = 0;

  void add_to(CLI::App& app) {
    causes.add_to(app);
    app.add_option("--stream", gaps.streams, "Only this stream, for instance 0:7; may be repeated")
        ->type_name("DEVICE:STREAM")
        ->allow_extra_args(false)
        ->check([](const std::string& text) {
          const auto colon = text.find(':');
          const bool valid = colon != std::string::npos && colon > 0 && colon + 1 < text.size();
          return valid ? std::string{} : "'" + text + "' is not DEVICE:STREAM";
        });
    app.add_option("--min-us", min_us, "List only gaps of at least X microseconds")
        ->type_name("X")
        ->check([](const std::string& text) {
          const auto nanos = parse_microseconds(text);
          return nanos && *nanos >= 0 ? std::string{} : "'" + text + "' is not a number of microseconds";
        });
    app.add_option("--limit", limit, fmt::format("Gaps per stream; 0 = all (default: {}; with --json all)", kTextGaps))
        ->check(is_count)
        ->type_name("N");
    app.add_flag("--kernels-only", gaps.kernels_only, "Copies and sets count as idle");
    add_json_flag(app, gaps.json);
  }
};

Result<void> print_any_gaps(const Trace& trace, const GapsCommand& command, Output& out) {
  GapsOptions options = command.gaps;
  options.min_duration = parse_microseconds(command.min_us).value_or(0);
  options.limit = command.limit.value_or(options.json ? 0 : kTextGaps);
  options.width = command.width;
  return command.causes.any() ? print_causes(trace, options, command.causes, out) : print_gaps(trace, options, out);
}

}  // namespace

Command gaps_command(CommandContext& context) {
  return trace_command(
      context, "gaps", "Per GPU stream: window, busy, idle, and why it idled",
      fmt::format("{}\n{}{}\n{}", gaps_help(), gap_causes_explained(), gap_reasons_help(), causes_help()),
      print_any_gaps);
}

}  // namespace lacuna
