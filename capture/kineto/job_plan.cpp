#include "capture/kineto/job_plan.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace lacuna {
namespace {

constexpr std::int64_t kMostRank = 1'000'000;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// "3" or "0-3".
bool add_ranks(std::string_view text, std::vector<std::int64_t>& ranks) {
  const std::size_t dash = text.find('-');
  const std::optional<std::int64_t> first = whole_number(text.substr(0, dash));
  const std::optional<std::int64_t> last = dash == std::string_view::npos ? first : whole_number(text.substr(dash + 1));
  if (!first || !last || *last < *first || *last > kMostRank) return false;
  for (std::int64_t rank = *first; rank <= *last; ++rank) ranks.push_back(rank);
  return true;
}

bool started_by(const RunningJob& job, const RunningJob& other) {
  return std::ranges::find(job.ancestors, other.pid) != job.ancestors.end();
}

/// What a dormant program started wakes with it.
bool is_woken_with(const RunningJob& job, const RunningJob& other) {
  return job.is_dormant && other.is_dormant && other.pid != job.pid && started_by(job, other);
}

}  // namespace

bool is_woken_for(const KinetoRequest& request, const RunningJob& job) {
  const bool only_kineto_has_it = request.snapshot || request.modules || request.multiple_of > 0;
  return job.is_dormant && !(job.is_kineto && only_kineto_has_it);
}

Result<JobChoice> parse_job_choice(const std::vector<std::string>& words) {
  JobChoice choice;
  bool are_ranks = false;
  for (const std::string& word : words) {
    if (word == "all") {
      choice.is_all = true;
      continue;
    }
    if (word == "rank" || word == "ranks") {
      are_ranks = true;
      continue;
    }
    for (std::size_t at = 0; at <= word.size();) {
      const std::size_t end = std::min(word.find(',', at), word.size());
      const std::string_view part = std::string_view(word).substr(at, end - at);
      at = end + 1;
      const std::int64_t pid = are_ranks ? 0 : whole_number(part).value_or(0);
      const bool is_good = are_ranks ? add_ranks(part, choice.ranks) : pid > 0 && pid <= 0x7fffffff;
      if (!is_good)
        return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is not {}", part,
                                                             are_ranks ? "a rank (rank 3, ranks 0-3,7)"
                                                                       : "a process (1234), \"ranks 0-3\" or \"all\""));
      if (!are_ranks) choice.pids.push_back(static_cast<int>(pid));
    }
  }
  const int kinds = (choice.is_all ? 1 : 0) + (choice.pids.empty() ? 0 : 1) + (are_ranks ? 1 : 0);
  if (kinds != 1 || (are_ranks && choice.ranks.empty()))
    return fail(ErrorCode::kInvalidArgument, "say which jobs: their processes (1234), \"ranks 0-3\" or \"all\"");
  std::ranges::sort(choice.ranks);
  choice.ranks.erase(std::unique(choice.ranks.begin(), choice.ranks.end()), choice.ranks.end());
  std::ranges::sort(choice.pids);
  choice.pids.erase(std::unique(choice.pids.begin(), choice.pids.end()), choice.pids.end());
  return choice;
}

std::vector<RunningJob> chosen_jobs(const JobChoice& choice, const std::vector<RunningJob>& among,
                                    std::vector<std::string>& missing) {
  std::vector<RunningJob> chosen;
  for (const RunningJob& job : among) {
    const bool is_meant = choice.is_all
                              ? !job.is_launcher
                              : std::ranges::find(choice.pids, job.pid) != choice.pids.end() ||
                                    (job.rank >= 0 && std::ranges::find(choice.ranks, job.rank) != choice.ranks.end());
    if (!is_meant) continue;
    // What a rank started (a worker of a DataLoader, say) has its rank in the environment, too.
    const bool is_inner =
        choice.pids.empty() && job.rank >= 0 && std::ranges::any_of(among, [&](const RunningJob& other) {
          return other.rank == job.rank && other.pid != job.pid && started_by(job, other);
        });
    const bool wakes_with_another =
        choice.pids.empty() && job.rank < 0 && std::ranges::any_of(among, [&](const RunningJob& other) {
          return !other.is_launcher && is_woken_with(job, other);
        });
    if (!is_inner && !wakes_with_another) chosen.push_back(job);
  }
  for (const RunningJob& job : std::vector<RunningJob>(chosen)) {
    const auto root = std::ranges::find_if(chosen, [&](const RunningJob& other) { return is_woken_with(job, other); });
    if (root == chosen.end()) continue;
    missing.push_back(
        fmt::format("process {}: it is in the trace of process {}, which started it", job.pid, root->pid));
    std::erase_if(chosen, [&](const RunningJob& other) { return other.pid == job.pid; });
  }
  for (const std::int64_t rank : choice.ranks)
    if (std::ranges::find(chosen, rank, &RunningJob::rank) == chosen.end())
      missing.push_back(fmt::format("rank {}: no job here has it", rank));
  for (const int pid : choice.pids)
    if (std::ranges::find(among, pid, &RunningJob::pid) == among.end()) {
      const std::string why = why_not_a_job(pid);
      missing.push_back(fmt::format("process {}: {}", pid, why.empty() ? "it has not imported torch (yet)" : why));
    }
  return chosen;
}

}  // namespace lacuna
