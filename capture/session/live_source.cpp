#include "capture/session/live_source.h"

#include <algorithm>

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

}  // namespace lacuna
