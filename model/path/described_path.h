#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/path/critical_path.h"
#include "model/path/path_table.h"

namespace lacuna {

/// Where a row of a path leads to.
struct PathPlace {
  TimeSpan span;        ///< of the part
  SliceId slice;        ///< that of PathPart; of a trace on another machine with the index kNoIndex
  TimeSpan slice_span;  ///< of the slice, if it is valid
  TrackId track;
};

/// The table of a critical path without its trace, for those who see that from elsewhere, too.
struct DescribedPath {
  struct Row {
    std::string name, lane;
    PathKind kind = PathKind::kSlice;
    PathCause cause = PathCause::kOther;
    TrackId track;
    CategoryId category;  ///< of the slices, if they have one
    Nanos time = 0;
    std::uint64_t parts = 0;
    Nanos beside = 0;
    std::optional<Nanos> slack;
    /// The longest part, then the parts in the order of time; the longest activity beside if there are none.
    std::vector<PathPlace> places;
  };

  Nanos wall = 0;
  std::uint64_t parts = 0;                      ///< of the path
  std::array<Nanos, kPathCauseCount> causes{};  ///< time on the path by PathCause, of all rows
  std::vector<Row> rows;
  std::uint64_t row_count = 0;  ///< before the limit
};

/// `most_rows`: those that come first; `most_places`: of each row.
DescribedPath describe_path(const Trace& trace, const CriticalPath& path, const std::vector<PathRow>& rows,
                            std::size_t most_rows, std::size_t most_places);

}  // namespace lacuna
