#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/info.h"
#include "app/cli/json_writer.h"
#include "app/cli/trace_facts.h"
#include "model/steps/step_choices.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

/// null for what the file does not say.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

/// The value that all files agree on, else null.
template <class Get>
Json common(const Trace& trace, Get&& get) {
  Json value;
  for (const TraceSource& source : trace.sources()) {
    const Json next = get(source);
    if (&source == &trace.sources().front()) {
      value = next;
    } else if (next != value) {
      return {};
    }
  }
  return value;
}

Json format_of(const TraceSource& source) {
  return source.format;
}
Json rank_of(const TraceSource& source) {
  return or_null(source.rank);
}
Json world_size_of(const TraceSource& source) {
  return or_null(source.world_size);
}
Json base_time_of(const TraceSource& source) {
  return source.has_base_time ? Json(source.base_time_ns) : Json();
}
Json source_path(const TraceSource& source) {
  return source.path;
}

Json alignment_of(const Trace& trace) {
  if (trace.sources().empty()) return {};
  switch (trace.sources().front().alignment) {
    case Alignment::kSingle:
      return {};
    case Alignment::kBaseTime:
      return "baseTime";
    case Alignment::kAbsoluteTime:
      return "absoluteTime";
    case Alignment::kStart:
      return "start";
    case Alignment::kRaw:
      return "raw";
    case Alignment::kGiven:
      return "collectives";
  }
  return {};
}

template <class Get>
std::uint64_t sum_over_files(const Trace& trace, Get&& get) {
  std::uint64_t sum = 0;
  for (const TraceSource& source : trace.sources()) sum += source.*get;
  return sum;
}

std::uint64_t events_of(const TraceSource& source) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : source.phase_counts) sum += count;
  return sum;
}

void write_files(const Trace& trace, JsonWriter& json) {
  json.begin_list("files");
  for (const TraceSource& source : trace.sources()) {
    Json metadata = Json::object();
    for (const auto& [key, value] : source.metadata) metadata[key] = value;
    Json skipped = Json::object();
    for (const auto& [category, count] : source.skipped) skipped[category] = count;
    json.element({{"path", source_path(source)},
                  {"format", format_of(source)},
                  {"fileBytes", source.file_bytes},
                  {"jsonBytes", source.json_bytes},
                  {"events", events_of(source)},
                  {"skipped", std::move(skipped)},
                  {"label", or_null(source.label)},
                  {"shiftNs", source.shift_ns},
                  {"rank", rank_of(source)},
                  {"worldSize", world_size_of(source)},
                  {"baseTimeNs", base_time_of(source)},
                  {"displayTimeUnit", or_null(source.display_time_unit)},
                  {"metadata", std::move(metadata)}});
  }
  json.end();
}

void write_histogram(std::string_view key, const Histogram& histogram, JsonWriter& json) {
  json.begin_object(key);
  for (const auto& [name, count] : histogram) json.member(name, count);
  json.end();
}

void write_devices(const std::vector<DeviceFacts>& devices, JsonWriter& json) {
  json.begin_list("devices");
  for (const DeviceFacts& device : devices) {
    const DeviceProperties* properties = device.properties;
    const DeviceActivity activity = device.activity.value_or(DeviceActivity{});
    json.element(
        {{"file", device.source.value},
         {"device", device.device},
         {"name", properties ? or_null(properties->name) : Json()},
         {"totalMemoryBytes", properties ? Json(properties->total_memory_bytes) : Json()},
         {"computeCapability",
          properties ? Json(fmt::format("{}.{}", properties->compute_major, properties->compute_minor)) : Json()},
         {"multiprocessors", properties ? Json(properties->multiprocessors) : Json()},
         {"events", activity.events},
         {"windowNs", activity.window()},
         {"busyNs", activity.busy},
         {"idleNs", activity.idle()}});
  }
  json.end();
}

/// Processes, and the tracks of each kind in the order in which the window shows them.
void write_tracks(const Trace& trace, TimeSpan range, JsonWriter& json) {
  json.begin_list("processes");
  for (const ProcessId id : trace.process_order()) {
    const Process& process = trace.process(id);
    json.element({{"file", process.source.value},
                  {"pid", trace.text(process.pid)},
                  {"name", trace.text(process.name)},
                  {"label", or_null(std::string(trace.text(process.labels)))},
                  {"isGpu", process.is_gpu}});
  }
  json.end();
  const auto for_tracks = [&](TrackKind kind, auto&& write) {
    for (const ProcessId id : trace.process_order())
      for (const TrackId track : trace.process(id).tracks)
        if (trace.track(track).kind == kind) write(trace.process(id), trace.track(track));
  };
  json.begin_list("threads");
  for_tracks(TrackKind::kThread, [&](const Process& process, const Track& track) {
    json.element({{"file", process.source.value},
                  {"pid", trace.text(process.pid)},
                  {"tid", trace.text(track.tid)},
                  {"name", trace.text(track.name)},
                  {"slices", track.slice_count},
                  {"instants", track.instants.size()}});
  });
  json.end();
  json.begin_list("streams");
  for (const StreamActivity& stream : analyze_streams(trace, {.range = range}))
    json.element({{"file", trace.process(trace.track(stream.track).process).source.value},
                  {"device", trace.text(stream.device)},
                  {"stream", trace.text(stream.stream)},
                  {"name", trace.text(trace.track(stream.track).name)},
                  {"events", stream.events},
                  {"windowNs", stream.window()},
                  {"busyNs", stream.busy},
                  {"idleNs", stream.idle()}});
  json.end();
  json.begin_list("counters");
  for_tracks(TrackKind::kCounter, [&](const Process& process, const Track& track) {
    json.element({{"file", process.source.value},
                  {"pid", trace.text(process.pid)},
                  {"name", trace.text(track.name)},
                  {"samples", track.counter.times.size()}});
  });
  json.end();
}

void write_report(const Trace& trace, JsonWriter& json) {
  json.begin_list("report");
  for (const ImportReport::Line& line : trace.report().lines()) {
    const FindingInfo& finding = info(line.finding);
    json.element({{"finding", finding.key},
                  {"severity", to_string(finding.severity)},
                  {"count", line.count},
                  {"firstOffset", line.first_offset == ImportReport::kNoOffset ? Json() : Json(line.first_offset)},
                  {"example", or_null(line.example)},
                  {"meaning", finding.words_after(line.count)}});
  }
  json.end();
}

}  // namespace

void print_info_json(const Trace& trace, Output& out) {
  const FilledSpan filled = filled_span(trace);
  const std::vector<DeviceFacts> devices = device_facts(trace, filled);
  const bool has_time = !trace.span().empty() || trace.span().begin == trace.span().end;
  JsonWriter json(out);
  write_files(trace, json);
  json.member("alignment", alignment_of(trace));
  json.member("format", common(trace, format_of));
  json.member("fileBytes", sum_over_files(trace, &TraceSource::file_bytes));
  json.member("jsonBytes", sum_over_files(trace, &TraceSource::json_bytes));
  json.member("rank", common(trace, rank_of));
  json.member("worldSize", common(trace, world_size_of));
  json.member("baseTimeNs", common(trace, base_time_of));
  json.member("gpuModel", or_null(gpu_model(devices)));
  json.member("events", trace.event_count());
  json.member("slices", trace.slice_count());
  json.member("spanNs", filled.span.duration());
  json.member("startNs", has_time ? Json(filled.span.begin) : Json());
  json.member("endNs", has_time ? Json(filled.span.end) : Json());
  json.member("unfilled", filled.unfilled);
  write_histogram("phases", phase_histogram(trace), json);
  write_histogram("categories", category_histogram(trace), json);
  write_devices(devices, json);
  write_tracks(trace, filled.span, json);
  json.member("links", {{"gpuActivities", trace.links().gpu_activities},
                        {"linked", trace.links().linked},
                        {"unlinked", trace.links().unlinked()},
                        {"beforeLaunch", activities_before_launch(trace)},
                        {"flows", trace.links().flows().size()}});
  const auto nodes = graph_node_counts(trace);
  json.begin_list("steps");
  for (const StepChoice& choice : find_step_choices(trace))
    json.element({{"name", choice.name},
                  {"from", steps_from_key(choice.from)},
                  {"stepsFrom", choice.steps_from},
                  {"count", choice.count},
                  {"used", choice.is_used}});
  json.end();
  json.member("graphNodes", nodes ? Json{{"nodes", nodes->nodes},
                                         {"ofCaptureTrace", nodes->of_capture_trace},
                                         {"byName", nodes->by_name},
                                         {"ofTrace", nodes->of_trace},
                                         {"annotated", nodes->annotated},
                                         {"unknown", nodes->unknown}}
                                  : Json());
  write_report(trace, json);
  json.finish();
}

constexpr const char* kInfoHelp = R"help(JSON keys of --json:
  files[]       one per trace file
    path, format, fileBytes, jsonBytes, events, rank, worldSize, baseTimeNs, displayTimeUnit
    label       of several files: "rank 3", or the file's name; it leads the names of processes
    shiftNs     what was added to the times of this file (0 for the first)
    skipped     {category: events} left out by --skip-category; they count nowhere else
    metadata    other top-level keys of the file with their JSON text
  alignment     how several files share one time axis: "baseTime" (baseTimeNanoseconds),
                "absoluteTime" (their ts are times since 1970), "start" (by their first events,
                where a file says neither), "raw" and "collectives" (as --clock asked), or null for one file
  format, rank, worldSize, baseTimeNs   as above where all files agree, else null
  fileBytes, jsonBytes   sums over the files: on disk, and decompressed
  gpuModel      name of the GPU model, or null
  events        number of events of all phases
  slices        number of slices (complete events, begin/end pairs, async spans)
  spanNs        endNs - startNs
  startNs, endNs   first and last time of slices, instants and counter samples, or null
  unfilled      GPU activities of time 0 and duration 0, which the profiler did not fill: in no span or device
  phases        {phase: events}; "(none)" for events without a phase
  categories    {category: events}; "(none)" for events without a category
  devices[]     GPUs that the file describes or that have activity
    file, device, name, totalMemoryBytes, computeCapability, multiprocessors
    events, windowNs, busyNs, idleNs   activity over all its streams; see gaps
  processes[]   file, pid, name, label, isGpu
  threads[]     file, pid, tid, name, slices, instants
  streams[]     file, device, stream, name, events, windowNs, busyNs, idleNs
  counters[]    file, pid, name, samples
  links         gpuActivities, linked, unlinked (launch to GPU activity), beforeLaunch (activities that
                start over 1 us before their launch, which cannot be), flows
  steps[]       what the steps are told by, and what else they could be: name, from (ProfilerStep, engine annotation,
                numbered annotation, pattern), stepsFrom (what --steps-from takes; empty: as found), count, used
  graphNodes    where a capture trace lies beside the trace, else null: nodes of CUDA graphs that ran; of them known
                ofCaptureTrace (by a capture trace; byName: its names match), ofTrace (by a capture in the
                trace), annotated (by their annotations), and unknown (by nothing)
  report[]      what was repaired, not linked, not matched or not understood
    finding     stable name
    severity    "data_loss", "repaired" or "info"
    count       how often
    firstOffset byte of the first one in the (decompressed) JSON, or null
    example, meaning   text
"file" is the index in files[]. Ids (pid, tid, device, stream) are strings, as written in the
file. Times are integer nanoseconds, exactly 1000 times the ts of the file, plus its shiftNs;
baseTimeNs is not added.)help";

void InfoOptions::add_to(CLI::App& info) {
  add_json_flag(info, json);
}

Command info_command(CommandContext& context) {
  return make_command(
      "info", "What is in a trace, and what its import had to repair", kInfoHelp, std::make_shared<InfoOptions>(),
      [&context](const InfoOptions& options) {
        const auto print = [&](const Trace& trace, Output& out) {
          return print_info(trace, options, out), Result<void>();
        };
        return answer_about_traces(context, print, false);
      },
      &context.load);
}

}  // namespace lacuna
