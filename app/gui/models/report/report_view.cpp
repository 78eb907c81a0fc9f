#include "app/gui/models/report/report_view.h"

#include <algorithm>
#include <utility>

#include "render/format.h"

namespace lacuna {

void ReportView::reset() {
  job_.cancel();
  document_.reset();
  files_.reset();
  chosen = 0;
}

void ReportView::ask(const DocumentPtr& document) {
  if (document == document_ || (document && document->is_partial)) return;
  reset();
  document_ = document;
  if (!document_) return;
  job_.start([document] {
    const ReportFormat format{format_duration, format_count, format_percent, format_bytes};
    std::vector<File> files;
    for (const Report& report : compute_reports(document->trace))
      files.push_back({report.source, describe_report(document->trace, report, format, 0),
                       make_headline(document->trace, report, format), report.window,
                       report.steps.window_name(document->trace)});
    return files;
  });
}

bool ReportView::update() {
  auto result = job_.take();
  if (!result) return false;
  files_ = std::move(result);
  chosen = 0;
  return true;
}

void ReportView::settle() {
  job_.wait();
  update();
}

}  // namespace lacuna
