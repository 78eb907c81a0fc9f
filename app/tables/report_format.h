#pragma once

#include "model/report/report_words.h"
#include "render/format.h"

namespace lacuna {

/// The number format of reports, wherever they are shown.
inline constexpr ReportFormat kReportFormat{format_duration, format_count, format_percent, format_bytes};

}  // namespace lacuna
