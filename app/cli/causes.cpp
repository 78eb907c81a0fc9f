#include "app/cli/causes.h"

#include <map>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/gaps.h"
#include "app/cli/launch_views.h"
#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "model/causes/cause_ranking.h"
#include "model/causes/window_gaps.h"
#include "model/job/late_waits.h"
#include "model/steps/measured_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

double part_of(Nanos part, Nanos whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// What a view is about: gaps of whole devices, or of the streams that were asked for.
struct Sets {
  std::vector<CausedGaps> devices;
  std::vector<std::string> windows;              ///< by device: what was measured
  std::vector<std::vector<std::string>> labels;  ///< by device and gap: its id; empty: no gap between activities
  std::vector<CausedGaps> streams;
};

constexpr std::string_view kFirstToLast = "from the first to the last activity";

/// The ids of the gaps in the order of a whole device's; an edge of the window has the id of the gap that it is part
/// of.
std::vector<std::string> labels_of(const Trace& trace, const CausedGaps& set, const std::vector<DeviceActivity>& all) {
  std::vector<std::string> labels(set.gaps.size());
  const auto device = std::ranges::find_if(
      all, [&](const DeviceActivity& d) { return d.source == set.source && d.device == set.device; });
  if (device == all.end()) return labels;
  std::size_t whole = 0;
  for (std::size_t g = 0; g < set.gaps.size(); ++g) {
    while (whole < device->gaps.size() && device->gaps[whole].end < set.gaps[g].end) ++whole;
    if (whole < device->gaps.size() && device->gaps[whole].start <= set.gaps[g].start)
      labels[g] = gap_label(trace, set, static_cast<std::uint32_t>(whole));
  }
  return labels;
}

/// The devices in the time that the report measures, or in all that they have.
void gather_devices(const CauseIndex& index, const GapsOptions& gaps, bool whole, Sets& sets) {
  const Trace& trace = index.trace();
  const GapOptions options{.kernels_only = gaps.kernels_only};
  if (whole) {
    sets.devices = diagnose_devices(index, options);
    for (const CausedGaps& set : sets.devices) {
      sets.windows.emplace_back(kFirstToLast);
      std::vector<std::string>& labels = sets.labels.emplace_back();
      for (std::uint32_t g = 0; g < set.gaps.size(); ++g) labels.push_back(gap_label(trace, set, g));
    }
    return;
  }
  const std::vector<DeviceActivity> all = analyze_devices(trace, options);
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s) {
    const MeasuredSteps steps = find_measured_steps(trace, SourceId{s});
    if (steps.window.begin > steps.window.end) continue;
    for (WindowGaps& device : diagnose_window(index, SourceId{s}, steps.window, gaps.kernels_only)) {
      sets.windows.push_back(fmt::format("measured, {}", steps.window_name(trace)));
      sets.labels.push_back(labels_of(trace, device.gaps, all));
      sets.devices.push_back(std::move(device.gaps));
    }
  }
}

Result<Sets> gather_sets(const Trace& trace, const GapsOptions& gaps, bool whole) {
  Result<std::vector<StreamActivity>> streams = choose_streams(trace, gaps);
  if (!streams) return tl::make_unexpected(streams.error());
  const Result<LateRanksPtr> late = find_late_ranks(trace);
  if (!late) return tl::make_unexpected(late.error());
  const CauseIndex index(trace, *late);
  Sets sets;
  for (StreamActivity& stream : *streams) sets.streams.push_back(add_causes(index, std::move(stream)));
  // Idle time of a device is not the sum over its streams; whoever asks for streams wants those.
  if (gaps.streams.empty()) gather_devices(index, gaps, whole, sets);
  return sets;
}

Cell device_label(const Sets& sets, std::size_t device, std::uint32_t gap) {
  const std::string& label = sets.labels[device][gap];
  return label.empty() ? Cell::null() : Cell::of_text(label);
}

std::string set_title(const Trace& trace, const CausedGaps& set) {
  const TraceSource& source = trace.sources()[set.source.value];
  std::string title = source.label.empty() ? std::string{} : source.label + ": ";
  title += fmt::format("Device {}", trace.text(set.device));
  if (!set.is_device) title += fmt::format(", stream {}", trace.text(set.stream));
  if (trace.sources().size() > 1) title += fmt::format("  {}", source.path);
  return printable(title);
}

// --- --causes ------------------------------------------------------------------------------------

/// `label` says the id of a gap of the set.
template <class Label>
Table causes_table(const Trace& trace, const CausedGaps& set, std::span<const CauseTotal> totals, Label label) {
  using Row = CauseTotal;
  TableOf<Row> table(totals);
  const auto longest_start = [&set](const Row& row) { return set.gaps[row.longest.gap].start; };
  table.add(
      {"Cause", "cause"}, [](const Row& row) { return cause_key(row.cause); },
      [](const Row& row) { return cause_name(row.cause); });
  table.duration({"Lost", "lostNs"}, &Row::lost);
  table.number({"Share"}, [&set](const Row& row) { return format_percent(part_of(row.lost, set.idle())); });
  table.count({"Gaps", "gaps"}, &Row::gaps);
  table.duration({"Before launch", "beforeIssueNs", 2}, &Row::before_issue);
  table.duration({"In queue", "inQueueNs", 2}, &Row::in_queue);
  table.value("longestGap", [label](const Row& row) { return label(row.longest.gap); });
  table.duration({"Longest", "longestNs"}, [](const Row& row) { return row.longest.lost; });
  table.number({"at", "longestStartNs", 1}, longest_start, [&trace, longest_start](const Row& row) {
    return format_duration(saturating_sub(longest_start(row), trace.span().begin));
  });
  return table;
}

void print_causes_of(const Trace& trace, const CausedGaps& set, std::string_view window, std::size_t width,
                     Output& out) {
  out.write(fmt::format("{}\n  idle {} ({}) of {} {}; {} of any length{}\n", set_title(trace, set),
                        format_duration(set.idle()), format_percent(part_of(set.idle(), set.window)),
                        format_duration(set.window), printable(window), counted(set.gaps.size(), "gap"),
                        set.is_device ? ", no stream busy" : ""));
  const std::vector<CauseTotal> totals = rank_causes({&set, 1});
  print_table(causes_table(trace, set, totals, [](std::uint32_t) { return std::string(); }), width, out, 2);
  out.write("\n");
}

/// `label` says the id of gap g of a set.
template <class Label>
void write_causes_json(const Trace& trace, const std::vector<CausedGaps>& sets, JsonWriter& json, Label&& label) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const CausedGaps& set = sets[s];
    const std::vector<CauseTotal> totals = rank_causes({&set, 1});
    Json object = {{"file", set.source.value}, {"device", trace.text(set.device)}};
    if (!set.is_device) object["stream"] = trace.text(set.stream);
    object.update(
        {{"windowNs", set.window},
         {"busyNs", set.busy},
         {"idleNs", set.idle()},
         {"gapCount", set.gaps.size()},
         {"causes", json_rows(causes_table(trace, set, totals, [&](std::uint32_t g) { return label(s, g); }))}});
    json.element(object);
  }
}

void print_by_cause(const Trace& trace, const Sets& sets, const GapsOptions& gaps, Output& out) {
  if (gaps.json) {
    JsonWriter json(out);
    json.begin_list("devices");
    write_causes_json(trace, sets.devices, json,
                      [&](std::size_t s, std::uint32_t g) { return device_label(sets, s, g); });
    json.end();
    json.begin_list("streams");
    write_causes_json(trace, sets.streams, json,
                      [&](std::size_t s, std::uint32_t g) { return gap_label(trace, sets.streams[s], g); });
    json.end();
    json.finish();
    return;
  }
  for (std::size_t s = 0; s < sets.devices.size(); ++s)
    print_causes_of(trace, sets.devices[s], sets.windows[s], gaps.width, out);
  // A device with one stream says it all.
  std::map<std::pair<SourceId, StringId>, std::size_t> streams_of;
  for (const CausedGaps& set : sets.streams) ++streams_of[{set.source, set.device}];
  for (const CausedGaps& set : sets.streams)
    if (streams_of[{set.source, set.device}] > 1 || sets.devices.empty())
      print_causes_of(trace, set, kFirstToLast, gaps.width, out);
  if (sets.streams.empty()) out.write("no GPU activity in this trace\n");
}

// --- --by-operator -------------------------------------------------------------------------------

const char* level_key(CpuLevel level) {
  switch (level) {
    case CpuLevel::kAnnotation:
      return "annotation";
    case CpuLevel::kCalledOperator:
    case CpuLevel::kOperator:
      return "operator";
    case CpuLevel::kPython:
      return "python";
    case CpuLevel::kRuntime:
      return "runtime";
  }
  return "operator";
}

std::string cost_name(const Trace& trace, const OperatorCost& cost) {
  if (cost.name == kEmptyString) return "(nothing recorded)";
  if (cost.level == CpuLevel::kCalledOperator) return std::string(trace.text(cost.name));
  return fmt::format("({}) {}", level_key(cost.level), trace.text(cost.name));
}

/// `sets`: those of `all` whose gaps were charged.
Table operators_table(const Trace& trace, const Sets& all, std::span<const CausedGaps> sets, const OperatorCosts& costs,
                      Nanos idle) {
  using Row = OperatorCost;
  TableOf<Row> table(costs.rows);
  const auto start = [sets](const GapPlace& place) { return sets[place.set].gaps[place.gap].start; };
  table.name(
      {"Operator", "name"}, [&trace](const Row& row) { return trace.text(row.name); },
      [&trace](const Row& row) { return cost_name(trace, row); });
  table.value("kind", [](const Row& row) { return row.name == kEmptyString ? "nothing" : level_key(row.level); });
  table.duration({"Lost", "lostNs"}, &Row::lost);
  table.number({"In syncs", "inSynchronisationNs", 2}, &Row::in_synchronisation, [](const Row& row) {
    return row.in_synchronisation == 0 ? std::string() : format_duration(row.in_synchronisation);
  });
  table.name(
      {"Mostly in", "mostlyIn", 1},
      [&trace](const Row& row) {
        return row.mostly_in == kEmptyString ? Cell::null() : Cell::of_text(trace.text(row.mostly_in));
      },
      [&trace](const Row& row) { return trace.text(row.mostly_in); });
  table.count({"Places", "placeCount"}, [](const Row& row) { return row.places.size(); });
  table.value("places", [&trace, &all, sets, start](const Row& row) {
    TableOf<GapPlace> places(row.places);
    places.value("gap", [&](const GapPlace& place) {
      return all.devices.empty() ? Cell::of_string(gap_label(trace, sets[place.set], place.gap))
                                 : device_label(all, place.set, place.gap);
    });
    places.value("startNs", start);
    places.value("lostNs", &GapPlace::lost);
    return JsonText{to_text(json_rows(places))};
  });
  table.number({"Share"}, [idle](const Row& row) { return format_percent(part_of(row.lost, idle)); });
  table.number({"Most in one", {}, 3}, [](const Row& row) { return format_duration(row.places.front().lost); });
  table.number({"at", {}, 4}, [&trace, start](const Row& row) {
    return format_duration(saturating_sub(start(row.places.front()), trace.span().begin));
  });
  table.shown = {"Lost", "Share", "Places", "Most in one", "at", "In syncs", "Operator", "Mostly in"};
  return table;
}

void print_by_operator(const Trace& trace, const Sets& all, const GapsOptions& gaps, Output& out) {
  const std::vector<CausedGaps>& sets = all.devices.empty() ? all.streams : all.devices;
  const OperatorCosts costs = charge_operators(trace, sets);
  Nanos idle = 0;
  for (const CausedGaps& set : sets) idle = saturating_add(idle, set.idle());
  Table table = operators_table(trace, all, sets, costs, idle);
  table.limit(gaps.limit);
  if (gaps.json) {
    JsonWriter json(out);
    write_json_rows(table, "rows", json, out);
    json.member("rowCount", costs.rows.size());
    json.member("notChargedNs", costs.not_charged);
    json.finish();
    return;
  }
  out.write(fmt::format("Idle time of {} by what the CPU was doing: {} of {} is the CPU's\n",
                        all.devices.empty() ? "the streams" : "the devices",
                        format_duration(saturating_sub(idle, costs.not_charged)), format_duration(idle)));
  print_table(table, gaps.width, out, 2);
  if (table.rows < costs.rows.size())
    out.write(fmt::format("  {} of {} rows listed\n", format_count(table.rows), format_count(costs.rows.size())));
}

}  // namespace

void CausesOptions::add_to(CLI::App& gaps) {
  CLI::Option_group* views = gaps.add_option_group("Why", "Instead of the gaps one by one");
  views->require_option(0, 1);
  views->add_flag("--causes", by_cause, "Idle time by cause, per device and stream");
  views->add_flag("--by-operator", by_operator, "Idle time by the operator that the CPU was in");
  views->add_flag("--dead-windows", dead_windows, "Time from the start of annotations to the first thing in them");
  views->add_flag("--launches", launches, "Launch delays, short kernels and queue depth");
  gaps.add_flag("--whole", whole, "With --causes and --by-operator: devices from their first to their last activity");
}

Result<void> print_causes(const Trace& trace, const GapsOptions& gaps, const CausesOptions& options, Output& out) {
  if (options.whole && !options.by_cause && !options.by_operator)
    return fail(ErrorCode::kInvalidArgument, "--whole needs --causes or --by-operator");
  if (options.dead_windows) {
    print_dead_windows(trace, gaps, out);
  } else if (options.launches) {
    print_launches(trace, gaps, out);
  } else {
    const Result<Sets> sets = gather_sets(trace, gaps, options.whole);
    if (!sets) return tl::make_unexpected(sets.error());
    if (options.by_cause) {
      print_by_cause(trace, *sets, gaps, out);
    } else {
      print_by_operator(trace, *sets, gaps, out);
    }
  }
  return {};
}

std::string_view causes_help() {
  return R"help(JSON keys of the other views, and how they count:
--causes: idle time by cause. A device is idle while none of its streams is busy; its time is the one that lacuna
report measures, from begin to end, also before its first and after its last activity. A stream's time is from its
first to its last activity; with --whole a device's is, too. Each gap counts whole for one cause, but of a gap that
the profiler caused what the CPU would have needed without it is launch-bound; "before launch" and "in queue" are its
two parts (beforeIssueNs and inQueueNs above). With --stream only those streams are shown.
  devices[], streams[]   file, device, stream, windowNs, busyNs, idleNs, gapCount, and most lost first
    causes[]             cause, lostNs, gaps, beforeIssueNs, inQueueNs, longestGap (its id, "0#12" on
                         a device; null before its first and after its last activity), longestNs,
                         longestStartNs
--by-operator: the idle time of the devices (with --stream: of those streams) that the CPU caused
(launch-bound, synchronisation, data loading, profiler overhead), charged to what the CPU was doing. Where one call
synchronised, the operator that made the call is charged the whole gap. Else each operator is charged its time before
the launch was issued, and the one that issued it the launch latency. Operators are the outermost ones; where there is
none, a Python frame, runtime call or annotation is charged.
  rows[]         most lost first, at most --limit
    name, kind (operator, python, runtime, annotation, nothing), lostNs, inSynchronisationNs,
    mostlyIn     innermost operator with the most of it, or null
    placeCount, places[]   gap (id, or null as above), startNs, lostNs: most lost first
  rowCount, notChargedNs   rows and notChargedNs add up to the idle time
--dead-windows: time from the start of an annotation to the first operator, call or annotation on its
thread, and to the first GPU activity that a call in it launched. Outliers (of 3 or more instances of a
name): longer than the third quartile by 3 times the distance of the quartiles, and at least 20 us above
the median.
  groups[]       most dead time first, at most --limit
    name, instanceCount, totalNs, medianNs, longestNs, medianOnGpuNs, outlierCount
    instances[]  startNs, deadNs, firstChild, deadOnGpuNs, firstActivity, outlier, outlierOnGpu
--launches: delay = start of the activity - end of its launch, not below 0; short = the GPU needs less
time than the call took; a graph launch counts as one, under the name of its call. Queue depth of a
stream: +1 when a launch begins, -1 when its first activity on the stream starts.
  rows[]         most short ones first, at most --limit
    name, isGraph, launches, activities, short, gpuTimeNs, cpuTimeNs, delayNs, delayP50Ns, delayP99Ns,
    delayMaxNs, slowestStartNs
  rowCount, launches, activities, short
  queues[]       device, stream, launches, maxDepth, meanDepth, emptyNs, spanNs: between the first
                 launch and the last start)help";
}

}  // namespace lacuna
