#include "capture/session/live_source.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/trace/import_finding.h"

namespace lacuna {

EventBatch uncounted(EventBatch batch) {
  batch.phase_counts.fill(0);
  std::ranges::fill(batch.category_counts, 0u);
  batch.without_category = 0;
  return batch;
}

void LiveSource::report_to(ImportReport& report) const {
  const CaptureStatus s = status().capture;
  const auto add = [&](Finding finding, std::uint64_t count) {
    if (count > 0) report.add(finding, ImportReport::kNoOffset, {}, count);
  };
  add(Finding::kCaptureDropped, s.dropped);
  add(Finding::kCaptureIncomplete, s.incomplete_gpu);
  add(Finding::kCaptureCorrupt, s.corrupt);
  add(Finding::kCaptureLostEnds, s.lost_ends);
  add(Finding::kUnmatchedEnd, s.unmatched_pops);
}

std::string LiveSource::losses_json(const Status& s) {
  return fmt::format(
      "{{\"version\": \"{}\", \"processes\": {}, \"records\": {}, \"dropped\": {}, \"incomplete_gpu\": {}, "
      "\"corrupt\": {}, \"lost_ends\": {}, \"names_lost\": {}, \"forgotten\": {}, \"not_written\": {}}}",
      LACUNA_VERSION, s.capture.processes, s.capture.records, s.capture.dropped, s.capture.incomplete_gpu,
      s.capture.corrupt, s.capture.lost_ends, s.capture.names_lost, s.forgotten, s.not_written);
}

}  // namespace lacuna
