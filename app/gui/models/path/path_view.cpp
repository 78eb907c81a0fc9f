#include "app/gui/models/path/path_view.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostKeptPaths = 12;

}  // namespace

void PathView::reset() {
  job_.cancel();
  asked_.reset();
  answer_.reset();
  kept_.clear();
  rows_.clear();
  lanes_.clear();
}

void PathView::ask(const DocumentPtr& document, TimeSpan range) {
  if (!document || document->is_partial) return;
  if (asked_ && asked_->document != document) reset();
  const Asked wanted{document, range};
  if (asked_ == wanted) return;
  asked_ = wanted;
  if (const auto found = std::ranges::find(kept_, range, &Answer::range); found != kept_.end()) {
    job_.cancel();
    answer_ = *found;
    sort();
    if (answer_->has_slack) return;
  }
  job_.start_growing([document, range](LatestJob<Answer>::Progress& progress) -> std::optional<Answer> {
    const Trace& trace = document->trace;
    Answer answer;
    answer.document = document;
    answer.range = range;
    answer.path = find_critical_path(trace, path_options(trace, range));
    answer.rows = tabulate_path(trace, answer.path);
    answer.marks = std::make_shared<const PathMarks>(trace, answer.path);
    // The path first: what is beside it takes another look at everything.
    if (!progress.show(answer) || progress.is_overtaken()) return std::nullopt;
    add_slack(trace, answer.path, answer.rows);
    answer.has_slack = true;
    return answer;
  });
}

bool PathView::update() {
  auto result = job_.take();
  if (!result || !asked_ || result->document != asked_->document) return false;
  std::erase_if(kept_, [&](const auto& kept) { return kept->range == result->range; });
  kept_.push_back(result);
  if (kept_.size() > kMostKeptPaths) kept_.erase(kept_.begin());
  answer_ = std::move(result);
  sort();
  return true;
}

void PathView::settle() {
  job_.wait();
  update();
}

std::shared_ptr<const PathView::Answer> PathView::answer_of(const DocumentPtr& document, TimeSpan range) const {
  return answer_ && answer_->document == document && answer_->range == range ? answer_ : nullptr;
}

std::shared_ptr<const PathMarks> PathView::marks(const DocumentPtr& document) const {
  return is_drawn && answer_ && answer_->document == document ? answer_->marks : nullptr;
}

void PathView::sort() {
  rows_.resize(answer_ ? answer_->rows.size() : 0);
  std::iota(rows_.begin(), rows_.end(), 0u);
  if (!answer_) return;
  const Trace& trace = answer_->document->trace;
  const std::vector<PathRow>& rows = answer_->rows;
  lanes_.clear();
  if (column == PathColumn::kLane)
    for (const PathRow& row : rows) lanes_.push_back(path_lane(trace, row));
  const auto compare = [&](std::uint32_t a, std::uint32_t b) -> std::weak_ordering {
    const PathRow& x = rows[a];
    const PathRow& y = rows[b];
    switch (column) {
      case PathColumn::kName:
        return path_name(trace, x) <=> path_name(trace, y);
      case PathColumn::kCause:
        return x.cause <=> y.cause;
      case PathColumn::kLane:
        return lanes_[a] <=> lanes_[b];
      case PathColumn::kTime:
      case PathColumn::kShare:
        return x.time <=> y.time;
      case PathColumn::kCount:
        return x.parts.size() <=> y.parts.size();
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
