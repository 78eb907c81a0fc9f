// What the GPUs' clocks did, where the recording has them.

#include <algorithm>

#include <fmt/format.h>

#include "model/report/report_writer.h"

namespace lacuna {
namespace {

/// "1,095 MHz"
std::string megahertz(double mhz, const ReportFormat& format) {
  return format.count(static_cast<std::uint64_t>(std::max(0.0, mhz) + 0.5)) + " MHz";
}

}  // namespace

void ReportWriter::hardware() {
  if (report_.hardware.empty()) return;
  ReportSection& section = open("hardware", "What the hardware did");
  section.table.columns = {{"GPU"}, {"At work", true}, {"SM clock, usual", true}, {"Mean", true}, {"Held back by"}};
  bool has_fallen = false;
  for (const HardwareReport& gpu : report_.hardware) {
    for (const ClockFall& fall : gpu.falls) {
      has_fallen = true;
      line(fmt::format(
               "{}'s SM clock fell to {} (usually {}) at {} for {}: {}.", gpu.gpu, megahertz(fall.lowest_mhz, f_),
               megahertz(gpu.usual_mhz, f_), f_.duration(saturating_sub(fall.span.begin, trace_.span().begin)),
               f_.duration(fall.span.duration()), fall.reason.empty() ? "the driver named no reason" : fall.reason),
           ReportTone::kWarning, {{fall.span, {}}});
    }
    if (gpu.fall_count > gpu.falls.size())
      line(fmt::format("{}'s SM clock fell {} times; the longest are above.", gpu.gpu, f_.count(gpu.fall_count)));
    std::string held;
    for (const HardwareReport::Held& one : gpu.held)
      held += fmt::format("{}{} ({})", held.empty() ? "" : ", ", one.reason, part(one.time, gpu.at_work));
    row({gpu.gpu, f_.duration(gpu.at_work), gpu.at_work == 0 ? "-" : megahertz(gpu.usual_mhz, f_),
         gpu.at_work == 0 ? "-" : megahertz(gpu.mean_mhz, f_), held.empty() ? "nothing" : held},
        {report_.window, {}});
  }
  if (!has_fallen) line("No GPU's SM clock fell while it was at work.", ReportTone::kGood);
}

}  // namespace lacuna
