#include "app/gui/models/report/report_view.h"

#include <utility>

#include "app/tables/report_format.h"
#include "capture/remote/remote_questions.h"

namespace lacuna {

void ReportView::reset() {
  job_.cancel();
  document_.reset();
  answer_.reset();
  problem_.clear();
  chosen = 0;
}

void ReportView::ask(const DocumentPtr& document) {
  if (document == document_) return;
  if (document && document->is_thinned) return take_remote(document);
  if (document && document->is_partial) return;
  // What the other machine said of it stays until it is computed here.
  const auto reported = has_come_whole(document_, document) ? answer_ : nullptr;
  const std::size_t shown = reported ? chosen : 0;
  reset();
  answer_ = reported;
  chosen = shown;
  document_ = document;
  if (!document_) return;
  job_.start([document] { return describe_reports(document->trace, kReportFormat); });
}

/// Each picture brings the report anew; until then that of the last one stays.
void ReportView::take_remote(const DocumentPtr& document) {
  if (document_ && !is_same_trace(document_, document)) reset();
  document_ = document;
  if (const std::shared_ptr<const RemotePage> page = document->answers->page({AskedReport{}})) {
    problem_ = page->problem;
    answer_ = problem_.empty() ? std::shared_ptr<const DescribedReports>(page, &page->reports) : nullptr;
  }
}

bool ReportView::update() {
  auto result = job_.take();
  if (!result) return false;
  answer_ = std::move(result);
  return true;
}

void ReportView::settle() {
  job_.wait();
  update();
}

}  // namespace lacuna
