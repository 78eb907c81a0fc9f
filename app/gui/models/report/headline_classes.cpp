#include "app/gui/models/report/headline_classes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "model/base/stable_sort.h"

namespace lacuna {
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
      if (time > 0) classes.push_back({TimeKind::kKernel, {}, kernel_class_name(of), time, of});
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

}  // namespace lacuna
