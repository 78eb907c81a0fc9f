#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/report/headline.h"
#include "model/report/report_cards.h"
#include "model/report/report_words.h"

namespace lacuna {

/// The report of one file in words.
struct DescribedReport {
  SourceId source;
  std::vector<ReportSection> sections;
  std::vector<ReportCard> cards;
  TimeSpan window;  ///< the measured time
  std::string window_name;
};

/// What a window says of a trace.
struct DescribedReports {
  std::vector<DescribedReport> files;  ///< of each file with slices
  Headline headline;                   ///< of all files
};

/// Computes and describes the reports. `rows`: number of rows per table; 0 = all. As long as compute_reports().
DescribedReports describe_reports(const Trace& trace, const ReportFormat& format, std::size_t rows = 0);

/// make_headline() with the running time of compute kernels split by the classes' durations.
Headline make_headline_by_class(const Trace& trace, std::span<const Report> reports, const ReportFormat& format);

}  // namespace lacuna
