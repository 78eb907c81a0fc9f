#include "model/job/late_waits.h"

#include <algorithm>
#include <utility>

#include "model/job/load_job.h"
#include "model/job/rank_extract.h"

namespace lacuna {

Result<LateRanksPtr> find_late_ranks(const Trace& trace) {
  if (trace.sources().size() < 2) return nullptr;
  Result<std::vector<RankCollectives>> extracted = extract_collectives(trace);
  if (!extracted) return tl::make_unexpected(extracted.error());
  std::vector<JobRank> ranks;
  std::vector<std::vector<SliceId>> slices(trace.sources().size());
  for (RankCollectives& one : *extracted) {
    if (one.slices.empty()) continue;
    if (one.facts.rank < 0) {
      one.facts.rank = rank_of_file_name(one.facts.file);
      one.facts.rank_is_guessed = one.facts.rank >= 0;
    }
    slices[one.facts.source] = std::move(one.slices);
    ranks.push_back(std::move(one.facts));
  }
  if (ranks.size() < 2) return nullptr;
  const Job job = analyse_job(std::move(ranks));
  auto found = std::make_shared<LateRanks>();
  for (const JobCollective& collective : job.collectives) {
    const JobPart& last = job.last_of(collective);
    const JobClock& clock_of_last = job.clocks[last.rank];
    for (std::uint32_t p = collective.first; p < collective.first + collective.count; ++p) {
      const JobPart& part = job.parts[p];
      const JobClock& clock = job.clocks[part.rank];
      if (clock.samples == 0 || clock_of_last.samples == 0 || clock.component != clock_of_last.component) continue;
      if (static_cast<double>(part.wait) <= clock.residual_ns + clock_of_last.residual_ns) continue;
      const SliceId slice = slices[job.ranks[part.rank].source][part.collective];
      const TimeSpan whole = trace.span(slice);
      const TimeSpan span = whole.intersect({whole.begin, saturating_add(whole.begin, part.wait)});
      if (!span.empty()) found->waits.push_back({slice, span, job.ranks[last.rank].rank});
    }
  }
  std::ranges::sort(found->waits, {}, &LateWait::collective);
  return found;
}

LateRanksPtr late_ranks_or_none(const Trace& trace) {
  Result<LateRanksPtr> found = find_late_ranks(trace);
  return found ? std::move(*found) : nullptr;
}

}  // namespace lacuna
