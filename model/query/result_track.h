#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

class QueryRows;

/// Rows of a query with a ts as something on the timeline: slices in lanes, or marks. Immutable once made.
struct ResultTrack {
  enum class Kind : std::uint8_t {
    kSlices,  ///< rows with ts and dur
    kMarks,   ///< rows with ts
  };
  struct Item {
    Nanos begin = 0;
    Nanos end = 0;           ///< begin of a mark
    std::uint32_t row = 0;   ///< of the answer
    std::uint32_t name = 0;  ///< in `names`
  };

  Kind kind = Kind::kSlices;
  /// Each ascending by begin; items of one do not overlap. What contains another lies in a lane before it.
  std::vector<std::vector<Item>> lanes;
  std::vector<std::string> names;  ///< of column name, else of the first column of texts; at least one, maybe empty
  std::uint64_t items = 0;
  std::uint64_t without_time = 0;  ///< rows whose ts or dur is no integer
  std::uint64_t too_deep = 0;      ///< rows that found no lane

  static constexpr std::size_t kMostLanes = 64;
};

/// Makes a track of all rows. A dur below 0 lasts until `trace_end`.
/// Errors: kInvalidArgument when there is no column ts (or dur), or no row with integers there.
Result<ResultTrack> make_result_track(const QueryRows& rows, ResultTrack::Kind kind, Nanos trace_end);

/// Whether the columns that such a track needs are there.
bool can_be_track(const QueryRows& rows, ResultTrack::Kind kind);

}  // namespace lacuna
