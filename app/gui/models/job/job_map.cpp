#include "app/gui/models/job/job_map.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

constexpr std::string_view kByHost = "host";

}  // namespace

Nanos cell_value(const JobCell& cell, JobColumn column) {
  switch (column) {
    case JobColumn::kWaited:
      return cell.waited;
    case JobColumn::kDelay:
      return cell.delay;
    case JobColumn::kLength:
      return cell.length;
    case JobColumn::kLost:
      break;
  }
  return cell.lost;
}

std::vector<std::string> job_groupings(const Job& job) {
  std::vector<std::string> found;
  std::set<std::string> hosts;
  for (const JobRank& rank : job.ranks) hosts.insert(rank.host);
  if (hosts.size() > 1) found.emplace_back(kByHost);
  std::map<std::string, std::size_t> kinds;
  for (const JobGroup& group : job.groups)
    if (!group.description.empty() && !group.ranks.empty()) ++kinds[group.description];
  for (const auto& [kind, count] : kinds)
    if (count > 1 && kind != kByHost) found.push_back(kind);
  return found;
}

std::vector<JobMapRow> job_map_rows(const Job& job, const std::string& grouping) {
  std::vector<JobMapRow> rows;
  std::vector<bool> is_shown(job.ranks.size(), false);
  const auto add = [&](std::size_t rank) {
    if (is_shown[rank]) return;
    is_shown[rank] = true;
    rows.push_back({rank, {}});
  };
  if (grouping == kByHost) {
    std::map<std::string, std::vector<std::size_t>> hosts;
    for (std::size_t r = 0; r < job.ranks.size(); ++r)
      if (!job.ranks[r].host.empty()) hosts[job.ranks[r].host].push_back(r);
    for (const auto& [host, ranks] : hosts) {
      rows.push_back({JobMapRow::kHeading, "host " + host});
      for (const std::size_t r : ranks) add(r);
    }
  } else if (!grouping.empty()) {
    std::map<std::int64_t, std::size_t> index_of;
    for (std::size_t r = 0; r < job.ranks.size(); ++r) index_of.emplace(job.ranks[r].rank, r);
    std::vector<const JobGroup*> groups;
    for (const JobGroup& group : job.groups)
      if (group.description == grouping && !group.ranks.empty()) groups.push_back(&group);
    sort_stably(groups, {}, [](const JobGroup* group) { return group->ranks.front(); });
    for (const JobGroup* group : groups) {
      const std::size_t before = rows.size();
      rows.push_back({JobMapRow::kHeading, fmt::format("{} {}", grouping, fmt::join(group->ranks, " "))});
      for (const std::int64_t rank : group->ranks)
        if (const auto at = index_of.find(rank); at != index_of.end()) add(at->second);
      if (rows.size() == before + 1) rows.pop_back();  // all of it is missing, or of an earlier group
    }
  }
  const bool are_left = std::ranges::find(is_shown, false) != is_shown.end();
  if (are_left && !rows.empty())
    rows.push_back({JobMapRow::kHeading, grouping == kByHost ? "no host named" : "of no " + grouping});
  for (std::size_t r = 0; r < job.ranks.size(); ++r) add(r);
  return rows;
}

JobMap job_map(const Job& job, const JobMapOrder& order) {
  JobMap map;
  map.rows = job_map_rows(job, order.grouping);
  std::vector<Nanos> sums(job.ranks.size(), 0);
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    for (std::size_t s = 0; s < job.steps.size(); ++s) {
      const Nanos value = cell_value(job.cell(r, s), order.column);
      map.most = std::max(map.most, value);
      sums[r] = saturating_add(sums[r], value);
    }
  if (order.grouping.empty() && order.is_by_value)
    sort_stably(map.rows, std::ranges::greater(), [&](const JobMapRow& row) { return sums[row.rank]; });
  return map;
}

}  // namespace lacuna
