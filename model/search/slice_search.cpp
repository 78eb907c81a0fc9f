#include "model/search/slice_search.h"

#include <algorithm>
#include <tuple>

#include "model/base/ascii.h"
#include "model/base/cancel.h"
#include "model/base/radix_sort.h"
#include "model/import/bulk_arguments.h"

namespace lacuna {
namespace {

constexpr std::size_t kArgumentsAtOnce = 20'000;  // read between two looks at `cancel`

bool contains_all(std::string_view text, const std::vector<std::string>& words) {
  const std::string lower = to_lower(text);
  return std::ranges::all_of(words, [&](const std::string& word) { return lower.find(word) != std::string::npos; });
}

/// Each of the values is the text, as far as there are values.
bool is_each(std::string_view text, const std::vector<std::string>& values) {
  const std::string lower = to_lower(text);
  return std::ranges::all_of(values, [&](const std::string& value) { return value == lower; });
}

std::uint64_t sort_key(Nanos start) {
  return static_cast<std::uint64_t>(start) ^ (std::uint64_t{1} << 63);
}

/// Of `found`, slices of one source with ascending offsets, those whose args are as wanted.
Result<std::vector<SliceId>> with_arguments(const Trace& trace, const TraceSource& source,
                                            const std::vector<SliceId>& found,
                                            const std::vector<SearchQuery::Argument>& arguments,
                                            const std::atomic<bool>* cancel) {
  std::vector<std::string_view> keys;
  for (const SearchQuery::Argument& argument : arguments) keys.push_back(argument.key);
  std::vector<SliceId> kept;
  for (std::size_t from = 0; from < found.size() && !is_cancelled(cancel); from += kArgumentsAtOnce) {
    const std::size_t count = std::min(kArgumentsAtOnce, found.size() - from);
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = from; i < from + count; ++i)
      offsets.push_back(trace.lane(found[i]).file_offset(found[i].index));
    const Result<void> read =
        read_arguments_in_bulk(source, offsets, keys, [&](std::size_t k, std::span<const std::string_view> values) {
          for (std::size_t a = 0; a < values.size(); ++a) {
            if (values[a].empty()) return;
            const std::string& wanted = arguments[a].value;
            if (!wanted.empty() && to_lower(values[a]).find(wanted) == std::string::npos) return;
          }
          kept.push_back(found[from + k]);
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  return kept;
}

void keep_with_arguments(const Trace& trace, const SliceFilter& filter, const std::atomic<bool>* cancel,
                         SliceMatches& matches) {
  std::vector<std::vector<SliceId>> by_source(trace.sources().size());
  for (std::uint32_t l = 0; l < matches.by_lane.size(); ++l) {
    if (matches.by_lane[l].empty()) continue;
    const Track& track = trace.track(trace.lane(LaneId{l}).track);
    for (const std::uint32_t i : matches.by_lane[l])
      by_source[trace.process(track.process).source.value].push_back({LaneId{l}, i});
    matches.by_lane[l].clear();
  }
  for (std::size_t s = 0; s < by_source.size(); ++s) {
    std::ranges::sort(by_source[s], {}, [&](SliceId slice) { return trace.lane(slice).file_offset(slice.index); });
    auto kept = with_arguments(trace, trace.sources()[s], by_source[s], filter.arguments, cancel);
    if (!kept) {
      matches.error = kept.error().message();
      for (auto& list : matches.by_lane) list.clear();
      return;
    }
    for (const SliceId slice : *kept) matches.by_lane[slice.lane.value].push_back(slice.index);
  }
  for (auto& list : matches.by_lane) std::ranges::sort(list);
}

void put_in_order(const Trace& trace, SliceMatches& matches) {
  std::vector<SliceId> found;
  for (std::uint32_t l = 0; l < matches.by_lane.size(); ++l)
    for (const std::uint32_t i : matches.by_lane[l]) found.push_back({LaneId{l}, i});
  PageVector<SortKey> keys;
  PageVector<SortKey> scratch;
  keys.resize(found.size());
  for (std::uint32_t i = 0; i < found.size(); ++i) keys[i] = {sort_key(trace.lane(found[i]).start(found[i].index)), i};
  radix_sort(keys, scratch);
  matches.order.reserve(found.size());
  for (const SortKey& key : keys) matches.order.push_back(found[key.index]);
}

}  // namespace

SliceFilter make_filter(const Trace& trace, const NameSearch& names, const SearchQuery& query) {
  SliceFilter filter;
  filter.names = names.containing(query.words);
  // At least as long as the pool, whatever `names` was made of.
  filter.names.resize(std::max<std::size_t>(filter.names.size(), trace.strings().size()), 0);
  // Slices without a category have the id after the last.
  filter.categories.assign(std::size_t{1} << 16, query.categories.empty() ? 1 : 0);
  for (std::uint32_t c = 0; c < trace.categories().size(); ++c)
    filter.categories[c] = contains_all(trace.category_name(CategoryId{c}), query.categories) ? 1 : 0;
  for (const Track& track : trace.tracks()) {
    const std::string where =
        std::string(trace.text(trace.process(track.process).name)) + " " + std::string(trace.text(track.name));
    const bool passes = contains_all(where, query.tracks) && is_each(trace.text(track.stream), query.streams) &&
                        is_each(trace.text(track.device), query.devices);
    filter.tracks.push_back(passes && query.problems.empty() ? 1 : 0);
  }
  filter.least = query.least;
  filter.most = query.most;
  filter.arguments = query.arguments;
  return filter;
}

std::optional<std::uint64_t> count_by_name(const SearchQuery& query, const SliceFilter& filter,
                                           const Statistics& statistics) {
  if (!query.problems.empty()) return 0;
  if (!query.is_simple()) return std::nullopt;
  std::uint64_t count = 0;
  for (const StatisticsRow& row : statistics.rows)
    if (filter.names[row.name.value] != 0 && filter.categories[row.category.value & 0xffff] != 0) count += row.count;
  return count;
}

std::optional<std::size_t> SliceMatches::find(const Trace& trace, SliceId slice) const {
  if (!slice.valid()) return std::nullopt;
  const auto key = [&](SliceId s) { return std::tuple(trace.span(s).begin, s); };
  const auto at = std::ranges::lower_bound(order, key(slice), {}, key);
  if (at == order.end() || *at != slice) return std::nullopt;
  return static_cast<std::size_t>(at - order.begin());
}

std::size_t SliceMatches::first_from(const Trace& trace, Nanos t) const {
  const auto at = std::ranges::lower_bound(order, t, {}, [&](SliceId s) { return trace.lane(s).start(s.index); });
  return static_cast<std::size_t>(at - order.begin());
}

SliceMatches find_matches(const Trace& trace, const SliceFilter& filter, const std::atomic<bool>* cancel) {
  SliceMatches matches;
  matches.by_lane.resize(trace.lanes().size());
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lane(LaneId{l});
    if (filter.tracks[lane.track.value] == 0) continue;
    CancelCheck gave_up(cancel);
    for (std::uint32_t i = 0; i < lane.size() && !gave_up(); ++i)
      if (filter.passes(lane, i)) matches.by_lane[l].push_back(i);
  }
  if (!filter.arguments.empty() && !is_cancelled(cancel)) keep_with_arguments(trace, filter, cancel, matches);
  matches.is_cancelled = is_cancelled(cancel);
  if (!matches.is_cancelled) put_in_order(trace, matches);
  return matches;
}

}  // namespace lacuna
