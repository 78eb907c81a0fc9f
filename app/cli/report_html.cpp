#include "app/cli/report.h"
namespace lacuna {
void write_report_html(const Trace&, const std::vector<Report>&, std::size_t, Output&) {}
}
