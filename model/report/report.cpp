#include "model/report/report.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "model/base/parallel.h"
#include "model/import/argument_reader.h"
#include "model/job/late_waits.h"
#include "model/report/advice.h"
#include "model/report/report_parts.h"
#include "model/trace/find_device.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

bool says(const TraceSource& source, std::string_view key) {
  return std::ranges::any_of(source.metadata, [&](const auto& entry) {
    return entry.first == key && entry.second != "0" && entry.second != "false";
  });
}

bool has_member(const TraceSource& source, std::string_view key) {
  return std::ranges::any_of(source.metadata, [&](const auto& entry) { return entry.first == key; });
}

/// What the first operators of a file have in their args: files of before 2021 do not say in their head how they were
/// recorded. Where it is recorded nearly all operators have it.
void look_at_operators(const Trace& trace, SourceId source, MissingReport& missing) {
  constexpr std::size_t kLookedAt = 200;
  constexpr std::array<std::string_view, 2> kKeys{"Input Dims", "Call stack"};
  if (!trace.sources()[source.value].bytes) return;
  ArgumentReader reader(trace.sources()[source.value]);
  std::array<std::string_view, kKeys.size()> values;
  std::size_t seen = 0;
  for (const Track& track : tracks_of(trace, TrackKind::kThread, source))
    for (const Lane& lane : trace.lanes_of(track))
      for (std::uint32_t i = 0; i < lane.size() && seen < kLookedAt; ++i) {
        if (trace.category_class(lane.category(i)) != CategoryClass::kCpuOperator) continue;
        ++seen;
        if (!reader.read(lane.file_offset(i), kKeys, values)) continue;
        missing.has_shapes |= !values[0].empty();
        missing.has_stacks |= !values[1].empty();
      }
}

/// What tracks of any kind hold: of a file of asynchronous events or counters alone there is nothing else.
TimeSpan span_of_tracks(const Trace& trace, SourceId source) {
  TimeSpan span = TimeSpan::nothing();
  for (const Track& track : trace.tracks())
    if (trace.process(track.process).source == source && track.slice_count > 0) span = span.unite(track.span);
  return span.begin <= span.end ? span : TimeSpan{trace.span().begin, trace.span().begin};
}

}  // namespace

const DeviceProperties* Report::properties(const Trace& trace) const {
  if (busiest() == nullptr || source.value >= trace.sources().size()) return nullptr;
  return find_device(trace, source, busiest()->device);
}

namespace {

/// `causes` is of the whole trace, with `late`, or null.
Report make_report(const Trace& trace, SourceId source, const ReportOptions& options, const CauseIndex* causes,
                   const LateRanksPtr& late = nullptr) {
  Report report;
  report.source = source;
  report.steps = find_measured_steps(trace, source, options.leave_out_warm_up);
  report.window = report.steps.window;
  if (report.window.begin > report.window.end) report.window = {0, 0};
  if (report.window.empty()) {
    if (const TimeSpan seen = window_of_program(trace, source); seen.begin < seen.end) {
      report.window = seen;
      report.program = report_program(trace, source, seen);
    } else if (!report.steps.has_steps()) {
      report.window = span_of_tracks(trace, source);
    }
  }
  for (const MeasuredStep& step : report.steps.steps) report.by_step.push_back({step, {}});

  choose_cpu_process(trace, report);
  Result<std::vector<MemoryTimeline>> memory;
  TimeUseIndex time_use;
  std::optional<CauseIndex> own;
  std::optional<Replay> replay;  // of files with GPU work
  const bool has_gpu = std::ranges::any_of(trace.tracks(), [&](const Track& track) {
    return track.kind == TrackKind::kGpuStream && trace.process(track.process).source == source;
  });
  const std::function<void()> parts[] = {
      [&] {
        if (causes == nullptr) causes = &own.emplace(trace, late);
        report_devices(trace, report, *causes);
      },
      [&] { report_kernels(trace, 1, report); },
      [&] {
        if (has_gpu) replay.emplace(trace, source, report.window);
      },
      [&] { time_use = TimeUseIndex(trace, source, 1); },
      [&] { report_operators(trace, report); },
      [&] { report_cpu(trace, report); },
      [&] { report_missing(trace, report); },
      [&] { report_launches(trace, report); },
      [&] { report.phases = find_step_phases(trace, report.steps); },
      [&] { report_interruptions(trace, report); },
      [&] { report.hardware = report_hardware(trace, source, report.window); },
      [&] { memory = read_memory_timelines(trace, source, 1); },
  };
  parallel_for(std::size(parts), options.threads, [&](std::size_t p) { parts[p](); });

  report.use = time_use.over(report.window);
  parallel_for(report.devices.size(), options.threads, [&](std::size_t d) {
    DeviceReport& device = report.devices[d];
    device.use = report.devices.size() == 1 ? report.use : time_use.of_device(trace, device.device).over(report.window);
  });
  judge_all(report);
  report_roofline(trace, options.threads, report);
  parallel_for(report.by_step.size(), options.threads,
               [&](std::size_t s) { report.by_step[s].use = time_use.over(report.by_step[s].step.paced); });
  if (memory) {
    report.memory = std::move(*memory);
  } else if (report.arguments_error.empty()) {
    report.arguments_error = memory.error().cause;
  }
  const TraceSource& file = trace.sources()[source.value];
  report.missing.has_memory = !report.memory.empty() || says(file, "profile_memory");
  report.missing.has_shapes = says(file, "record_shapes");
  if (!report.missing.has_shapes) look_at_operators(trace, source, report.missing);
  report.missing.by_lacuna = file.format == "live recording" || has_member(file, "lacuna");
  report.missing.has_occupancy = report.kernel.occupancy_known > 0;
  judge_confidence(report);
  std::optional<WhatIf> what_if;
  if (replay) what_if.emplace(trace, source, std::move(*replay), late, causes);
  report.advice = give_advice(trace, report, what_if ? &*what_if : nullptr, options.threads);
  return report;
}

}  // namespace

Report compute_report(const Trace& trace, SourceId source, const ReportOptions& options) {
  return make_report(trace, source, options, nullptr);
}

std::vector<SourceId> reported_sources(const Trace& trace) {
  std::vector<bool> has_slices(trace.sources().size(), false);
  for (const Track& track : trace.tracks())
    if (track.slice_count > 0) has_slices[trace.process(track.process).source.value] = true;
  std::vector<SourceId> sources;
  for (std::uint32_t s = 0; s < has_slices.size(); ++s)
    if (has_slices[s] && !trace.sources()[s].is_around_ranks) sources.push_back(SourceId{s});
  return sources;
}

std::vector<Report> compute_reports(const Trace& trace, const ReportOptions& options) {
  std::vector<Report> reports;
  std::optional<CauseIndex> causes;  // of all files; one alone makes it beside its other parts
  LateRanksPtr late;
  const std::vector<SourceId> sources = reported_sources(trace);
  if (sources.size() > 1) {
    late = late_ranks_or_none(trace);
    causes.emplace(trace, late);
  }
  for (const SourceId source : sources)
    reports.push_back(make_report(trace, source, options, causes ? &*causes : nullptr, late));
  return reports;
}

}  // namespace lacuna
