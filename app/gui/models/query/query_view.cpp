#include "app/gui/models/query/query_view.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

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
    if (document_->is_partial) return;  // ids are others in the next document: rows are found by their time
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

bool may_be_queried(const Document& document) {
  return !document.is_partial || document.resident != nullptr;
}

QueryView::QueryView(BackgroundJobs& jobs) : job_(jobs) {}

QueryView::~QueryView() {
  cancel();
}

void QueryView::run(const DocumentPtr& document) {
  cancel();
  if (!document || !may_be_queried(*document)) return;
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
  choose_plot();
  return true;
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
  answer_.reset();
  order_.clear();
  shown_.clear();
}

void QueryView::keep_to(const DocumentPtr& document) {
  if (!engine_ || engine_->document() == document) return;
  // An answer about a recording is one about the moment at which it was asked.
  const bool goes_on = document && document->resident && document->resident == engine_->document()->resident;
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
  if (row >= answer.rows.size() || !engine_) return std::nullopt;
  const Trace& trace = engine_->document()->trace;
  if (row < answer.slices.size() && answer.slices[row].valid())
    return ReportPlace{trace.span(answer.slices[row]), answer.slices[row]};
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
  if (answer_ == nullptr || !engine_) return "there is no answer";
  if (shown_.size() >= kMostTracks) return fmt::format("{} results are on the timeline: remove one", kMostTracks);
  auto track = make_result_track(answer_->rows, kind, engine_->document()->trace.span().end);
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
