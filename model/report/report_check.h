#pragma once

#include <string>
#include <vector>

#include "model/report/report_words.h"

namespace lacuna {

/// What a report says that cannot be true of one trace at a time: sums that do not add up, a verdict that is not the
/// largest cause, gains above what they remove, sentences about nothing. Empty where all is well; otherwise one
/// sentence for each contradiction, which is a fault of Lacuna and not of the trace. O(launches + gaps).
std::vector<std::string> check_report(const Trace& trace, const Report& report, const ReportFormat& format);

}  // namespace lacuna
