#include "model/job/clock_shifts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "model/cache/trace_cache.h"
#include "model/job/rank_extract.h"

namespace lacuna {
namespace {

/// One rank's clock: its error at the middle of what it recorded, and how much that changes towards the ends.
struct ClockError {
  double at_middle = 0;
  double at_ends = 0;
};

ClockError error_of(const Job& job, std::size_t r) {
  const JobClock& clock = job.clocks[r];
  TimeSpan span = TimeSpan::nothing();
  for (const CollectivePart& part : job.ranks[r].collectives) span = span.unite({part.start, part.end});
  const auto error_at = [&](Nanos t) { return clock.error_at(static_cast<double>(saturating_sub(t, job.origin))); };
  const double begin = error_at(span.begin), end = error_at(span.end);
  return {(begin + end) / 2, std::abs(end - begin) / 2};
}

}  // namespace

ClockShifts shifts_by_collectives(const Trace& trace, const Job& job) {
  ClockShifts result;
  std::set<std::string> done;
  std::optional<Nanos> first;  // what the first file's own times lack to the job's
  std::size_t known = 0;
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const JobRank& rank = job.ranks[r];
    if (job.clocks[r].samples == 0 || rank.source >= trace.sources().size()) continue;
    const TraceSource& source = trace.sources()[rank.source];
    if (!done.insert(source.path).second) continue;  // several ranks of one file have one clock
    ++known;
    const ClockError error = error_of(job, r);
    const Nanos epoch = saturating_add(rank.epoch, source.shift_ns);
    const Nanos lacks = saturating_sub(epoch, std::llround(std::clamp(error.at_middle, -4e18, 4e18)));
    result.shifts.push_back({source.path, lacks});
    result.residual_ns = std::max(result.residual_ns, job.clocks[r].residual_ns);
    result.drift_left = std::max(result.drift_left, static_cast<Nanos>(std::llround(std::min(error.at_ends, 4e18))));
    if (rank.source == 0) first = saturating_sub(lacks, source.shift_ns);
  }
  if (known < 2) {
    result.shifts.clear();
    result.why_not = "No two files share a collective, and only shared collectives show how the clocks differ.";
    return result;
  }
  // Without the first file, the one that leads stays where it lies now.
  if (!first) {
    const auto leader = std::ranges::find(trace.sources(), result.shifts.front().path, &TraceSource::path);
    first = saturating_sub(result.shifts.front().shift_ns, leader->shift_ns);
  }
  for (FileShift& shift : result.shifts) shift.shift_ns = saturating_sub(shift.shift_ns, *first);
  return result;
}

std::vector<FileShift> shifts_of_ranks(const Job& job, std::span<const std::uint32_t> ranks) {
  std::vector<FileShift> shifts;
  if (ranks.size() < 2) return shifts;
  for (const std::uint32_t r : ranks) {
    if (job.clocks[r].samples == 0) return {};
    const auto error = std::llround(std::clamp(error_of(job, r).at_middle, -4e18, 4e18));
    shifts.push_back({job.ranks[r].file, saturating_sub(job.ranks[r].epoch, error)});
  }
  const Nanos first = shifts.front().shift_ns;
  for (FileShift& shift : shifts) shift.shift_ns = saturating_sub(shift.shift_ns, first);
  return shifts;
}

Result<void> resolve_clocks(std::span<const std::string> paths, ImportOptions& options, ImportProgress* progress) {
  if (options.clocks != FileClocks::kGiven || !options.shifts.empty()) return {};
  ImportOptions plain = options;
  plain.clocks = FileClocks::kFiles;
  plain.preview = nullptr;
  std::optional<Trace> trace;
  if (plain.use_cache) {
    if (auto kept = TraceCache().find(TraceCache::look_at(paths, plain), plain)) trace = std::move(kept->trace);
  }
  if (!trace) {
    Result<Trace> read = import_files(paths, plain, progress);
    if (!read) return tl::make_unexpected(read.error());
    trace = std::move(*read);
  }
  if (trace->sources().size() < 2) {
    options.clocks = FileClocks::kFiles;
    return {};
  }
  Result<std::vector<JobRank>> ranks = extract_ranks(*trace, 2);
  if (!ranks) return tl::make_unexpected(ranks.error());
  ClockShifts found = shifts_by_collectives(*trace, analyse_job(std::move(*ranks)));
  if (found.shifts.empty()) return fail(ErrorCode::kNotFound, std::move(found.why_not));
  options.shifts = std::move(found.shifts);
  return {};
}

}  // namespace lacuna
