#pragma once

#include <vector>

#include "model/causes/growing_causes.h"
#include "model/report/report.h"

namespace lacuna {

/// Reports on any time range of one trace, from data prepared once: the verdicts on its GPUs or its program,
/// and advice. For the measured window they equal compute_report()'s.
///
/// Building: O(n log n), as long as the slower half of a report. Keeps a CauseIndex, and a TimeUseIndex per GPU.
/// Refers to the trace, which must outlive it. Any thread may read.
class RangeReports {
 public:
  explicit RangeReports(const Trace& trace);

  /// Returns one report for each file with slices, over `range`: devices, use, verdicts and confidence; without steps,
  /// kernels, launches and advice. O(activities in the range + gaps log slices).
  std::vector<Report> over(TimeSpan range) const;
  /// Fills in kernels, copies, launches and the advice with the gains predicted by replays of the range: O(n log n).
  void advise(Report& report) const;

 private:
  struct File {
    SourceId source;
    MissingReport missing;  // of the whole file
    TimeUseIndex use;
    std::vector<StringId> devices;  // as in `use_of`
    std::vector<TimeUseIndex> use_of;
    bool is_program = false;  // only outside observations (thread states, samples) are known
  };

  const Trace& trace_;
  LateRanksPtr late_;
  CauseIndex causes_;
  std::vector<File> files_;
};

/// Reports on the GPUs of a running recording over `range`, as far as their gaps have verdicts by now; the rest of the
/// idle time has the cause "unknown". Devices, use, verdicts and confidence only. O(activities and gaps in the range).
std::vector<Report> report_recording(const Trace& trace, const IdleTime& idle, TimeSpan range);

}  // namespace lacuna
