#include "model/query/result_track.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "model/base/seeded_hash.h"
#include "model/query/query_rows.h"

namespace lacuna {
namespace {

std::optional<std::size_t> column_named(const QueryRows& rows, std::string_view name) {
  const auto at = std::ranges::find(rows.names(), name);
  if (at == rows.names().end()) return std::nullopt;
  return static_cast<std::size_t>(at - rows.names().begin());
}

/// What items are called by.
std::optional<std::size_t> naming_column(const QueryRows& rows) {
  if (const auto named = column_named(rows, "name")) return named;
  for (std::size_t c = 0; c < rows.names().size(); ++c)
    if (rows.kind(c) == Cell::Kind::kText && rows.names()[c] != "ts" && rows.names()[c] != "dur") return c;
  return std::nullopt;
}

/// Outer ones first, each into the first lane that is free by then.
void put_in_lanes(std::vector<ResultTrack::Item>& items, ResultTrack& track) {
  std::ranges::stable_sort(items, [](const ResultTrack::Item& a, const ResultTrack::Item& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<Nanos> free_from;
  for (const ResultTrack::Item& item : items) {
    auto lane = std::ranges::find_if(free_from, [&](Nanos from) { return from <= item.begin; });
    // All marks may lie on one place.
    if (track.kind == ResultTrack::Kind::kMarks && lane == free_from.end() && !free_from.empty())
      lane = free_from.begin();
    if (lane == free_from.end()) {
      if (free_from.size() == ResultTrack::kMostLanes) {
        ++track.too_deep;
        continue;
      }
      track.lanes.emplace_back();
      lane = free_from.insert(free_from.end(), 0);
    }
    // Those without a length cover each other, too.
    *lane = track.kind == ResultTrack::Kind::kMarks ? item.begin : std::max(item.end, saturating_add(item.begin, 1));
    track.lanes[static_cast<std::size_t>(lane - free_from.begin())].push_back(item);
    ++track.items;
  }
}

}  // namespace

bool can_be_track(const QueryRows& rows, ResultTrack::Kind kind) {
  return column_named(rows, "ts") && (kind == ResultTrack::Kind::kMarks || column_named(rows, "dur"));
}

Result<ResultTrack> make_result_track(const QueryRows& rows, ResultTrack::Kind kind, Nanos trace_end) {
  const bool is_marks = kind == ResultTrack::Kind::kMarks;
  if (!can_be_track(rows, kind))
    return fail(ErrorCode::kInvalidArgument,
                is_marks ? "marks need a column ts" : "a track needs the columns ts and dur");
  const std::size_t ts = *column_named(rows, "ts");
  const auto dur = column_named(rows, "dur");
  const auto name = naming_column(rows);
  ResultTrack track;
  track.kind = kind;
  std::unordered_map<std::string, std::uint32_t, SeededHash> numbers;
  std::vector<ResultTrack::Item> items;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Cell begin = rows.cell(row, ts);
    const Cell length = is_marks ? Cell::of(0) : rows.cell(row, *dur);
    if (begin.kind != Cell::Kind::kInteger || length.kind != Cell::Kind::kInteger) {
      ++track.without_time;
      continue;
    }
    ResultTrack::Item item;
    item.begin = begin.integer;
    item.end = length.integer < 0 ? std::max(trace_end, item.begin) : saturating_add(item.begin, length.integer);
    item.row = static_cast<std::uint32_t>(row);
    const auto known = numbers.try_emplace(name ? cell_text(rows.cell(row, *name)) : std::string(),
                                           static_cast<std::uint32_t>(track.names.size()));
    if (known.second) track.names.push_back(known.first->first);
    item.name = known.first->second;
    items.push_back(item);
  }
  if (items.empty())
    return fail(ErrorCode::kInvalidArgument,
                rows.size() == 0 ? "there is no row" : "no row has a time in ns, as an integer");
  put_in_lanes(items, track);
  return track;
}

}  // namespace lacuna
