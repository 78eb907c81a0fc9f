#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/search/name_search.h"
#include "model/search/query.h"
#include "model/statistics/statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A query resolved for one trace: what matches, by id.
struct SliceFilter {
  std::vector<std::uint8_t> names;       ///< by StringId
  std::vector<std::uint8_t> categories;  ///< by CategoryId
  std::vector<std::uint8_t> tracks;      ///< by TrackId
  Nanos least = 0;
  Nanos most = kMaxNanos;
  std::vector<SearchQuery::Argument> arguments;

  /// Whether a slice matches, regardless of its args.
  bool passes(const Lane& lane, std::uint32_t i) const {
    return names[lane.name(i).value] != 0 && categories[lane.category(i).value] != 0 && lane.duration(i) >= least &&
           lane.duration(i) <= most;
  }
};

/// `names`: built from the trace's strings. O(text of the names + tracks).
SliceFilter make_filter(const Trace& trace, const NameSearch& names, const SearchQuery& query);

/// Returns the number of slices that the query finds, from the statistics of the whole trace: O(rows), without looking
/// at slices. Nothing if the query depends on more than names and categories.
std::optional<std::uint64_t> count_by_name(const SearchQuery& query, const SliceFilter& filter,
                                           const Statistics& statistics);

/// The slices found by a query.
struct SliceMatches {
  std::vector<std::vector<std::uint32_t>> by_lane;  ///< slice indices, ascending; one list per lane
  std::vector<SliceId> order;                       ///< ascending by start, then by id
  std::string error;                                ///< why args could not be read; then nothing matches
  bool is_cancelled = false;

  /// Returns the slice's position in `order`.
  std::optional<std::size_t> find(const Trace& trace, SliceId slice) const;
  /// Returns the position of the first that starts at or after `t`; order.size() if there is none.
  std::size_t first_from(const Trace& trace, Nanos t) const;
};

/// Finds all matching slices; reads their args if the query needs them (about 1 us each, from the
/// bytes of the source). O(slices), a few ns each. For a worker thread; `cancel` may be null.
SliceMatches find_matches(const Trace& trace, const SliceFilter& filter, const std::atomic<bool>* cancel = nullptr);

}  // namespace lacuna
