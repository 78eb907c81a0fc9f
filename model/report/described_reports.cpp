#include "model/report/described_reports.h"

#include <algorithm>
#include <array>
#include <vector>

#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

void split_work_by_class(Headline& headline, std::span<const Report> reports) {
  for (Headline::Subject& subject : headline.subjects) {
    const auto report = std::ranges::find(reports, subject.source, &Report::source);
    if (report == reports.end()) continue;
    const std::vector<DeviceClasses>& computing = report->kernel.computing;
    const auto device = std::ranges::find(computing, subject.device, &DeviceClasses::device);
    if (device == computing.end()) continue;
    const auto whole =
        std::ranges::find_if(subject.parts, [](const Headline::Part& part) { return part.work == TimeKind::kKernel; });
    if (whole == subject.parts.end()) continue;
    const std::array<Nanos, kKernelClassCount>& times = device->by_class;
    double all = 0;
    for (const Nanos time : times) all += static_cast<double>(time);
    if (all == 0) continue;
    std::vector<Headline::Part> classes;
    for (std::size_t c = 0; c < kKernelClassCount; ++c) {
      const auto of = static_cast<KernelClass>(c);
      const auto time = static_cast<Nanos>(static_cast<double>(whole->time) * (static_cast<double>(times[c]) / all));
      if (time > 0) classes.push_back({TimeKind::kKernel, {}, std::string(kernel_class_name(of)), time, of});
    }
    if (classes.empty()) continue;
    sort_stably(classes, std::ranges::greater{}, &Headline::Part::time);
    // What rounding took stays with the first one: the parts add up to the window.
    Nanos left = whole->time;
    for (const Headline::Part& part : classes) left -= part.time;
    classes.front().time += left;
    const auto at = subject.parts.erase(whole);
    subject.parts.insert(at, classes.begin(), classes.end());
  }
}

}  // namespace

DescribedReports describe_reports(const Trace& trace, const ReportFormat& format, std::size_t rows) {
  const std::vector<Report> reports = compute_reports(trace);
  DescribedReports described;
  for (const Report& report : reports)
    described.files.push_back({report.source, describe_report(trace, report, format, rows),
                               make_report_cards(trace, report, format), report.window,
                               report.steps.window_name(trace)});
  described.headline = make_headline_by_class(trace, reports, format);
  return described;
}

Headline make_headline_by_class(const Trace& trace, std::span<const Report> reports, const ReportFormat& format) {
  Headline headline = make_headline(trace, reports, format);
  split_work_by_class(headline, reports);
  return headline;
}

}  // namespace lacuna
