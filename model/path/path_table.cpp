#include "model/path/path_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "model/base/stable_sort.h"
#include "model/causes/known_names.h"
#include "model/path/replay.h"
#include "model/path/thread_work.h"
#include "model/steps/steps.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

struct PathCauseText {
  std::string_view name;
  std::string_view definition;
};
constexpr std::array<PathCauseText, kPathCauseCount> kPathCauses = {{
    {"kernel", "A kernel ran."},
    {"communication", "A collective ran, or the CPU waited for other processes."},
    {"copy", "A copy or set ran on the GPU."},
    {"operator", "An operator's own time on the CPU."},
    {"Python", "A Python frame's own time."},
    {"launching", "In a call that starts GPU work."},
    {"synchronisation", "In a call that waits for the GPU, apart from the work that it waited for."},
    {"allocation", "In a call that allocates or frees memory through the driver."},
    {"first use", "Code was loaded, compiled or tuned."},
    {"data loading", "The program waited for its next batch."},
    {"profiler", "The profiler's own work."},
    {"other", "An annotation, or anything else with a name."},
    {"launch latency", "The work was issued but had not started, and its stream was idle."},
    {"queue", "Held back by the part before it: the spacing of queued work, or a wait for an event."},
    {"not recorded", "Nothing was recorded on the thread that the end depended on."},
}};

std::uint64_t row_key(StringId name, PathKind kind, TrackId track) {
  return (std::uint64_t{name.value} << 32 | std::uint64_t{track.value} << 2) + static_cast<std::uint64_t>(kind);
}

/// Rows by name, kind and lane.
class PathRows {
 public:
  PathRows(const Trace& trace, std::vector<PathRow>& rows) : trace_(trace), rows_(rows) {
    for (std::uint32_t r = 0; r < rows.size(); ++r) index_[row_key(rows[r].name, rows[r].kind, rows[r].track)] = r;
  }
  PathRow& of(const PathPart& part) {
    const StringId name = part.slice.valid() ? trace_.lane(part.slice).name(part.slice.index) : kEmptyString;
    const auto [found, is_new] =
        index_.try_emplace(row_key(name, part.kind, part.track), static_cast<std::uint32_t>(rows_.size()));
    if (is_new) {
      PathRow& row = rows_.emplace_back();
      row.name = name;
      row.kind = part.kind;
      row.track = part.track;
      row.cause = path_cause(trace_, part);
    }
    return rows_[found->second];
  }

 private:
  const Trace& trace_;
  std::vector<PathRow>& rows_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
};

/// What of `span` is not in `taken` (ascending, apart), in pieces.
template <class Use>
void without(TimeSpan span, std::span<const TimeSpan> taken, Use&& use) {
  auto at = std::ranges::upper_bound(taken, span.begin, {}, &TimeSpan::end);
  for (; at != taken.end() && at->begin < span.end; ++at) {
    if (at->begin > span.begin) use(TimeSpan{span.begin, at->begin});
    span.begin = std::max(span.begin, at->end);
  }
  if (span.begin < span.end) use(span);
}

}  // namespace

std::string_view path_cause_name(PathCause cause) {
  return kPathCauses[static_cast<std::size_t>(cause)].name;
}
std::string_view path_cause_definition(PathCause cause) {
  return kPathCauses[static_cast<std::size_t>(cause)].definition;
}

PathCause path_cause(const Trace& trace, const PathPart& part) {
  if (part.kind == PathKind::kLaunchLatencyNs) return PathCause::kLaunchLatencyNs;
  if (part.kind == PathKind::kQueue) return PathCause::kQueue;
  if (part.kind == PathKind::kNothing || !part.slice.valid()) return PathCause::kNothing;
  const std::string_view name = trace.name(part.slice);
  const CategoryClass category = trace.category_class(part.slice);
  if (is_gpu_activity(category)) {
    if (category != CategoryClass::kKernel) return PathCause::kCopy;
    return is_communication_kernel(name) ? PathCause::kCommunication : PathCause::kKernel;
  }
  if (is_data_loading(name)) return PathCause::kDataLoading;
  if (is_profiler_frame(name)) return PathCause::kProfiler;
  if (is_allocating_call(name)) return PathCause::kAllocation;
  if (is_first_use(name)) return PathCause::kFirstUse;
  if (is_host_communication(name)) return PathCause::kCommunication;
  if (category == CategoryClass::kRuntime) {
    if (is_launching_call(name)) return PathCause::kLaunching;
    return is_synchronising_call(name) ? PathCause::kSynchronisation : PathCause::kOther;
  }
  if (category == CategoryClass::kCpuOperator) return PathCause::kOperator;
  if (category == CategoryClass::kPythonFunction) return PathCause::kPython;
  return PathCause::kOther;
}

std::vector<PathRow> tabulate_path(const Trace& trace, const CriticalPath& path) {
  std::vector<PathRow> rows;
  PathRows by_key(trace, rows);
  for (std::uint32_t p = 0; p < path.parts.size(); ++p) {
    PathRow& row = by_key.of(path.parts[p]);
    row.time = saturating_add(row.time, path.parts[p].span.duration());
    row.parts.push_back(p);
  }
  sort_stably(rows, std::ranges::greater{}, &PathRow::time);
  return rows;
}

void add_slack(const Trace& trace, const CriticalPath& path, std::vector<PathRow>& rows) {
  if (path.range.empty()) return;
  const Replay replay(trace, path.source);
  const Replay::Slack slack = replay.slack(path.range.end, path.parts.empty() ? TrackId{} : path.parts.back().track);
  PathRows by_key(trace, rows);
  const auto note = [&](const PathPart& part, std::optional<Nanos> spare) {
    PathRow& row = by_key.of(part);
    row.beside = saturating_add(row.beside, part.span.duration());
    ++row.beside_count;
    if (!row.longest_beside.valid() || trace.span(row.longest_beside).duration() < trace.span(part.slice).duration())
      row.longest_beside = part.slice;
    if (spare) row.slack = row.slack ? std::min(*row.slack, *spare) : *spare;
  };
  // What is taken, by track.
  std::vector<std::vector<TimeSpan>> on_path(trace.tracks().size());
  for (const PathPart& part : path.parts)
    if (part.track.valid() && part.kind == PathKind::kSlice) on_path[part.track.value].push_back(part.span);

  for (std::uint32_t w = 0; w < replay.works().size(); ++w) {
    const Replay::Work& work = replay.works()[w];
    const TimeSpan inside = work.span.intersect(path.range);
    if (work.span.begin >= path.range.end) continue;
    if (work.span.end <= path.range.begin && work.span.begin < path.range.begin) continue;
    const TrackId track = trace.lane(work.slice).track;
    // Activities of one stream may overlap: only the part's own slice is on the path.
    bool is_on_path = false;
    const auto& taken = on_path[track.value];
    for (auto at = std::ranges::upper_bound(taken, inside.begin, {}, &TimeSpan::end);
         at != taken.end() && at->begin < inside.end && !is_on_path; ++at)
      is_on_path = at->begin >= inside.begin && at->end <= inside.end;
    if (is_on_path) continue;
    note({PathKind::kSlice, inside, work.slice, track}, slack.of_work[w]);
  }
  for (const Track& track : tracks_of(trace, TrackKind::kThread, path.source)) {
    if (track.lane_count == 0) continue;
    const ThreadWork thread(trace, track.id, path.range);
    for (std::size_t s = 0; s < thread.stretches.size(); ++s) {
      const InnermostStretch& stretch = thread.stretches[s];
      if (!stretch.slice.valid()) continue;
      const Nanos end = s + 1 < thread.stretches.size() ? thread.stretches[s + 1].begin : path.range.end;
      without({stretch.begin, end}, on_path[track.id.value], [&](TimeSpan piece) {
        note({PathKind::kSlice, piece, stretch.slice, track.id}, replay.slack_of_thread(slack, track.id, piece.end));
      });
    }
  }
  sort_stably(rows, [](const PathRow& a, const PathRow& b) {
    if (a.time != b.time) return a.time > b.time;
    return a.time == 0 && a.slack.value_or(kMaxNanos) < b.slack.value_or(kMaxNanos);
  });
}

std::string_view path_name(const Trace& trace, const PathRow& row) {
  return row.name == kEmptyString && row.kind == PathKind::kNothing ? std::string_view("(nothing recorded)")
                                                                    : trace.text(row.name);
}

std::string path_lane(const Trace& trace, const PathRow& row) {
  return path_lane(trace, PathPart{row.kind, {}, {}, row.track});
}

PathOptions path_options(const Trace& trace, TimeSpan range, std::optional<SourceId> source) {
  PathOptions options{.range = range, .source = source, .thread = {}};
  for (std::uint32_t s = 0; s < trace.sources().size() && !options.thread.valid(); ++s) {
    if (source && *source != SourceId{s}) continue;
    for (const StepMark& mark : find_step_marks(trace, SourceId{s}))
      if (mark.span.end == range.end && !options.thread.valid()) {
        options.thread = trace.lane(mark.slice).track;
        options.source = SourceId{s};
      }
  }
  return options;
}

}  // namespace lacuna
