#include "app/gui/models/statistics/group_view.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "app/tables/group_columns.h"
#include "capture/remote/remote_questions.h"
#include "model/base/stable_sort.h"
#include "model/statistics/statistics.h"

namespace lacuna {

std::string_view group_by_name(GroupBy by) {
  switch (by) {
    case GroupBy::kName:
      return "name";
    case GroupBy::kShape:
      return "name and shapes";
    case GroupBy::kModule:
      return "nn.Module";
    case GroupBy::kStack:
      return "Python stack";
    case GroupBy::kStep:
      return "step";
    case GroupBy::kStream:
      return "track";
    case GroupBy::kRank:
      return "file";
    case GroupBy::kFamily:
      return "kernel family";
    case GroupBy::kClass:
      return "class of GPU work";
  }
  return {};
}

void GroupView::ask(const DocumentPtr& document, TimeSpan range, const std::vector<TrackId>& tracks) {
  if (!document) return;
  if (document->is_thinned) return take_remote(document, {by, range, tracks});
  if (document->is_partial) return;
  Asked wanted{document, {by, range, tracks}};
  if (asked_ == wanted) return;
  // Rows of another trace mean nothing here.
  if (asked_ && asked_->document != document) reset();
  asked_ = wanted;
  if (cancelled_) *cancelled_ = true;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  GroupOptions options;
  options.by = by;
  options.range = range;
  options.tracks = tracks;
  if (answer_ && answer_->document == document) options.roofline = answer_->full.options.roofline;
  job_.start([document, options, cancelled = cancelled_]() mutable {
    options.cancel = cancelled.get();
    return Answer{document, compute_full_groups(document->trace, options), nullptr};
  });
}

/// Each picture brings the table anew; until then that of the last one stays.
void GroupView::take_remote(const DocumentPtr& document, const AskedPage& wanted) {
  const std::shared_ptr<const RemotePage> table = document->answers->page(wanted);
  if (asked_ && (!answer_ || !answer_->remote || answer_->remote->asked != wanted)) reset();
  asked_ = {document, wanted};
  if (!table || (answer_ && answer_->remote == table)) return;
  answer_ = std::make_shared<const Answer>(Answer{document, {}, table});
  error_ = answer_->problem();
  shown_.reset();
}

bool GroupView::update() {
  bool is_new = false;
  if (auto answer = job_.take(); answer && !answer->full.is_cancelled) {
    answer_ = std::move(answer);
    error_ = answer_->problem();
    is_new = true;
  }
  const Shown wanted{filter, side, sort, descending};
  if (!answer_ || (!is_new && shown_ == wanted)) return is_new;
  shown_ = wanted;
  const Trace& trace = answer_->document->trace;
  const GroupTable& table = answer_->groups();
  rows_.clear();
  for (std::uint32_t i = 0; i < table.rows.size(); ++i) {
    const GroupRow& row = table.rows[i];
    if (side != StatisticsSide::kAll) {
      const bool gpu = is_gpu_side(trace.category_class(row.category));
      if (gpu != (side == StatisticsSide::kGpu)) continue;
    }
    if (matches_words(filter, row.label, trace.category_name(row.category))) rows_.push_back(i);
  }
  const GroupColumn* column = group_column(sort);
  std::vector<double> values(table.rows.size(), 0);
  if (column != nullptr)
    for (const std::uint32_t i : rows_) values[i] = column->value(trace, table, table.rows[i]);
  sort_stably(rows_, [&](std::uint32_t a, std::uint32_t b) {
    const GroupRow& x = table.rows[a];
    const GroupRow& y = table.rows[b];
    const bool last_x = comes_last(trace, x.category), last_y = comes_last(trace, y.category);
    if (last_x != last_y) return last_y;
    if (column == nullptr) return descending ? x.label > y.label : x.label < y.label;
    // What is not known comes last in either order.
    if (std::isnan(values[a]) != std::isnan(values[b])) return std::isnan(values[b]);
    if (std::isnan(values[a]) || values[a] == values[b]) return x.total > y.total;
    return descending ? values[a] > values[b] : values[a] < values[b];
  });
  return true;
}

void GroupView::reset() {
  if (!asked_) return;
  if (cancelled_) *cancelled_ = true;
  job_.cancel();
  asked_.reset();
  answer_.reset();
  rows_.clear();
  shown_.reset();
  error_.clear();
}

void GroupView::settle() {
  job_.wait();
  update();
}

}  // namespace lacuna
