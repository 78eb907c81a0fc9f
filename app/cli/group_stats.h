#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "app/cli/stats.h"
#include "model/groups/group_table.h"
#include "model/steps/steps.h"

namespace CLI {
class App;
}

namespace lacuna {

/// Options of `lacuna stats` that choose what counts and how it is grouped.
struct GroupStatsOptions {
  std::string group_by = "name";
  std::vector<std::string> columns;  ///< keys; empty: the usual ones
  std::string steps;                 ///< "3..5" or "4", numbers of ProfilerSteps
  std::string from_us, to_us;
  std::vector<std::string> streams;  ///< "0:7"
  std::vector<std::string> lanes;    ///< parts of names of tracks, or thread ids
  std::string histogram;             ///< a name
  std::size_t stack_frames = 5;
  bool is_used = false;  ///< any of them was given

  /// Declares the options on `stats`, bound to this object, which must outlive the parsing.
  void add_to(CLI::App& stats);
  /// Adds only the options that say what counts: --steps, --from-us, --to-us, --stream, --lanes.
  void add_range_to(CLI::App& command);
};

/// The time range that --steps, --from-us and --to-us choose; everything without them. Tables use the steps' own marks
/// (find_steps), so that each call counts in its step; what follows the end of a step takes find_step_windows.
/// kInvalidArgument when the trace has no such steps.
Result<TimeSpan> chosen_range(const Trace& trace, const GroupStatsOptions& options,
                              std::vector<Step> (*find)(const Trace&) = find_steps);

/// The tracks that --stream and --lanes choose; empty: all. kInvalidArgument when there are none such.
Result<std::vector<TrackId>> chosen_tracks(const Trace& trace, const GroupStatsOptions& options);

/// Keys of --sort-by beyond stats_sort_keys().
bool is_group_sort_key(std::string_view key);
std::string group_sort_keys();

/// Writes the table or, with --histogram, the histogram.
Result<void> print_group_stats(const Trace& trace, const GroupStatsOptions& options, const std::string& sort_key,
                               StatsFormat format, std::size_t limit, std::size_t width, Output& out);

std::string group_stats_help();

}  // namespace lacuna
