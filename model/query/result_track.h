#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

class QueryRows;

/// Query rows with a ts, shown on the timeline: slices in lanes, or marks. Immutable once made.
struct ResultTrack {
  enum class Kind : std::uint8_t {
    kSlices,  ///< rows with ts and dur
    kMarks,   ///< rows with ts
  };
  struct Item {
    Nanos begin = 0;
    Nanos end = 0;           ///< end; for a mark, its begin
    std::uint32_t row = 0;   ///< row of the result
    std::uint32_t name = 0;  ///< index in `names`
  };

  Kind kind = Kind::kSlices;
  /// Each lane is ascending by begin, without overlap. An item that contains another is in an earlier lane.
  std::vector<std::vector<Item>> lanes;
  std::vector<std::string> names;  ///< from column name, else from the first text column; at least one, possibly empty
  std::uint64_t items = 0;
  std::uint64_t without_time = 0;  ///< rows whose ts or dur is not an integer
  std::uint64_t too_deep = 0;      ///< rows for which no lane was free

  static constexpr std::size_t kMostLanes = 64;
};

/// Makes a track of all rows. A slice with a negative dur lasts until `trace_end`.
/// Errors: kInvalidArgument if there is no column ts (or dur), or no row with integers in it.
Result<ResultTrack> make_result_track(const QueryRows& rows, ResultTrack::Kind kind, Nanos trace_end);

/// Whether the columns needed for such a track exist.
bool can_be_track(const QueryRows& rows, ResultTrack::Kind kind);

}  // namespace lacuna
