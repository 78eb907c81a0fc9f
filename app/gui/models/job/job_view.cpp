#include "app/gui/models/job/job_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/job/rank_extract.h"

namespace lacuna {
namespace {

constexpr std::string_view kByHost = "host";

}  // namespace

void JobView::reset() {
  job_.cancel();
  document_.reset();
  answer_.reset();
}

void JobView::ask(const DocumentPtr& document) {
  if (document == document_ || (document && document->is_partial)) return;
  reset();
  document_ = document;
  if (!document_) return;
  job_.start([document] {
    Answer answer;
    answer.hang = find_flight_dumps(document->paths);
    Result<std::vector<JobRank>> ranks = extract_ranks(document->trace, 2);
    if (!ranks) {
      answer.error = ranks.error().message();
      return answer;
    }
    answer.job = analyse_job(std::move(*ranks));
    return answer;
  });
}

bool JobView::update() {
  auto result = job_.take();
  if (!result) return false;
  answer_ = std::move(result);
  return true;
}

void JobView::settle() {
  job_.wait();
  update();
}

Nanos JobView::value(const JobCell& cell, JobColumn column) {
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

std::vector<std::string> JobView::groupings(const Job& job) {
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

std::vector<JobView::Row> JobView::rows(const Job& job, const std::string& grouping) {
  std::vector<Row> rows;
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
      rows.push_back({Row::kHeading, "host " + host});
      for (const std::size_t r : ranks) add(r);
    }
  } else if (!grouping.empty()) {
    std::map<std::int64_t, std::size_t> index_of;
    for (std::size_t r = 0; r < job.ranks.size(); ++r) index_of.emplace(job.ranks[r].rank, r);
    std::vector<const JobGroup*> groups;
    for (const JobGroup& group : job.groups)
      if (group.description == grouping && !group.ranks.empty()) groups.push_back(&group);
    std::ranges::stable_sort(groups, {}, [](const JobGroup* group) { return group->ranks.front(); });
    for (const JobGroup* group : groups) {
      const std::size_t before = rows.size();
      rows.push_back({Row::kHeading, fmt::format("{} {}", grouping, fmt::join(group->ranks, " "))});
      for (const std::int64_t rank : group->ranks)
        if (const auto at = index_of.find(rank); at != index_of.end()) add(at->second);
      if (rows.size() == before + 1) rows.pop_back();  // all of it is missing, or of an earlier group
    }
  }
  const bool are_left = std::ranges::find(is_shown, false) != is_shown.end();
  if (are_left && !rows.empty())
    rows.push_back({Row::kHeading, grouping == kByHost ? "no host named" : "of no " + grouping});
  for (std::size_t r = 0; r < job.ranks.size(); ++r) add(r);
  return rows;
}

ReportPlace JobView::place_of(const Trace& trace, const JobRank& rank, Nanos start, Nanos duration) {
  ReportPlace place{{start, saturating_add(start, duration)}, {}};
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kGpuStream || trace.process(track.process).source.value != rank.source) continue;
    const SliceId slice = trace.innermost_at(track, start);
    if (slice.valid() && trace.span(slice) == place.span) place.slice = slice;
  }
  return place;
}

ReportPlace JobView::step_of(const Trace& trace, const Job& job, std::size_t rank, std::size_t step) {
  const JobRank& facts = job.ranks[rank];
  for (const RankStep& s : facts.steps)
    if (s.number == job.steps[step])
      return place_of(trace, facts, saturating_sub(s.start, facts.epoch), saturating_sub(s.end, s.start));
  return {};
}

}  // namespace lacuna
