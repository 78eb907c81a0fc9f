#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/calls/call_excerpt.h"
#include "model/groups/group_table.h"
#include "model/holders/memory_excerpt.h"
#include "model/path/described_path.h"
#include "model/path/path_marks.h"
#include "model/query/query_engine.h"
#include "model/report/described_reports.h"
#include "model/report/gap_tables.h"
#include "model/report/what_if_table.h"
#include "model/roofline/roofline.h"
#include "model/torch/torch_table.h"
#include "model/torch/torch_text.h"
#include "model/trace/trace.h"

namespace lacuna {

class FieldReader;
class FieldWriter;

/// torch.profiler's table, with the options of TorchTableOptions that users choose.
struct AskedTorch {
  bool by_shape = false;
  std::uint32_t stack_frames = 0;
  bool python_functions = false;
  bool operator==(const AskedTorch&) const = default;
};

/// The report of all files in words, with the headline.
struct AskedReport {
  bool operator==(const AskedReport&) const = default;
};
/// The headline of a range.
struct AskedHeadline {
  bool operator==(const AskedHeadline&) const = default;
};

/// Idle time by cause, by operator, or dead windows: GapTableOptions without what AskedPage has.
struct AskedGaps {
  GapTable what = GapTable::kCauses;
  bool whole_gpu = true;
  Nanos shortest = 0;
  bool operator==(const AskedGaps&) const = default;
};

/// The longest query that a window sends: with all else that it asks, it fits into a frame.
inline constexpr std::size_t kMostAskedSql = 256 << 10;

/// The answer of a query. `run` tells runs of the same text apart: another query may have made a view between them.
struct AskedSql {
  std::string text;
  std::uint64_t run = 0;
  bool operator==(const AskedSql&) const = default;
};

/// The critical path of a range.
struct AskedPath {
  bool operator==(const AskedPath&) const = default;
};

/// The limits of the changes that are asked for at once: their number, and the bytes of their arguments.
inline constexpr std::size_t kMostAskedChanges = 100;
inline constexpr std::size_t kMostAskedChangeText = 64 << 10;

/// What the steps of a file would take with some changes.
struct AskedWhatIf {
  std::uint32_t source = 0;
  std::vector<WhatIfChange> changes = {};
  bool operator==(const AskedWhatIf&) const = default;
};
/// Whether these changes are within the limits.
bool may_be_asked(const std::vector<WhatIfChange>& changes);

/// The memory of all devices.
struct AskedMemory {
  bool operator==(const AskedMemory&) const = default;
};

/// The roofline of a range.
struct AskedRoofline {
  bool operator==(const AskedRoofline&) const = default;
};

/// A call tree.
struct AskedCalls {
  CallMetric metric = CallMetric::kCpuTime;
  bool bottom_up = false;
  bool with_python = false;
  bool operator==(const AskedCalls&) const = default;
};

/// What a page of a window shows, if it is computed from all of the trace when it is asked for.
struct AskedPage {
  std::variant<GroupBy, AskedTorch, AskedReport, AskedHeadline, AskedGaps, AskedSql, AskedPath, AskedWhatIf,
               AskedMemory, AskedCalls, AskedRoofline>
      what;
  TimeSpan range = TimeSpan::everything();  ///< not for report, queries, changes and memory
  std::vector<TrackId> tracks = {};         ///< of groups, gaps and calls: only these; empty: all
  bool operator==(const AskedPage&) const = default;
};

/// The pages that are asked for at once.
inline constexpr std::size_t kMostPages = 4;
inline constexpr std::size_t kMostRemoteFrames = 4000;
/// The limits of what is sent of memory, whose lists are shorter than kMostPageRows.
inline constexpr std::size_t kMostRemoteDevices = 16;
inline constexpr ExcerptLimits kMemoryLimits{.pieces = 400, .moments = 1000, .frames = 1000};
/// The limit of the rows of a table, of those of each of a report, and of the bytes of a text in them.
inline constexpr std::size_t kMostPageRows = 1000;
inline constexpr std::size_t kMostReportRows = 200;  // of gaps, too
inline constexpr std::size_t kMostPageText = 4000;
/// The places to which a row of a path leads.
inline constexpr std::size_t kMostPathPlaces = 4;
/// A path of more parts is not drawn: what is left out would seem not to be on it.
inline constexpr std::size_t kMostPathMarks = 2000;
/// No row of a query is added to as many bytes: pages come with each picture.
inline constexpr std::size_t kMostQueryBytes = 256 << 10;

/// The longest slice of a group.
struct LongestSlice {
  LaneId lane;
  TimeSpan span;
  std::string name;
};

/// The answer: what a local window would compute. Of more than kMostPageRows rows those with the longest self time, in
/// the same order; totals are those of all rows.
struct RemotePage {
  AskedPage asked;
  std::string problem;  ///< why there is none; empty: there is one
  std::uint64_t rows_left_out = 0;
  GroupTable groups;                  ///< without names and slices, which are in the trace over there
  std::vector<LongestSlice> longest;  ///< of each row of `groups`
  TorchTable torch;
  TorchTotals totals;  ///< of `torch`
  DescribedGaps gaps;
  QueryAnswer query;
  DescribedPath path;                       ///< its slices as ReportPlace has them
  std::vector<PathMarks::Mark> path_marks;  ///< of all parts of `path`, ascending; none of too many
  WhatIfTable what_if;
  std::vector<MemoryExcerpt> memory;  ///< of each device
  CallExcerpt calls;
  Roofline roofline;         ///< those with the most GPU time; once sent, with the index kNoIndex of the longest calls
  DescribedReports reports;  ///< for AskedHeadline the headline alone. Once sent, slices are ReportPlace::kUnnumbered
};

/// Returns at most so many bytes of a text, which ends with a whole character and "…" if it was longer.
std::string shortened(std::string_view text, std::size_t most);

void put(FieldWriter& out, const AskedPage& asked);
/// Reads a question; bounded for any input, and nothing if it is invalid.
std::optional<AskedPage> get_asked_page(FieldReader& in);
/// `trace`: that of the page.
void put(FieldWriter& out, const RemotePage& page, const Trace& trace);
/// Returns nothing if the input is invalid. All that the result names exists in `trace`.
std::optional<RemotePage> get_remote_page(FieldReader& in, const Trace& trace);

}  // namespace lacuna
