#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// The ending of a finding's file name. A finding is a zip archive of a trace, its view, notes and answers (bundle.h).
inline constexpr std::string_view kFindingEnding = ".lacuna";
/// The member of a finding that holds its view: a side-car with "view" and "range" as well. Its name is not one
/// of a trace.
inline constexpr std::string_view kFindingView = "view.state";

/// The view of the finding at `path`, at most 4 MiB; empty where that is no finding, or has no readable view.
/// Untrusted text. Blocking; any thread.
std::string read_finding_view(const std::string& path);

/// The member with the queries that go with it: SQL, each ended by ";" at the end of a line.
inline constexpr std::string_view kFindingQueries = "queries.sql";
inline constexpr std::size_t kMostFindingQueries = 100;
/// The queries of the finding at `path`, as written; empty likewise. Untrusted texts. Blocking; any thread.
std::vector<std::string> read_finding_queries(const std::string& path);
/// Splits such a text into queries; a ";" inside a name or a literal does not end one. At most kMostFindingQueries.
std::vector<std::string> split_queries(std::string_view sql);

/// The time range that a view shows, and the selected one; nothing where the view lacks it or
/// has an invalid one.
struct FindingTimes {
  std::optional<TimeSpan> view, range;
};
FindingTimes finding_times(std::string_view view);
/// The choice of steps (Trace::steps_from()) in a view or side-car; empty: none. Untrusted: any text.
std::string finding_steps(std::string_view view);

/// A side-car with such times, and without the paths of its files. Empty or damaged `side_car`: a new one.
std::string with_finding_times(std::string_view side_car, const FindingTimes& times);

}  // namespace lacuna
