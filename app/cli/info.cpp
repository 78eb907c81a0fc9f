#include "app/cli/info.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/table_writers.h"
#include "app/cli/text_table.h"
#include "app/cli/trace_facts.h"
#include "model/import/capture_traces.h"
#include "model/steps/step_choices.h"
#include "model/trace/import_finding.h"
#include "render/format.h"

namespace lacuna {
namespace {

void print_histogram(std::string_view title, const Histogram& histogram, std::size_t width, Output& out) {
  std::string line = fmt::format("{:<11}", title);
  std::size_t used = display_width(line);
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    std::string entry = printable(histogram[i].first) + " " + format_count(histogram[i].second);
    if (i + 1 < histogram.size()) entry += ", ";
    if (used + display_width(entry) > width && used > 11) {
      line.erase(line.find_last_not_of(' ') + 1);
      line += "\n" + std::string(11, ' ');
      used = 11;
    }
    used += display_width(entry);
    line += entry;
  }
  out.write(line + "\n");
}

/// `ranks`: of a recording of several in one file.
void print_file(const TraceSource& source, const std::vector<std::string>& ranks, Output& out) {
  out.write(printable(source.path) + "\n");
  std::string size = format_bytes(source.file_bytes);
  if (source.json_bytes != source.file_bytes) size += fmt::format(", {} of JSON", format_bytes(source.json_bytes));
  out.write(fmt::format("{:<11}{} ({})\n", "Format", printable(source.format), size));
  if (ranks.size() > 1) {
    out.write(fmt::format("{:<11}{}{}\n", "Ranks", fmt::join(ranks, ", "),
                          source.world_size ? fmt::format(" of {}", *source.world_size) : std::string{}));
  } else if (source.rank) {
    out.write(source.world_size ? fmt::format("{:<11}{} of {}\n", "Rank", *source.rank, *source.world_size)
                                : fmt::format("{:<11}{}\n", "Rank", *source.rank));
  }
  if (source.alignment != Alignment::kSingle)
    out.write(
        fmt::format("{:<11}{}{}\n", "Aligned", describe(source.alignment),
                    source.shift_ns == 0 ? std::string{} : fmt::format("; times shifted by {} ns", source.shift_ns)));
  for (const auto& [category, count] : source.skipped)
    out.write(
        fmt::format("{:<11}{} of category {}, as asked\n", "Skipped", counted(count, "event"), printable(category)));
}

void print_devices(const std::vector<DeviceFacts>& devices, Output& out) {
  std::size_t idle_devices = 0;
  for (const DeviceFacts& device : devices) {
    if (!device.activity) {
      ++idle_devices;
      continue;
    }
    const Nanos window = device.activity->window();
    const double busy = window == 0 ? 0 : static_cast<double>(device.activity->busy) / static_cast<double>(window);
    out.write(printable(fmt::format(
        "{:<11}{}{}, {}, busy {} of {}", "GPU " + device.device,
        device.properties && !device.properties->name.empty() ? device.properties->name : std::string("model unknown"),
        device.properties && device.properties->total_memory_bytes != 0
            ? ", " + format_bytes(device.properties->total_memory_bytes)
            : std::string{},
        counted(device.activity->events, "activity"), format_percent(busy), format_duration(window))));
    out.write("\n");
  }
  if (idle_devices > 0) out.write(fmt::format("{:<11}{} more without activity in this trace\n", "GPUs", idle_devices));
}

/// All processes of Kineto have the name of the program; the label ("GPU 0") and the pid tell them apart.
std::string process_title(const Trace& trace, const Process& process) {
  std::string name(trace.text(process.name));
  const std::string_view label = trace.text(process.labels);
  const std::string_view pid = trace.text(process.pid);
  const bool is_number = !pid.empty() && pid.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_number && !process.is_gpu && name.find(pid) == std::string::npos) name.append(" ").append(pid);
  if (label.empty() || name.find(label) != std::string_view::npos) return name;
  return fmt::format("{} ({})", name, label);
}

void print_tracks(const Trace& trace, std::size_t width, Output& out) {
  struct Row {
    std::string process;
    const Track* track;
  };
  std::vector<Row> rows;
  std::uint64_t counters = 0;
  for (const ProcessId id : trace.process_order()) {
    std::string title = process_title(trace, trace.process(id));
    for (const TrackId track : trace.process(id).tracks)
      if (trace.track(track).kind == TrackKind::kCounter)
        ++counters;
      else
        rows.push_back({std::exchange(title, {}), &trace.track(track)});
  }
  TableOf<Row> table(rows);
  table.name({"Process"}, &Row::process);
  table.name({"Track"}, [&trace](const Row& row) { return trace.text(row.track->name); });
  table.count({"Slices"}, [](const Row& row) { return row.track->slice_count; });
  table.count({"Rows", {}, 1}, [](const Row& row) { return row.track->lane_count; });
  table.duration({"Span"}, [](const Row& row) { return row.track->span.duration(); });
  out.write("\n");
  print_table(table, width, out);
  if (counters > 0) out.write(fmt::format("and {}\n", counted(counters, "counter")));
}

void print_report(const Trace& trace, Output& out) {
  const std::vector<ImportReport::Line> lines = trace.report().lines();
  if (lines.empty()) {
    out.write("\nImport     nothing to report\n");
    return;
  }
  out.write("\nImport report\n");
  for (const ImportReport::Line& line : lines) {
    const FindingInfo& finding = info(line.finding);
    std::string text = fmt::format(
        "  {:<9} {:>9} {}", to_string(finding.severity) == "data_loss" ? "DATA LOSS" : to_string(finding.severity),
        finding.has_count() ? format_count(line.count) : "", finding.words_after(line.count));
    if (finding.severity != Severity::kInfo && line.first_offset != ImportReport::kNoOffset)
      text += fmt::format("; first at byte {}", line.first_offset);
    if (!line.example.empty()) text += fmt::format(" ({})", shorten(printable(line.example), 60));
    out.write(text + "\n");
  }
}

std::string before_launch_words(const Trace& trace) {
  const std::uint64_t count = activities_before_launch(trace);
  if (count == 0) return {};
  return fmt::format("; {} before it, which cannot be: the clocks of CPU and GPU do not agree",
                     count == 1 ? "1 starts" : format_count(count) + " start");
}

std::string unfilled_words(std::uint64_t count) {
  if (count == 0) return {};
  return fmt::format("; without {} of time 0 and duration 0, which the profiler did not fill",
                     counted(count, "GPU activity"));
}

void print_info_text(const Trace& trace, std::size_t width, Output& out) {
  for (const TraceSource& source : trace.sources()) {
    if (source.is_rank_of_file) continue;  // its file was told
    std::vector<std::string> ranks;
    for (const TraceSource& rank : trace.sources())
      if (rank.path == source.path && rank.rank) ranks.push_back(std::to_string(*rank.rank));
    print_file(source, ranks, out);
  }
  const FilledSpan filled = filled_span(trace);
  out.write(
      fmt::format("{:<11}{}{}\n", "Span", format_duration(filled.span.duration()), unfilled_words(filled.unfilled)));
  print_devices(device_facts(trace, filled), out);
  out.write(fmt::format("{:<11}{}, of which {}\n", "Events", format_count(trace.event_count()),
                        counted(trace.slice_count(), "slice")));
  print_histogram("Phases", phase_histogram(trace), width, out);
  print_histogram("Categories", category_histogram(trace), width, out);
  const Links& links = trace.links();
  if (links.gpu_activities > 0)
    out.write(fmt::format("{:<11}{} of {} GPU activities have their launch in the file{}\n", "Links",
                          format_count(links.linked), format_count(links.gpu_activities), before_launch_words(trace)));
  std::string_view title = "Steps";
  for (const std::string& line :
       wrapped(printable(step_choices_line(find_step_choices(trace))), std::max<std::size_t>(width, 40) - 11))
    if (!line.empty()) out.write(fmt::format("{:<11}{}\n", std::exchange(title, ""), line));
  if (const auto nodes = graph_node_counts(trace))
    out.write(fmt::format("{:<11}{} ran; known by a capture trace {}, in its order only {}; unknown {}\n", "Graphs",
                          counted(nodes->nodes, "node"), format_count(nodes->of_capture_trace),
                          format_count(nodes->of_capture_trace - nodes->by_name), format_count(nodes->unknown)));
  print_tracks(trace, width, out);
  print_report(trace, out);
}

}  // namespace

std::optional<GraphOrigins::Counts> graph_node_counts(const Trace& trace) {
  const auto is_capture = [](const TraceSource& source) { return capture_batch_size(source).has_value(); };
  if (std::ranges::none_of(trace.sources(), is_capture)) return std::nullopt;
  const auto graphs = GraphOrigins::find(trace);
  return graphs ? std::optional(graphs->counts()) : std::nullopt;
}

void print_info(const Trace& trace, const InfoOptions& options, Output& out) {
  if (options.json) {
    print_info_json(trace, out);
  } else {
    print_info_text(trace, options.width, out);
  }
}

}  // namespace lacuna
