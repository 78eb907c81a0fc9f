#pragma once

#include <vector>

#include "model/causes/growing_causes.h"
#include "model/report/report.h"

namespace lacuna {

/// Reports on any stretch of time of one trace, from what is prepared once: the verdicts on its GPUs or its program,
/// and what to do about them. Over the measured window they say what compute_report() says.
///
/// Building: O(n log n), as long as the slower half of a report. Keeps a CauseIndex, and a TimeUseIndex for each GPU.
/// Holds a reference to the trace, which must outlive it. Any thread may read.
class RangeReports {
 public:
  explicit RangeReports(const Trace& trace);

  /// One for each file with slices, over `range`: devices, use, verdicts and confidence; without steps, kernels,
  /// launches and advice. O(activities in the range + gaps log slices).
  std::vector<Report> over(TimeSpan range) const;
  /// Fills in kernels, copies, launches and the advice with what replays of the range return: O(n log n).
  void advise(Report& report) const;

 private:
  struct File {
    SourceId source;
    MissingReport missing;  // of the whole file
    TimeUseIndex use;
    std::vector<StringId> devices;  // as in `use_of`
    std::vector<TimeUseIndex> use_of;
    bool is_program = false;  // nothing is known of it but what was seen from outside
  };

  const Trace& trace_;
  LateRanksPtr late_;
  CauseIndex causes_;
  std::vector<File> files_;
};

/// The GPUs of a recording under way over `range`, as far as their gaps have verdicts by now; the rest of their idle
/// time has the cause "unknown". Devices, use, verdicts and confidence alone. O(activities and gaps in the range).
std::vector<Report> report_recording(const Trace& trace, const IdleTime& idle, TimeSpan range);

}  // namespace lacuna
