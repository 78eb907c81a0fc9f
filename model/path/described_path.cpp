#include "model/path/described_path.h"

#include <algorithm>

namespace lacuna {
namespace {

PathPlace place_of_part(const Trace& trace, const PathPart& part) {
  return {part.span, part.slice, part.slice.valid() ? trace.span(part.slice) : TimeSpan{}, part.track};
}

std::vector<PathPlace> places_of(const Trace& trace, const CriticalPath& path, const PathRow& row, std::size_t most) {
  std::vector<PathPlace> places;
  if (row.parts.empty()) {
    if (const SliceId beside = row.longest_beside; beside.valid())
      places.push_back({trace.span(beside), beside, trace.span(beside), row.track});
    return places;
  }
  const auto length = [&](std::uint32_t p) { return path.parts[p].span.duration(); };
  places.reserve(std::min(most, row.parts.size() + 1));
  places.push_back(place_of_part(trace, path.parts[*std::ranges::max_element(row.parts, {}, length)]));
  for (std::size_t p = 0; p < row.parts.size() && places.size() < most; ++p)
    places.push_back(place_of_part(trace, path.parts[row.parts[p]]));
  return places;
}

}  // namespace

DescribedPath describe_path(const Trace& trace, const CriticalPath& path, const std::vector<PathRow>& rows,
                            std::size_t most_rows, std::size_t most_places) {
  DescribedPath described;
  described.wall = path.wall();
  described.parts = path.parts.size();
  described.row_count = rows.size();
  for (const PathRow& row : rows) {
    Nanos& sum = described.causes[static_cast<std::size_t>(row.cause)];
    sum = saturating_add(sum, row.time);
    if (described.rows.size() == most_rows) continue;
    DescribedPath::Row& words = described.rows.emplace_back();
    words.name = path_name(trace, row);
    words.lane = path_lane(trace, row);
    words.kind = row.kind;
    words.cause = row.cause;
    words.track = row.track;
    words.time = row.time;
    words.parts = row.parts.size();
    words.beside = row.beside;
    words.slack = row.slack;
    words.places = places_of(trace, path, row, most_places);
    if (!words.places.empty() && words.places.front().slice.valid()) {
      const SliceId slice = words.places.front().slice;
      const CategoryId category = trace.lane(slice).category(slice.index);
      if (category.value < trace.categories().size()) words.category = category;
    }
  }
  return described;
}

}  // namespace lacuna
