#include "app/gui/models/query/query_view.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "capture/remote/remote_questions.h"

namespace lacuna {

namespace {

/// An engine that keeps its document.
struct EngineOf {
  DocumentPtr document;
  QueryEngine engine;
  // Of a recording, ids are others in the next document: rows are found by their time.
  explicit EngineOf(const DocumentPtr& of) : document(of), engine(of->trace, !of->is_partial) {}
};

}  // namespace

bool may_be_queried(const Document& document) {
  return document.is_answerable() || document.resident != nullptr;
}

QueryView::QueryView(BackgroundJobs& jobs) : job_(jobs), preparation_(jobs) {}

QueryView::~QueryView() {
  cancel();
}

void QueryView::open_engine(const DocumentPtr& document) {
  if (document_ != document) engine_.reset();
  document_ = document;
  if (engine_ || document->is_thinned) return;
  auto made = std::make_shared<EngineOf>(document);
  engine_ = std::shared_ptr<QueryEngine>(made, &made->engine);
}

void QueryView::prepare(const DocumentPtr& document) {
  if (!document || document->is_partial || prepared_.lock() == document) return;
  prepared_ = document;
  open_engine(document);
  preparation_cancelled_ = std::make_shared<std::atomic<bool>>(false);
  preparation_.start_growing([engine = engine_, cancelled = preparation_cancelled_](auto&) -> std::optional<Answer> {
    engine->prepare(*cancelled);
    return {};
  });
}

void QueryView::run(const DocumentPtr& document) {
  forget_question();
  if (!document || !may_be_queried(*document)) return;
  open_engine(document);
  if (document->is_thinned) {
    if (text.size() > kMostAskedSql) return refuse("this text is too long to be sent to another machine (256 KiB)");
    asked_ = {AskedSql{text, ++runs_}};
    is_awaited_ = true;
    return;
  }
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  job_.start(
      [engine = engine_, cancelled = cancelled_, sql = text] { return engine->run(sql, {kMostShown}, *cancelled); });
}

void QueryView::take_remote(const Document& picture) {
  if (!is_awaited_) return;
  const std::shared_ptr<const RemotePage> page = picture.answers->page(*asked_);
  if (!page) return;
  is_awaited_ = false;
  if (page->problem.empty()) return take(std::shared_ptr<const Answer>(page, &page->query));
  refuse(page->problem);
}

void QueryView::refuse(std::string why) {
  Answer refused;
  refused.error = std::move(why);
  take(std::make_shared<const Answer>(std::move(refused)));
}

void QueryView::cancel() {
  if (preparation_cancelled_) *preparation_cancelled_ = true;
  forget_question();
}

void QueryView::forget_question() {
  if (cancelled_) *cancelled_ = true;
  asked_.reset();
  is_awaited_ = false;
}

bool QueryView::update() {
  auto result = job_.take();
  if (!result) return false;
  take(std::move(result));
  return true;
}

void QueryView::take(std::shared_ptr<const Answer> answer) {
  answer_ = std::move(answer);
  ++answer_count_;
  order_.resize(answer_->rows.size());
  std::iota(order_.begin(), order_.end(), 0u);
  choose_plot();
}

/// Another answer's columns: those that were plotted where they are there again, else over the first one the column of
/// numbers that the rows are sorted by, or the first of numbers.
void QueryView::choose_plot() {
  const std::vector<std::string>& names = answer_->rows.names();
  if (names == plotted_names_) return;
  plotted_names_ = names;
  const auto is_number = [&](std::size_t column) {
    const Cell::Kind kind = answer_->rows.kind(column);
    return kind == Cell::Kind::kInteger || kind == Cell::Kind::kReal;
  };
  const QueryRows& rows = answer_->rows;
  const auto is_sorted = [&](std::size_t column) {
    bool ascends = true, descends = true;
    for (std::size_t row = 1; row < rows.size() && (ascends || descends); ++row) {
      ascends = ascends && !rows.is_before(row, row - 1, column);
      descends = descends && !rows.is_before(row - 1, row, column);
    }
    return ascends != descends;  // not all the same
  };
  // Better ones first; of equal ones the first.
  const auto merit = [&](std::size_t column) {
    if (!is_number(column)) return 0;
    const std::string& name = names[column];
    if (name == "ts" || name == "id" || name.ends_with("_id")) return 1;
    return is_number(0) || !is_sorted(column) ? 2 : 3;
  };
  plot.x = 0;
  plot.y = names.size() > 1 ? 1 : 0;
  int best = 0;
  for (std::size_t c = 1; c < names.size(); ++c) {
    const int of_this = merit(c);
    if (of_this > best) plot.y = c;
    best = std::max(best, of_this);
  }
}

void QueryView::settle() {
  job_.wait();
  update();
}

void QueryView::reset() {
  cancel();
  job_.cancel();
  engine_.reset();
  document_.reset();
  answer_.reset();
  order_.clear();
  shown_.clear();
}

void QueryView::keep_to(const DocumentPtr& document) {
  if (!document_ || document_ == document) return;
  // An answer about a recording is one about the moment at which it was asked; that of another machine is about all of
  // its trace, whatever part of it is in a picture.
  const bool goes_on = document && ((document->resident && document->resident == document_->resident) ||
                                    is_same_trace(document, document_));
  if (!goes_on) reset();
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
  return answer_ == nullptr ? std::nullopt : place_of(*answer_, row);
}

std::optional<ReportPlace> QueryView::place_of(const Answer& answer, std::size_t row) const {
  if (row >= answer.rows.size()) return std::nullopt;
  if (row < answer.places.size() && answer.places[row].slice.valid()) return answer.places[row];
  const auto& names = answer.rows.names();
  const auto value = [&](std::string_view name) -> std::optional<Nanos> {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) return std::nullopt;
    const Cell cell = answer.rows.cell(row, static_cast<std::size_t>(at - names.begin()));
    return cell.kind == Cell::Kind::kInteger ? std::optional<Nanos>(cell.integer) : std::nullopt;
  };
  const auto ts = value("ts");
  if (!ts) return std::nullopt;
  return ReportPlace{{*ts, saturating_add(*ts, std::max<Nanos>(value("dur").value_or(0), 0))}, {}};
}

std::string QueryView::show_as(ResultTrack::Kind kind) {
  if (answer_ == nullptr || !document_) return "there is no answer";
  if (shown_.size() >= kMostTracks) return fmt::format("{} results are on the timeline: remove one", kMostTracks);
  auto track = make_result_track(answer_->rows, kind, document_->trace.span().end);
  if (!track) return track.error().cause;
  shown_.push_back({std::move(*track), query_title(answer_->sql), answer_, ++shown_count_});
  return {};
}

void QueryView::remove(std::uint64_t number) {
  std::erase_if(shown_, [number](const Shown& shown) { return shown.number == number; });
}

std::string query_title(std::string_view sql) {
  constexpr std::size_t kLongest = 200;
  const auto first = sql.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  sql.remove_prefix(first);
  if (sql.starts_with("--")) {
    const std::string_view line =
        sql.substr(2, sql.find('\n') == std::string_view::npos ? sql.npos : sql.find('\n') - 2);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) sql = line;
  }
  std::string title;
  for (const char c : sql.substr(0, kLongest)) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (is_blank && (title.empty() || title.back() == ' ')) continue;
    title.push_back(is_blank ? ' ' : c);
  }
  while (title.ends_with(' ')) title.pop_back();
  return title;
}

}  // namespace lacuna
