#include "app/gui/models/report/report_view.h"

#include <algorithm>
#include <utility>

#include "app/gui/models/report/headline_classes.h"
#include "render/format.h"

namespace lacuna {

ReportFormat window_format() {
  return {format_duration, format_count, format_percent, format_bytes};
}

void ReportView::reset() {
  job_.cancel();
  document_.reset();
  answer_.reset();
  chosen = 0;
}

void ReportView::ask(const DocumentPtr& document) {
  if (document == document_ || (document && document->is_partial)) return;
  reset();
  document_ = document;
  if (!document_) return;
  job_.start([document] {
    const std::vector<Report> reports = compute_reports(document->trace);
    Answer answer;
    for (const Report& report : reports)
      answer.files.push_back({report.source, describe_report(document->trace, report, window_format(), 0),
                              make_report_cards(document->trace, report, window_format()), report.window,
                              report.steps.window_name(document->trace)});
    answer.headline = make_headline(document->trace, reports, window_format());
    split_work_by_class(answer.headline, reports);
    return answer;
  });
}

bool ReportView::update() {
  auto result = job_.take();
  if (!result) return false;
  answer_ = std::move(result);
  chosen = 0;
  return true;
}

void ReportView::settle() {
  job_.wait();
  update();
}

}  // namespace lacuna
