#include "app/gui/models/headline/headline_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/tables/report_format.h"
#include "capture/remote/remote_questions.h"
#include "model/report/described_reports.h"
#include "model/report/range_reports.h"
#include "render/format.h"

namespace lacuna {
namespace {

bool is_growing_picture(const DocumentPtr& document) {
  return document && document->is_partial && document->idle;
}

TimeSpan newest_of(const Document& document) {
  const TimeSpan all = document.trace.span();
  const Nanos end = std::min(all.end, document.idle->known_until);
  return {std::max(all.begin, saturating_sub(end, HeadlineView::kNewestNs)), end};
}

Headline headline_of(const Trace& trace, const std::vector<Report>& reports) {
  return make_headline_by_class(trace, reports, kReportFormat);
}

HeadlineView::Answer of_recording(const Document& document, const std::optional<TimeSpan>& range, std::string name) {
  const TimeSpan window = range.value_or(newest_of(document));
  HeadlineView::Answer answer;
  answer.is_recording = true;
  answer.name = range ? std::move(name) : fmt::format("Last {}", format_duration(window.duration()));
  if (!window.empty())
    answer.headline = headline_of(document.trace, report_recording(document.trace, *document.idle, window));
  return answer;
}

}  // namespace

struct HeadlineView::Prepared {
  std::optional<RangeReports> reports;
};

void HeadlineView::reset() {
  job_.cancel();
  document_.reset();
  range_.reset();
  prepared_.reset();
  answer_.reset();
}

void HeadlineView::ask(const DocumentPtr& document, const std::optional<TimeSpan>& range, std::string_view name) {
  if (document == document_ && range == range_) return;
  if (document && document->is_thinned) return take_remote(document, range, name);
  if (document != document_) {
    prepared_.reset();
    // The next picture of a recording, the last one, or all of what was seen from another machine: what was said is
    // shown until there is something newer.
    if (!is_growing_picture(document_) && !(has_come_whole(document_, document) && range == range_)) answer_.reset();
  }
  document_ = document;
  range_ = range;
  if (is_growing_picture(document)) {
    job_.start([document, range, n = std::string(name)] { return of_recording(*document, range, n); });
    return;
  }
  if (!document || document->is_partial || !range) {
    job_.cancel();
    if (!answer_ || !answer_->is_recording) answer_.reset();
    return;
  }
  if (!prepared_) prepared_ = std::make_shared<Prepared>();
  job_.start_growing([document, prepared = prepared_, span = *range,
                      n = std::string(name)](LatestJob<Answer>::Progress& progress) -> std::optional<Answer> {
    const Trace& trace = document->trace;
    if (!prepared->reports) prepared->reports.emplace(trace);
    if (progress.is_overtaken()) return std::nullopt;
    std::vector<Report> reports = prepared->reports->over(span);
    if (!progress.show({headline_of(trace, reports), n}) || progress.is_overtaken()) return std::nullopt;
    for (Report& report : reports) prepared->reports->advise(report);
    return Answer{headline_of(trace, reports), n};
  });
}

/// Each picture brings the headline anew; until then that of the last one stays.
void HeadlineView::take_remote(const DocumentPtr& document, const std::optional<TimeSpan>& range,
                               std::string_view name) {
  if (document_ && (!document_->is_thinned || range != range_)) reset();
  document_ = document;
  range_ = range;
  if (!range) return;
  if (const auto page = document->answers->page({AskedHeadline{}, *range}); page && page->problem.empty())
    answer_ = std::make_shared<const Answer>(Answer{page->reports.headline, std::string(name)});
}

bool HeadlineView::update() {
  auto result = job_.take();
  if (!result) return false;
  answer_ = std::move(result);
  return true;
}

void HeadlineView::settle() {
  job_.wait();
  update();
}

}  // namespace lacuna
