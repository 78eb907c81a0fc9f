#pragma once

#include <string>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// Finds contradictions in a report: sums that do not add up, a verdict that is not the
/// largest cause, gains larger than the time they remove, sentences about nothing. Empty if there are none; else one
/// sentence per contradiction, which is a bug of Lacuna, not of the trace. O(launches + gaps).
std::vector<std::string> check_report(const Trace& trace, const Report& report, const ReportFormat& format);

}  // namespace lacuna
