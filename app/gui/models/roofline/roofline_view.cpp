#include "app/gui/models/roofline/roofline_view.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "app/tables/roofline_table.h"
#include "capture/remote/remote_questions.h"
#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostKeptRooflines = 6;

/// What a page that has little room is to show comes first.
constexpr std::array<std::string_view, 12> kColumnOrder{"operator", "inputDims", "gpuTimeNs", "percentOfRoof",
                                                        "bound",    "tflops",    "gbps",      "flopPerByte",
                                                        "count",    "class",     "flop",      "bytes"};

std::string_view words_of(const Cell& cell) {
  return cell.kind == Cell::Kind::kOwnedText ? std::string_view(cell.owned) : cell.text;
}

double number_in_cell(const Cell& cell) {
  return cell.kind == Cell::Kind::kInteger ? static_cast<double>(cell.integer) : cell.real;
}

/// Whether `a` stands before `b` in a table: what is not known comes last, whatever the order.
bool stands_before(const Cell& a, const Cell& b, bool is_number, bool descending) {
  const bool is_known = a.kind != Cell::Kind::kNull;
  if (!is_known || b.kind == Cell::Kind::kNull) return is_known && b.kind == Cell::Kind::kNull;
  const Cell& first = descending ? b : a;
  const Cell& second = descending ? a : b;
  return is_number ? number_in_cell(first) < number_in_cell(second) : words_of(first) < words_of(second);
}

}  // namespace

void RooflineView::stop() {
  if (cancel_) *cancel_ = true;
  cancel_.reset();
  job_.cancel();
}

void RooflineView::reset() {
  stop();
  asked_.reset();
  kept_.clear();
  show(nullptr);
}

void RooflineView::ask(const DocumentPtr& document, TimeSpan range) {
  if (!document || !document->is_answerable()) return;
  if (asked_ && !is_same_trace(asked_->document, document)) reset();
  const Asked wanted{document, range};
  if (asked_ == wanted) return;
  asked_ = wanted;
  stop();
  if (const auto found = std::ranges::find(kept_, range, &Answer::range); found != kept_.end()) return show(*found);
  if (document->is_thinned) return take_remote();
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  job_.start([document, range, cancel = cancel_] {
    Answer answer;
    answer.document = document;
    answer.range = range;
    RooflineOptions options;
    options.range = range;
    options.cancel = cancel.get();
    Result<Roofline> roofline = compute_roofline(document->trace, options);
    if (!roofline) {
      answer.error = roofline.error().message();
      return answer;
    }
    answer.roofline = std::move(*roofline);
    answer.roofline.drop_around_others();
    answer.plot = plot_roofline(answer.roofline.rows);
    return answer;
  });
}

bool RooflineView::update() {
  auto result = job_.take();
  if (!result || !asked_ || result->document != asked_->document) return false;
  keep(std::move(result));
  return true;
}

void RooflineView::take_remote() {
  const std::shared_ptr<const RemotePage> page = asked_->document->answers->page({AskedRoofline{}, asked_->range});
  if (page == nullptr) return;
  keep(std::make_shared<const Answer>(Answer{asked_->document, asked_->range, page->roofline, page->rows_left_out,
                                             plot_roofline(page->roofline.rows), page->problem}));
}

void RooflineView::keep(std::shared_ptr<const Answer> answer) {
  kept_.push_back(answer);
  if (kept_.size() > kMostKeptRooflines) kept_.erase(kept_.begin());
  show(std::move(answer));
}

void RooflineView::settle() {
  job_.wait();
  update();
}

void RooflineView::show(std::shared_ptr<const Answer> answer) {
  if (answer == answer_) return;
  chosen.reset();
  columns_.clear();
  table_.reset();
  answer_ = std::move(answer);
  if (answer_) {
    table_ = std::make_unique<const Table>(roofline_table(answer_->roofline));
    for (const std::string_view key : kColumnOrder) {
      const auto found = std::ranges::find(table_->columns, key, &Table::Column::key);
      if (found != table_->columns.end()) columns_.push_back(&*found);
    }
  }
  sort();
}

void RooflineView::sort() {
  rows_.resize(table_ ? table_->rows : 0);
  std::iota(rows_.begin(), rows_.end(), 0u);
  if (rows_.empty() || column >= columns_.size()) return;
  const Table::Column& by = *columns_[column];
  std::vector<Cell> cells;
  cells.reserve(rows_.size());
  for (const std::uint32_t row : rows_) cells.push_back(by.value(row));
  sort_stably(rows_, [&](std::uint32_t a, std::uint32_t b) {
    return stands_before(cells[a], cells[b], by.is_number, descending);
  });
}

}  // namespace lacuna
