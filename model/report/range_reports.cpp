#include "model/report/range_reports.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/base/stable_sort.h"
#include "model/job/late_waits.h"
#include "model/report/advice.h"
#include "model/report/report_parts.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

LateRanksPtr late_if_several(const Trace& trace) {
  return trace.sources().size() > 1 ? late_ranks_or_none(trace) : nullptr;
}

}  // namespace

RangeReports::RangeReports(const Trace& trace) : trace_(trace), late_(late_if_several(trace)), causes_(trace, late_) {
  for (const SourceId source : reported_sources(trace)) {
    File& file = files_.emplace_back();
    file.source = source;
    Report whole;
    whole.source = file.source;
    whole.window = trace.span();
    report_missing(trace, whole);
    file.missing = whole.missing;
    file.use = TimeUseIndex(trace, file.source);
    for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, file.source))
      if (std::ranges::find(file.devices, track.device) == file.devices.end()) file.devices.push_back(track.device);
    if (file.devices.size() > 1)
      for (const StringId device : file.devices) file.use_of.push_back(file.use.of_device(trace, device));
    const MeasuredSteps steps = find_measured_steps(trace, file.source);
    file.is_program = steps.window.begin >= steps.window.end && !window_of_program(trace, file.source).empty();
  }
}

std::vector<Report> RangeReports::over(TimeSpan range) const {
  std::vector<Report> reports;
  for (const File& file : files_) {
    Report& report = reports.emplace_back();
    report.source = file.source;
    report.window = range;
    report.steps.source = file.source;
    report.steps.window = range;
    report.missing = file.missing;
    report.use = file.use.over(range);
    report_devices(trace_, report, causes_);
    for (DeviceReport& device : report.devices) {
      const auto at = std::ranges::find(file.devices, device.device);
      device.use = file.use_of.empty() || at == file.devices.end()
                       ? report.use
                       : file.use_of[static_cast<std::size_t>(at - file.devices.begin())].over(range);
    }
    if (file.is_program) report.program = report_program(trace_, file.source, range);
    choose_cpu_process(trace_, report);
    report_cpu(trace_, report);
    judge_all(report);
    judge_confidence(report);
  }
  return reports;
}

void RangeReports::advise(Report& report) const {
  report_kernels(trace_, 1, report);
  report_launches(trace_, report);
  report_interruptions(trace_, report);
  report.missing.has_occupancy = report.kernel.occupancy_known > 0;
  std::optional<WhatIf> what_if;
  if (!report.devices.empty()) what_if.emplace(trace_, report.source, report.window, late_, &causes_);
  report.advice = give_advice(trace_, report, what_if ? &*what_if : nullptr);
}

std::vector<Report> report_recording(const Trace& trace, const IdleTime& idle, TimeSpan range) {
  std::vector<Report> reports;
  for (const CausedGaps& set : idle.devices) {
    auto report = std::ranges::find(reports, set.source, &Report::source);
    if (report == reports.end()) {
      report = reports.emplace(reports.end());
      report->source = set.source;
      report->window = range;
    }
    DeviceReport& device = report->devices.emplace_back();
    device.device = set.device;
    device.use = TimeUseIndex::of_gpu(trace, set.source, set.device, range);
    device.busy = device.use.gpu_busy;
    device.idle = saturating_sub(range.duration(), device.busy);
    Nanos judged = 0;
    const auto first = std::ranges::upper_bound(set.gaps, range.begin, {}, &Gap::end);
    for (auto g = static_cast<std::size_t>(first - set.gaps.begin()); g < set.diagnoses.size(); ++g) {
      const Gap& gap = set.gaps[g];
      if (gap.start >= range.end) break;
      const Nanos lost = TimeSpan{gap.start, gap.end}.intersect(range).duration();
      const auto cause = static_cast<std::size_t>(set.diagnoses[g].cause);
      device.by_cause[cause] += lost;
      judged += lost;
      if (device.gaps[cause]++ == 0 || gap.duration() > device.longest[cause].duration()) device.longest[cause] = gap;
    }
    device.by_cause[static_cast<std::size_t>(GapCause::kUnknown)] += std::max<Nanos>(0, device.idle - judged);
  }
  for (Report& report : reports) {
    sort_stably(report.devices, std::ranges::greater{}, &DeviceReport::busy);
    report.use = report.devices.front().use;
    judge_all(report);
    judge_confidence(report);
  }
  return reports;
}

}  // namespace lacuna
