#include "app/gui/models/query/query_view.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "model/query/query_database.h"

namespace lacuna {

/// A document with its database, which is opened by the first run. The worker's alone after it was made.
class QueryEngine {
 public:
  explicit QueryEngine(DocumentPtr document) : document_(std::move(document)), source_(document_->trace) {}
  const DocumentPtr& document() const { return document_; }

  QueryView::Answer run(std::string sql, const std::atomic<bool>& cancel) {
    QueryView::Answer answer;
    answer.sql = std::move(sql);
    const auto begin = std::chrono::steady_clock::now();
    ask(answer, cancel);
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (answer.error.empty() && !answer.is_cancelled) find_slices(answer);
    return answer;
  }

 private:
  void ask(QueryView::Answer& answer, const std::atomic<bool>& cancel) {
    if (!database_) {
      auto opened = QueryDatabase::open(source_);
      if (!opened) {
        answer.error = opened.error().cause;
        return;
      }
      database_ = std::move(*opened);
    }
    QueryDatabase::Options options;
    options.cancel = &cancel;
    const auto done = database_->run(
        answer.sql, options, [&](std::span<const std::string> names) { answer.rows.start(names); },
        [&](std::span<const Cell> row) {
          if (answer.rows.size() < QueryView::kMostShown && !answer.rows.add(row)) answer.is_cut_short = true;
          ++answer.count;
          return !answer.is_cut_short;
        });
    if (done) return;
    answer.is_cancelled = done.error().code == ErrorCode::kCancelled;
    answer.error = done.error().cause;
    answer.error_offset = done.error().offset;
  }

  void find_slices(QueryView::Answer& answer) {
    constexpr std::array<std::string_view, 3> kIds{"id", "slice_id", "gpu_id"};
    const auto& names = answer.rows.names();
    const auto column = std::ranges::find_first_of(names, kIds);
    if (column == names.end() || answer.rows.size() == 0) return;
    // "id" is that of other tables, too: then ts says whether it is meant.
    const auto ts = std::ranges::find(names, "ts");
    if (!source_.make_tables()) return;
    const auto at = static_cast<std::size_t>(column - names.begin());
    for (std::size_t row = 0; row < answer.rows.size(); ++row) {
      const Cell id = answer.rows.cell(row, at);
      SliceId slice;
      if (id.kind == Cell::Kind::kInteger && id.integer >= 0 && id.integer < source_.tables().slices.size()) {
        const auto number = static_cast<std::uint32_t>(id.integer);
        const bool fits = ts == names.end() || *column != "id" ||
                          answer.rows.cell(row, static_cast<std::size_t>(ts - names.begin())).integer ==
                              source_.tables().slices.ts[number];
        if (fits) slice = source_.slice_of(number);
      }
      answer.slices.push_back(slice);
    }
  }

  const DocumentPtr document_;
  QuerySource source_;
  std::unique_ptr<QueryDatabase> database_;
};

QueryView::QueryView(BackgroundJobs& jobs) : job_(jobs) {}

QueryView::~QueryView() {
  cancel();
}

void QueryView::run(const DocumentPtr& document) {
  cancel();
  if (!document || document->is_partial) return;
  if (!engine_ || engine_->document() != document) engine_ = std::make_shared<QueryEngine>(document);
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  job_.start([engine = engine_, cancelled = cancelled_, sql = text] { return engine->run(sql, *cancelled); });
}

void QueryView::cancel() {
  if (cancelled_) *cancelled_ = true;
}

bool QueryView::update() {
  auto result = job_.take();
  if (!result) return false;
  answer_ = std::move(result);
  ++answer_count_;
  order_.resize(answer_->rows.size());
  std::iota(order_.begin(), order_.end(), 0u);
  return true;
}

void QueryView::settle() {
  job_.wait();
  update();
}

void QueryView::reset() {
  cancel();
  job_.cancel();
  engine_.reset();
  answer_.reset();
  order_.clear();
}

void QueryView::sort(int column, bool descending) {
  std::iota(order_.begin(), order_.end(), 0u);
  if (answer_ == nullptr || column < 0 || static_cast<std::size_t>(column) >= answer_->rows.names().size()) return;
  const QueryRows& rows = answer_->rows;
  std::ranges::stable_sort(order_, [&rows, descending, c = static_cast<std::size_t>(column)](auto a, auto b) {
    return descending ? rows.is_before(b, a, c) : rows.is_before(a, b, c);
  });
}

std::optional<ReportPlace> QueryView::place_of(std::size_t row) const {
  if (answer_ == nullptr || row >= answer_->rows.size() || !engine_) return std::nullopt;
  const Trace& trace = engine_->document()->trace;
  if (row < answer_->slices.size() && answer_->slices[row].valid())
    return ReportPlace{trace.span(answer_->slices[row]), answer_->slices[row]};
  const auto& names = answer_->rows.names();
  const auto value = [&](std::string_view name) -> std::optional<Nanos> {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) return std::nullopt;
    const Cell cell = answer_->rows.cell(row, static_cast<std::size_t>(at - names.begin()));
    return cell.kind == Cell::Kind::kInteger ? std::optional<Nanos>(cell.integer) : std::nullopt;
  };
  const auto ts = value("ts");
  if (!ts) return std::nullopt;
  return ReportPlace{{*ts, saturating_add(*ts, std::max<Nanos>(value("dur").value_or(0), 0))}, {}};
}

}  // namespace lacuna
