#include "model/job/job_compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

Nanos per(Nanos sum, std::size_t count) {
  return count == 0 ? 0 : sum / static_cast<Nanos>(count);
}

JobFigures figures_of(const Job& job) {
  JobFigures figures;
  figures.ranks = job.ranks.size();
  std::vector<Nanos> lengths;
  for (std::size_t s = 0; s < job.steps.size(); ++s) {
    Nanos longest = 0;
    for (std::size_t r = 0; r < job.ranks.size(); ++r) longest = std::max(longest, job.cell(r, s).length);
    if (longest > 0) lengths.push_back(longest);
  }
  figures.steps = lengths.size();
  if (!lengths.empty()) {
    std::ranges::sort(lengths);
    const std::size_t upper = lengths.size() / 2, lower = (lengths.size() - 1) / 2;
    figures.step = lengths[lower] + (lengths[upper] - lengths[lower]) / 2;
  }
  Nanos waited = 0, lost = 0;
  for (const Nanos w : job.waited) waited = saturating_add(waited, w);
  for (const Straggler& s : job.stragglers) lost = saturating_add(lost, s.lost);
  figures.waited = per(waited, figures.ranks * figures.steps);
  figures.lost = per(lost, figures.steps);
  return figures;
}

/// Groups of one kind have different names ("tp 0", "tp 1"), but one description; without one, one size.
std::string kind_of_group(const JobGroup& group) {
  if (!group.description.empty()) return group.description;
  if (!group.ranks.empty()) return std::to_string(group.ranks.size()) + " ranks";
  return group.title();
}

using CollectiveKey = std::pair<std::string, std::string>;

void add_collectives(const Job& job, const JobFigures& figures, CollectiveChange::Side CollectiveChange::*side,
                     std::map<CollectiveKey, CollectiveChange>& changes) {
  struct Sum {
    std::uint64_t collectives = 0, parts = 0;
    Nanos waited = 0, transfer = 0;  // over parts
  };
  std::map<CollectiveKey, Sum> sums;
  for (const JobCollective& c : job.collectives) {
    Sum& sum = sums[{job.name_of(c), kind_of_group(job.groups[c.group])}];
    ++sum.collectives;
    sum.parts += c.count;
    sum.waited = saturating_add(sum.waited, c.waited);
    for (std::uint32_t n = 0; n < c.count; ++n) sum.transfer = saturating_add(sum.transfer, c.transfer);
  }
  for (const auto& [key, sum] : sums) {
    CollectiveChange& change = changes[key];
    change.name = key.first;
    change.group = key.second;
    CollectiveChange::Side& to = change.*side;
    if (figures.steps > 0) to.per_step = static_cast<double>(sum.collectives) / static_cast<double>(figures.steps);
    to.waited = per(sum.waited, sum.parts);
    to.transfer = per(sum.transfer, sum.parts);
    to.total = per(saturating_add(sum.waited, sum.transfer), figures.ranks * figures.steps);
  }
}

Nanos size_of_change(Nanos a, Nanos b) {
  return a < b ? saturating_sub(b, a) : saturating_sub(a, b);
}

}  // namespace

JobComparison compare_jobs(const Job& a, const Job& b) {
  JobComparison result;
  result.a = figures_of(a);
  result.b = figures_of(b);
  std::map<CollectiveKey, CollectiveChange> collectives;
  add_collectives(a, result.a, &CollectiveChange::a, collectives);
  add_collectives(b, result.b, &CollectiveChange::b, collectives);
  for (auto& [key, change] : collectives) result.collectives.push_back(std::move(change));
  sort_stably(result.collectives, std::ranges::greater{},
              [](const CollectiveChange& c) { return size_of_change(c.a.total, c.b.total); });

  std::map<std::pair<std::int64_t, LateCause>, StragglerChange> stragglers;
  const auto add = [&](const Job& job, const JobFigures& figures, Nanos StragglerChange::*side) {
    for (const Straggler& s : job.stragglers) {
      StragglerChange& change = stragglers[{job.ranks[s.rank].rank, s.cause}];
      change.rank = job.ranks[s.rank].rank;
      change.cause = s.cause;
      change.*side = std::max<Nanos>(1, saturating_add(change.*side, per(s.lost, figures.steps)));
    }
  };
  add(a, result.a, &StragglerChange::a);
  add(b, result.b, &StragglerChange::b);
  for (const auto& [key, change] : stragglers) result.stragglers.push_back(change);
  sort_stably(result.stragglers, std::ranges::greater{},
              [](const StragglerChange& c) { return size_of_change(c.a, c.b); });
  return result;
}

}  // namespace lacuna
