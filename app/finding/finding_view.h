#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// What ends the name of a finding: a zip archive with a trace, how it is looked at, notes and answers (bundle.h).
inline constexpr std::string_view kFindingEnding = ".lacuna";
/// The member of a finding that says how it is looked at: a side-car with "view" and "range" as well. Its name is none
/// of a trace.
inline constexpr std::string_view kFindingView = "view.state";

/// The view of the finding at `path`, at most 4 MiB; empty where that is no finding, or holds none that can be read.
/// Not believed: any text. Blocking; any thread.
std::string read_finding_view(const std::string& path);

/// The member with the queries that go with it: SQL, each ended by ";" at the end of a line.
inline constexpr std::string_view kFindingQueries = "queries.sql";
inline constexpr std::size_t kMostFindingQueries = 100;
/// Those of the finding at `path`, as they were written; empty likewise. Not believed: any texts. Blocking; any thread.
std::vector<std::string> read_finding_queries(const std::string& path);
/// The queries in such a text: a ";" in a name or a literal ends none. At most kMostFindingQueries.
std::vector<std::string> split_queries(std::string_view sql);

/// The times that a view says it shows, and those that are selected; nothing where it does not say so, or says
/// nonsense.
struct FindingTimes {
  std::optional<TimeSpan> view, range;
};
FindingTimes finding_times(std::string_view view);

/// A side-car with such times, and without the paths of its files. Empty or damaged `side_car`: a new one.
std::string with_finding_times(std::string_view side_car, const FindingTimes& times);

}  // namespace lacuna
