#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/base/quantiles.h"
#include "model/base/stable_sort.h"
#include "model/job/job.h"
#include "model/job/job_clocks.h"
#include "model/job/job_lateness.h"
#include "model/job/job_match.h"
#include "model/job/job_stragglers.h"

namespace lacuna {
namespace {

/// The ends of a rank's collectives fit those of the others to this, or it is not of their job: so much (ns), and so
/// many times what is usual among the ranks.
constexpr double kForeignResidual = 100'000;
constexpr double kForeignTimes = 30;
constexpr std::uint32_t kFewestSamples = 3;
/// Ranges of steps that a message lists.
constexpr std::size_t kMostNamedSteps = 4;

std::string steps_text(const JobRank& rank) {
  if (rank.steps.empty() || !rank.steps.front().number) return "no numbered steps";
  return fmt::format("steps {} to {}", *rank.steps.front().number, rank.steps.back().number.value_or(0));
}

class JobAnalysis {
 public:
  JobAnalysis(std::vector<JobRank> ranks, std::vector<JobProblem> problems) {
    job_.ranks = std::move(ranks);
    job_.problems = std::move(problems);
  }

  Job run() {
    number_ranks();
    drop_other_worlds();
    drop_duplicates();
    tell_losses();
    std::uint64_t unmatched = 0;
    for (;;) {
      reset();
      match_collectives(job_);
      if (drop_strangers(unmatched)) continue;
      fit_clocks(job_);
      if (drop_misfits(unmatched)) continue;
      break;
    }
    job_.unmatched += unmatched;
    tell_strangers();
    find_missing();
    find_lateness(job_);
    find_stragglers(job_);
    tell_clocks();
    return std::move(job_);
  }

 private:
  void tell(JobProblem::Kind kind, const JobRank& rank, std::string text) {
    job_.problems.push_back({kind, rank.rank, rank.file, std::move(text)});
  }

  void number_ranks() {
    std::set<std::int64_t> taken;
    bool has_guess = false;
    for (const JobRank& rank : job_.ranks)
      if (rank.rank >= 0) taken.insert(rank.rank);
    std::int64_t next = 0;
    for (JobRank& rank : job_.ranks) {
      has_guess = has_guess || rank.rank_is_guessed;
      if (rank.rank >= 0) continue;
      while (taken.contains(next)) ++next;
      rank.rank = next++;
      rank.rank_is_guessed = has_guess = true;
    }
    if (has_guess)
      job_.problems.push_back({JobProblem::Kind::kNote,
                               -1,
                               {},
                               "some files do not state their rank: it was inferred from their names or their order"});
    sort_stably(job_.ranks, {}, [](const JobRank& rank) { return rank.rank; });
  }

  void drop_other_worlds() {
    std::map<std::int64_t, std::size_t> sizes;
    for (const JobRank& rank : job_.ranks)
      if (rank.world_size) ++sizes[*rank.world_size];
    std::size_t most = 0;
    for (const auto& [size, count] : sizes)
      if (count > most) {
        most = count;
        job_.world_size = size;
      }
    if (sizes.size() < 2) return;
    std::erase_if(job_.ranks, [&](const JobRank& rank) {
      if (!rank.world_size || rank.world_size == job_.world_size) return false;
      tell(
          JobProblem::Kind::kOtherJob, rank,
          fmt::format("of another job: it says {} ranks, the others {}; left out", *rank.world_size, *job_.world_size));
      return true;
    });
  }

  void drop_duplicates() {
    std::set<std::int64_t> seen;
    std::erase_if(job_.ranks, [&](const JobRank& rank) {
      if (seen.insert(rank.rank).second) return false;
      tell(JobProblem::Kind::kDuplicate, rank, "another file is of this rank, too; left out");
      return true;
    });
  }

  void tell_losses() {
    for (const JobRank& rank : job_.ranks) {
      std::string text;
      for (const std::string& loss : rank.losses) text += (text.empty() ? "" : "; ") + loss;
      if (!text.empty()) tell(JobProblem::Kind::kCutOff, rank, "damaged or cut off: " + text);
      if (rank.collectives.empty()) tell(JobProblem::Kind::kNote, rank, "no collectives in its trace");
    }
  }

  void reset() {
    job_.groups.clear();
    job_.steps.clear();
    job_.collectives.clear();
    job_.parts.clear();
    job_.unmatched = 0;
  }

  /// Ranks with collectives of which none meets another. True when some were dropped.
  bool drop_strangers(std::uint64_t& unmatched) {
    if (job_.ranks.size() < 2) return false;
    std::vector<std::size_t> met(job_.ranks.size(), 0), by_step(job_.steps.size(), 0);
    for (const JobPart& part : job_.parts) ++met[part.rank];
    for (const JobRank& rank : job_.ranks)
      for (const RankStep& step : rank.steps) ++by_step[step_index(step)];
    std::vector<bool> is_stranger(job_.ranks.size(), false);
    std::size_t strangers = 0;
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      is_stranger[r] = met[r] == 0 && !job_.ranks[r].collectives.empty();
      if (is_stranger[r]) ++strangers;
    }
    if (strangers == 0 || strangers == job_.ranks.size()) return false;
    std::size_t familiar = 0;  // what steps the others have, in words
    while (familiar < is_stranger.size() && (is_stranger[familiar] || met[familiar] == 0)) ++familiar;
    const std::string usual = familiar < job_.ranks.size() ? steps_text(job_.ranks[familiar]) : "";
    drop(is_stranger, [&](const JobRank& rank) {
      unmatched += rank.collectives.size();
      const bool alone =
          std::ranges::all_of(rank.steps, [&](const RankStep& s) { return by_step[step_index(s)] <= strangers; });
      if (alone && !rank.steps.empty() && rank.steps.front().number)
        tell(JobProblem::Kind::kOtherSteps, rank,
             fmt::format("of other steps: its trace has {}, the others {}; left out", steps_text(rank), usual));
      else
        tell(JobProblem::Kind::kUnmatched, rank,
             fmt::format("of another job: none of its {} collectives matches one of another rank; left out",
                         rank.collectives.size()));
    });
    return true;
  }

  /// Ranks of which no two meet: nothing can be said of them, but why.
  void tell_strangers() {
    if (job_.ranks.size() < 2 || !job_.collectives.empty() || job_.unmatched == 0) return;
    std::set<std::string> steps;
    for (const JobRank& rank : job_.ranks) steps.insert(steps_text(rank));
    std::string text = "no two ranks have a collective in common";
    if (steps.size() > 1) {
      text += ": their traces have ";
      std::size_t listed = 0;
      for (const std::string& one : steps) {
        if (listed == kMostNamedSteps) break;
        text += (listed++ == 0 ? "" : "; ") + one;
      }
      if (steps.size() > listed) text += "; …";
    }
    job_.problems.push_back({JobProblem::Kind::kUnmatched, -1, {}, std::move(text)});
  }

  std::size_t step_index(const RankStep& step) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(job_.steps, step.number) - job_.steps.begin());
  }

  /// Ranks whose collectives end at other times than those that they seem to meet. The worst first: with it gone, the
  /// others may fit. True when one was dropped.
  bool drop_misfits(std::uint64_t& unmatched) {
    if (job_.ranks.size() < 3) return false;
    std::vector<double> residuals;
    for (const JobClock& clock : job_.clocks)
      if (clock.samples >= kFewestSamples) residuals.push_back(clock.residual_ns);
    if (residuals.size() < 3) return false;
    const double limit = std::max(kForeignResidual, kForeignTimes * lower_median(std::move(residuals)));
    std::size_t worst = job_.ranks.size();
    for (std::size_t r = 0; r < job_.ranks.size(); ++r)
      if (job_.clocks[r].samples >= kFewestSamples && job_.clocks[r].residual_ns > limit &&
          (worst == job_.ranks.size() || job_.clocks[r].residual_ns > job_.clocks[worst].residual_ns))
        worst = r;
    if (worst == job_.ranks.size()) return false;
    std::vector<bool> is_misfit(job_.ranks.size(), false);
    is_misfit[worst] = true;
    const double residual = job_.clocks[worst].residual_ns;
    drop(is_misfit, [&](const JobRank& rank) {
      unmatched += rank.collectives.size();
      tell(JobProblem::Kind::kOtherJob, rank,
           fmt::format(
               "of another job or of other steps: its collectives end {:.2f} ms apart from those of the ranks that "
               "it would match; left out",
               residual / 1e6));
    });
    return true;
  }

  template <class Tell>
  void drop(const std::vector<bool>& is_out, Tell&& tell_of) {
    std::vector<JobRank> kept;
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      if (is_out[r])
        tell_of(job_.ranks[r]);
      else
        kept.push_back(std::move(job_.ranks[r]));
    }
    job_.ranks = std::move(kept);
  }

  void find_missing() {
    std::set<std::int64_t> named, here;
    for (const JobGroup& group : job_.groups) named.insert(group.ranks.begin(), group.ranks.end());
    constexpr std::int64_t kMostRanks = 1 << 20;
    if (job_.world_size && *job_.world_size <= kMostRanks)
      for (std::int64_t r = 0; r < *job_.world_size; ++r) named.insert(r);
    for (const JobRank& rank : job_.ranks) here.insert(rank.rank);
    std::ranges::set_difference(named, here, std::back_inserter(job_.missing));
    for (const std::int64_t rank : job_.missing) {
      const bool is_known = std::ranges::any_of(job_.problems, [&](const JobProblem& p) { return p.rank == rank; });
      if (!is_known) job_.problems.push_back({JobProblem::Kind::kMissing, rank, {}, "missing: no file has this rank"});
    }
  }

  void tell_clocks() {
    std::set<std::uint32_t> components;
    for (const JobClock& clock : job_.clocks)
      if (clock.samples > 0) components.insert(clock.component);
    if (components.size() > 1)
      job_.problems.push_back(
          {JobProblem::Kind::kNote,
           -1,
           {},
           fmt::format("{} sets of ranks share no collective: clocks are compared only within each set",
                       components.size())});
  }

  Job job_;
};

}  // namespace

std::string_view problem_key(JobProblem::Kind kind) {
  switch (kind) {
    case JobProblem::Kind::kUnreadable:
      return "unreadable";
    case JobProblem::Kind::kCutOff:
      return "damaged";
    case JobProblem::Kind::kOtherJob:
      return "otherJob";
    case JobProblem::Kind::kOtherSteps:
      return "otherSteps";
    case JobProblem::Kind::kDuplicate:
      return "duplicate";
    case JobProblem::Kind::kUnmatched:
      return "unmatched";
    case JobProblem::Kind::kMissing:
      return "missing";
    case JobProblem::Kind::kNote:
      break;
  }
  return "note";
}

Job analyse_job(std::vector<JobRank> ranks, std::vector<JobProblem> problems) {
  return JobAnalysis(std::move(ranks), std::move(problems)).run();
}

}  // namespace lacuna
