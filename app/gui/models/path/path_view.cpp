#include "app/gui/models/path/path_view.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "capture/remote/remote_questions.h"
#include "model/base/stable_sort.h"
#include "model/path/path_table.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostKeptPaths = 12;
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

}  // namespace

void PathView::reset() {
  job_.cancel();
  asked_.reset();
  answer_.reset();
  kept_.clear();
  rows_.clear();
}

void PathView::ask(const DocumentPtr& document, TimeSpan range) {
  if (!document || !document->is_answerable()) return;
  if (asked_ && !is_same_trace(asked_->document, document)) reset();
  const Asked wanted{document, range};
  if (asked_ == wanted) return;
  asked_ = wanted;
  if (const auto found = std::ranges::find(kept_, range, &Answer::range); found != kept_.end()) {
    job_.cancel();
    if (answer_ != *found) {
      answer_ = *found;
      sort();
    }
    if (answer_->has_slack) return;
  }
  if (document->is_thinned) return take_remote();
  job_.start_growing([document, range](LatestJob<Answer>::Progress& progress) -> std::optional<Answer> {
    const Trace& trace = document->trace;
    Answer answer;
    answer.document = document;
    answer.range = range;
    answer.path = std::make_shared<const CriticalPath>(find_critical_path(trace, path_options(trace, range)));
    const CriticalPath& path = *answer.path;
    std::vector<PathRow> rows = tabulate_path(trace, path);
    const auto table = [&] {
      return std::make_shared<const DescribedPath>(describe_path(trace, path, rows, kAll, kAll));
    };
    answer.table = table();
    answer.marks = std::make_shared<const PathMarks>(trace, PathMarks::of(path));
    // The path first: what is beside it takes another look at everything.
    if (!progress.show(answer) || progress.is_overtaken()) return std::nullopt;
    add_slack(trace, path, rows);
    answer.table = table();
    answer.has_slack = true;
    return answer;
  });
}

void PathView::take_remote() {
  const std::shared_ptr<const RemotePage> page = asked_->document->answers->page({AskedPath{}, asked_->range});
  if (page == nullptr) return;
  Answer answer;
  answer.document = asked_->document;
  answer.range = asked_->range;
  answer.table = {page, &page->path};
  answer.has_slack = page->problem.empty();
  answer.problem = page->problem;
  if (answer.has_slack && page->path_marks.size() == page->path.parts)
    answer.marks = std::make_shared<const PathMarks>(asked_->document->trace, page->path_marks);
  keep(std::make_shared<const Answer>(std::move(answer)));
}

bool PathView::is_computing() const {
  if (asked_ && asked_->document->is_thinned) return answer_ == nullptr || answer_->range != asked_->range;
  return job_.is_busy();
}

bool PathView::update() {
  auto result = job_.take();
  if (!result || !asked_ || result->document != asked_->document) return false;
  keep(std::move(result));
  return true;
}

void PathView::keep(std::shared_ptr<const Answer> answer) {
  std::erase_if(kept_, [&](const auto& kept) { return kept->range == answer->range; });
  kept_.push_back(answer);
  if (kept_.size() > kMostKeptPaths) kept_.erase(kept_.begin());
  answer_ = std::move(answer);
  sort();
}

void PathView::settle() {
  job_.wait();
  update();
}

std::shared_ptr<const PathView::Answer> PathView::answer_of(const DocumentPtr& document, TimeSpan range) const {
  const bool is_it = answer_ && answer_->path && answer_->document == document && answer_->range == range;
  return is_it ? answer_ : nullptr;
}

std::shared_ptr<const PathMarks> PathView::marks(const DocumentPtr& document) const {
  return is_drawn && answer_ && is_same_trace(answer_->document, document) ? answer_->marks : nullptr;
}

void PathView::sort() {
  rows_.resize(answer_ ? answer_->table->rows.size() : 0);
  std::iota(rows_.begin(), rows_.end(), 0u);
  if (!answer_) return;
  const std::vector<DescribedPath::Row>& rows = answer_->table->rows;
  const auto compare = [&](std::uint32_t a, std::uint32_t b) -> std::weak_ordering {
    const DescribedPath::Row& x = rows[a];
    const DescribedPath::Row& y = rows[b];
    switch (column) {
      case PathColumn::kName:
        return x.name <=> y.name;
      case PathColumn::kCause:
        return x.cause <=> y.cause;
      case PathColumn::kLane:
        return x.lane <=> y.lane;
      case PathColumn::kTime:
      case PathColumn::kShare:
        return x.time <=> y.time;
      case PathColumn::kCount:
        return x.parts <=> y.parts;
      case PathColumn::kBeside:
        return x.beside <=> y.beside;
      case PathColumn::kSlack:
        return x.slack.value_or(-1) <=> y.slack.value_or(-1);
    }
    return std::weak_ordering::equivalent;
  };
  sort_stably(rows_, [&](std::uint32_t a, std::uint32_t b) {
    const auto order = compare(a, b);
    return descending ? order > 0 : order < 0;
  });
}

}  // namespace lacuna
