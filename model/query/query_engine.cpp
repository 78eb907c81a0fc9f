#include "model/query/query_engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

#include "model/input/memory_room.h"
#include "model/query/query_database.h"

namespace lacuna {

QueryEngine::QueryEngine(const Trace& trace, bool finds_slices) : finds_slices_(finds_slices), source_(trace) {}

QueryEngine::~QueryEngine() = default;

void QueryEngine::prepare(const std::atomic<bool>& cancel) {
  constexpr std::uint64_t kPartOfFree = 4;
  const auto free = free_memory();
  if (free && *free / kPartOfFree < memory_for_tables(source_.trace())) return;
  (void)source_.make_tables(&cancel);
}

QueryAnswer QueryEngine::run(std::string sql, const QueryKeep& keep, const std::atomic<bool>& cancel) {
  QueryAnswer answer;
  answer.sql = std::move(sql);
  const auto begin = std::chrono::steady_clock::now();
  ask(answer, keep, cancel);
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (answer.error.empty() && !answer.is_cancelled && finds_slices_) find_places(answer);
  return answer;
}

void QueryEngine::ask(QueryAnswer& answer, const QueryKeep& keep, const std::atomic<bool>& cancel) {
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
        const bool is_kept = answer.rows.size() < keep.rows && answer.rows.bytes() < keep.bytes;
        if (is_kept && !answer.rows.add(row)) answer.is_cut_short = true;
        ++answer.count;
        return !answer.is_cut_short;
      });
  if (done) return;
  answer.is_cancelled = done.error().code == ErrorCode::kCancelled;
  answer.error = done.error().cause;
  answer.error_offset = done.error().offset;
}

void QueryEngine::find_places(QueryAnswer& answer) {
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
    ReportPlace& place = answer.places.emplace_back();
    if (id.kind != Cell::Kind::kInteger || id.integer < 0 || id.integer >= source_.tables().slices.size()) continue;
    const auto number = static_cast<std::uint32_t>(id.integer);
    const bool fits = ts == names.end() || *column != "id" ||
                      answer.rows.cell(row, static_cast<std::size_t>(ts - names.begin())).integer ==
                          source_.tables().slices.ts[number];
    if (!fits) continue;
    place.slice = source_.slice_of(number);
    if (place.slice.valid()) place.span = source_.trace().span(place.slice);
  }
}

}  // namespace lacuna
